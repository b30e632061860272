#include "core/system/allowed_processors.hpp"

#include <gtest/gtest.h>
#include <sched.h>

namespace takt {
namespace {

TEST(AllowedProcessors, AreThoseThatTheThreadIsBoundTo) {
  cpu_set_t before, one;
  ASSERT_EQ(::sched_getaffinity(0, sizeof(before), &before), 0);
  const std::vector<std::size_t> all = allowed_processors();
  EXPECT_EQ(all.size(), static_cast<std::size_t>(CPU_COUNT(&before)));
  CPU_ZERO(&one);
  CPU_SET(all.back(), &one);
  ASSERT_EQ(::sched_setaffinity(0, sizeof(one), &one), 0);
  EXPECT_EQ(allowed_processors(), std::vector<std::size_t>{all.back()});
  ::sched_setaffinity(0, sizeof(before), &before);
}

}  // namespace
}  // namespace takt
