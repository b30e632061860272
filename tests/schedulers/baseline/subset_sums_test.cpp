/// Are the sums those of all subsets?

#include "schedulers/baseline/subset_sums.hpp"

#include <algorithm>
#include <set>
#include <vector>

#include <gtest/gtest.h>

#include "core/random.hpp"

namespace takt::schedulers {
namespace {

/// Sums of sums, one work after the other.
Time largest_of_all(std::span<const Time> works, Time within) {
  std::set<Time> sums{Time{0}};
  for (Time work : works) {
    const std::set<Time> before = sums;
    for (Time sum : before) sums.insert(sum + work);
  }
  return *std::prev(sums.upper_bound(within));
}

TEST(SubsetSums, are_those_of_every_subset) {
  Random draw(1);
  for (int round = 0; round < 200; ++round) {
    SCOPED_TRACE(round);
    const std::int64_t unit = draw.between(1, 9), most = draw.between(1, 70);
    std::vector<Time> works(static_cast<std::size_t>(draw.between(1, 9)));
    for (Time& work : works) work = Time(unit * draw.between(0, most));
    SubsetSums sums(works);
    // Twice, to test clear().
    for (const std::size_t count : {works.size(), works.size() / 2}) {
      const auto some = std::span(works).first(count);
      sums.clear();
      for (Time work : some) sums.add(work);
      for (int i = 0; i < 20; ++i) {
        const Time within(draw.between(0, unit * most * 5));
        EXPECT_EQ(sums.largest_within(within), largest_of_all(some, within));
      }
    }
  }
}

TEST(SubsetSums, of_many_large_works_are_multiples_of_their_common_divisor) {
  const std::vector<Time> works{Time(700'000'021), Time(700'000'028)};
  SubsetSums sums(works);
  EXPECT_EQ(sums.largest_within(Time(1000)), Time(0));
  for (Time work : works) sums.add(work);
  EXPECT_EQ(sums.largest_within(Time(1000)), Time(994));
  EXPECT_EQ(sums.largest_within(Time::max()), Time(1'400'000'049));
}

}  // namespace
}  // namespace takt::schedulers
