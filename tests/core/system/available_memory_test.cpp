/// Tests whether the memory available to this process is known.

#include "core/system/available_memory.hpp"

#include <fstream>

#include <gtest/gtest.h>

namespace takt {
namespace {

TEST(AvailableMemory, is_positive_and_below_the_total) {
  const std::optional<Bytes> available = available_memory();
  ASSERT_TRUE(available);
  EXPECT_GT(available->count, 1'000'000U);
  std::string name;
  std::uint64_t kibibytes_in_all = 0;
  std::ifstream("/proc/meminfo") >> name >> kibibytes_in_all;
  ASSERT_EQ(name, "MemTotal:");
  EXPECT_LE(available->count, 1024 * kibibytes_in_all);
}

}  // namespace
}  // namespace takt
