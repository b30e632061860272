/// Tests the separation of other programs' load from the processors' total.

#include "core/system/foreign_work.hpp"

#include <gtest/gtest.h>

namespace takt {
namespace {

/// user 1, nice 2, system 4, idle, waiting for disks, interrupts 8 and 16, stolen 32; guests are in user.
TEST(ForeignWork, is_busy_and_stolen_time) {
  EXPECT_EQ(worked_ticks("cpu  1 2 4 1000 2000 8 16 32 64 128"), 63);
  EXPECT_FALSE(worked_ticks("cpu0 1 2 4 1000 2000 8 16 32 64 128")) << "one processor";
  EXPECT_FALSE(worked_ticks("cpu 1 2 4 1000"));
  EXPECT_FALSE(worked_ticks(""));
}

TEST(ForeignWork, is_never_negative) {
  const ForeignWork others;
  EXPECT_GE(others.processors().value_or(0), 0);
}

}  // namespace
}  // namespace takt
