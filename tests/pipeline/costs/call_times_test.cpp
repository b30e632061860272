/// Tests the cost of a stage as computed from the times of its calls.

#include "pipeline/costs/call_times.hpp"

#include <gtest/gtest.h>

namespace takt::pipeline::test {
namespace {

/// Returns `count` calls of 100 ns, of which each `every`th takes `factor` times as long.
std::vector<Time> calls(std::size_t count, std::size_t every, int factor) {
  std::vector<Time> times(count, Time{100});
  for (std::size_t i = every - 1; i < count; i += every) times[i] *= factor;
  return times;
}

TEST(CallTimes, cost_their_mean) {
  // 9 of 100 ns and one of 1100: 200 per frame.
  EXPECT_EQ(cost_of(calls(200, 10, 11), true), Time{200});
  EXPECT_EQ(cost_of(calls(10, 10, 11), true), Time{200});
  // Cheap frames count as well: 180 of 100 and 20 of 50.
  std::vector<Time> cheap(200, Time{100});
  for (std::size_t i = 0; i < 20; ++i) cheap[10 * i] = Time{50};
  EXPECT_EQ(cost_of(cheap, true), Time{95});
  // Every fiftieth call includes an event of once per millisecond, a tick of the system.
  EXPECT_EQ(cost_of(calls(200, 50, 3), true), Time{104});
  EXPECT_EQ(cost_of({Time{7}}, true), Time{7});
}

TEST(CallTimes, without_the_disturbed_hundredth_are_the_cost) {
  // Two of 200: a million times as long or not.
  EXPECT_EQ(cost_of(calls(200, 100, 1'000'000), true), Time{100});
  // It removes nothing from frames that differ (20 of 1100, two of which are disturbed).
  std::vector<Time> times = calls(200, 10, 11);
  times[9] = times[99] = Time{100'000'000};
  EXPECT_EQ(cost_of(times, true), Time{200});
}

TEST(CallTimes, of_stages_with_state_all_count) {
  EXPECT_EQ(cost_of(calls(200, 100, 101), false), Time{200});
  EXPECT_EQ(cost_of({}, false), Time{0});
  EXPECT_EQ(cost_of({}, true), Time{0});
}

TEST(CallTimes, are_settled_when_median_and_mean_are_known) {
  EXPECT_FALSE(are_settled(calls(39, 50, 2)));
  EXPECT_TRUE(are_settled(calls(40, 50, 2)));
  // Two of 200 may be disturbed.
  EXPECT_TRUE(are_settled(calls(1000, 500, 30)));
  // The middle half agrees, but the mean is only known to some 24 %: a spread of 150 % over the root of 40.
  EXPECT_FALSE(are_settled(calls(40, 10, 11)));
  EXPECT_FALSE(are_settled(calls(5'000, 10, 11)));
  EXPECT_TRUE(are_settled(calls(6'000, 10, 11)));
  // Half of them take twice as long: the quartiles differ.
  EXPECT_FALSE(are_settled(calls(4'000, 2, 2)));
}

}  // namespace
}  // namespace takt::pipeline::test
