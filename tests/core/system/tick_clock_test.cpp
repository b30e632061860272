/// Compares the fast clock with now_ns().

#include "core/system/tick_clock.hpp"

#include <gtest/gtest.h>

namespace takt {
namespace {

TEST(TickClock, follows_the_clock_by_which_it_was_set) {
  constexpr std::int64_t tolerance_ns = 5'000;
  TickClock clock;
  const std::int64_t start = clock.set();
  while (now_ns() - start < 3'000'000) {
  }
  for (int round = 0; round < 1'000; ++round) {
    const std::int64_t set = clock.set();
    const std::int64_t before = now_ns();
    const std::int64_t told = clock.now();
    const std::int64_t after = now_ns();
    EXPECT_GE(told, set);
    // For any interruption in between: a tolerance of a thousandth.
    EXPECT_GE(told, before - tolerance_ns - (before - set) / 1'000) << "in round " << round;
    EXPECT_LE(told, after + tolerance_ns + (after - set) / 1'000) << "in round " << round;
  }
}

TEST(TickClock, is_now_ns_until_it_is_set_and_without_trusted_ticks) {
  TickClock unset(true), untrusted(false);
  (void)untrusted.set();
  for (const TickClock* clock : {&unset, &untrusted}) {
    const std::int64_t before = now_ns();
    const std::int64_t told = clock->now();
    EXPECT_GE(told, before);
    EXPECT_LE(told, now_ns());
  }
}

}  // namespace
}  // namespace takt
