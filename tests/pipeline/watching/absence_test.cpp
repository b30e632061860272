/// Tests that other processes are not blamed for a time when the observer itself was descheduled.

#include "pipeline/watching/absence.hpp"

#include <gtest/gtest.h>

namespace takt::pipeline {
namespace {

constexpr std::int64_t second = 1'000'000'000;

TEST(Absence, is_a_long_time_between_two_checks) {
  Absence absence(7 * second);
  EXPECT_EQ(absence.until(8 * second), 0);
  EXPECT_EQ(absence.until(20 * second), 12 * second);
  EXPECT_EQ(absence.until(20 * second + 5), 0);
  EXPECT_EQ(absence.until(21 * second), 0);
}

}  // namespace
}  // namespace takt::pipeline
