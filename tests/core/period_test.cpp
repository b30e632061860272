/// Exact fractions of time: comparison and decimals.

#include "core/period.hpp"

#include <limits>

#include <gtest/gtest.h>

namespace takt {
namespace {

TEST(Period, compares_by_value) {
  EXPECT_EQ((Period{Time{10}, 4}), (Period{Time{5}, 2}));
  EXPECT_LT((Period{Time{333}, 100}), (Period{Time{10}, 3}));
  EXPECT_GT((Period{Time{334}, 100}), (Period{Time{10}, 3}));
  // Products of such numbers need more than 64 bits.
  constexpr std::int64_t large = std::numeric_limits<std::int64_t>::max();
  EXPECT_LT((Period{Time{large - 1}, 4'000'000'000}), (Period{Time{large}, 4'000'000'000}));
}

TEST(Period, rounds_the_time_of_some_frames_up) {
  EXPECT_EQ((Period{Time{10}, 3}.time_of(3)), Time{10});
  EXPECT_EQ((Period{Time{10}, 3}.time_of(4)), Time{14});  // 13.33 rounded up
  EXPECT_EQ((Period{Time{10}, 3}.time_of(0)), Time{0});
}

TEST(Period, prints_every_digit_of_a_finite_decimal) {
  EXPECT_EQ(to_decimal({Time{85}, 2}), "42.5");
  EXPECT_EQ(to_decimal({Time{84}, 2}), "42");
  EXPECT_EQ(to_decimal({Time{1}, 1024}), "0.0009765625");
  // 2^53 + 1 is not representable as a double.
  EXPECT_EQ(to_decimal({Time{9007199254740993}, 10}), "900719925474099.3");
}

TEST(Period, prints_infinite_decimals_as_round_trip_numbers) {
  EXPECT_EQ(std::stod(to_decimal({Time{85}, 3})), 85.0 / 3);
}

}  // namespace
}  // namespace takt
