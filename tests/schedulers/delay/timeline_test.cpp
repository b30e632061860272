/// Does a timeline find exactly the idle time of a processor?

#include "schedulers/delay/timeline.hpp"

#include <algorithm>
#include <vector>

#include <gtest/gtest.h>

#include "core/random.hpp"

namespace takt::schedulers {
namespace {

/// A linear search over all reservations: two overlap if each starts before the other ends.
class Reservations {
 public:
  [[nodiscard]] Time earliest(Time from, Time length) const {
    // The earliest start is at the end of a reservation, or immediately.
    std::vector<Time> starts{from};
    for (const Interval& taken : taken_) starts.push_back(std::max(from, taken.end));
    std::sort(starts.begin(), starts.end());
    return *std::ranges::find_if(starts, [&](Time start) {
      return std::ranges::none_of(
          taken_, [&](const Interval& taken) { return taken.start < start + length && start < taken.end; });
    });
  }
  void reserve(Time start, Time length) { taken_.push_back({start, start + length}); }

 private:
  struct Interval {
    Time start;
    Time end;
  };
  std::vector<Interval> taken_;
};

TEST(Timeline, finds_the_first_interval_that_is_idle) {
  Random draw(1);
  for (int round = 0; round < 300; ++round) {
    Timeline timeline;
    Reservations reservations;
    const std::int64_t latest = draw.between(0, 400), longest = draw.between(0, 12);
    for (int i = 0; i < 150; ++i) {
      const Time from(draw.between(0, latest)), length(draw.between(0, longest));
      const Time start = timeline.earliest(from, length);
      ASSERT_EQ(start, reservations.earliest(from, length)) << "round " << round << ", reservation " << i;
      if (draw.below(4) == 0) continue;
      timeline.reserve(start, length);
      reservations.reserve(start, length);
    }
  }
}

TEST(Timeline, puts_an_operation_without_length_between_adjacent_reservations) {
  Timeline timeline;
  timeline.reserve(Time{0}, Time{5});
  timeline.reserve(Time{5}, Time{5});
  EXPECT_EQ(timeline.earliest(Time{0}, Time{0}), Time{0});
  EXPECT_EQ(timeline.earliest(Time{1}, Time{0}), Time{5});
  EXPECT_EQ(timeline.earliest(Time{6}, Time{0}), Time{10});
}

TEST(Timeline, never_covers_an_operation_without_length) {
  Timeline timeline;
  timeline.reserve(Time{3}, Time{0});
  EXPECT_EQ(timeline.earliest(Time{0}, Time{3}), Time{0});
  EXPECT_EQ(timeline.earliest(Time{0}, Time{4}), Time{3});
  EXPECT_EQ(timeline.earliest(Time{3}, Time{0}), Time{3});
}

}  // namespace
}  // namespace takt::schedulers
