/// Tests outputs that share memory: never two at a time, with the least memory.

#include "pipeline/shared_places.hpp"

#include <algorithm>
#include <random>

#include <gtest/gtest.h>

namespace takt::pipeline {
namespace {

bool overlap(const Lifetime& a, const Lifetime& b) {
  return a.from <= b.to && b.from <= a.to;
}

TEST(SharedPlaces, of_a_chain_are_two_alternate_ones) {
  // Each task reads its predecessor's output while it writes its own.
  EXPECT_EQ(share_places({{0, 1}, {1, 2}, {2, 3}, {3, 4}}), (std::vector<std::size_t>{0, 1, 0, 1}));
}

TEST(SharedPlaces, use_the_most_recently_used_memory) {
  // At step 6 both places are free; place 1 since step 5, place 0 since step 2.
  EXPECT_EQ(share_places({{0, 2}, {1, 5}, {6, 7}}), (std::vector<std::size_t>{0, 1, 1}));
}

TEST(SharedPlaces, never_hold_two_outputs_together_and_are_as_few_as_possible) {
  std::mt19937 random(1);
  for (int trial = 0; trial < 200; ++trial) {
    std::vector<Lifetime> lifetimes;
    for (std::size_t from = 0; from < 30; ++from)
      if (random() % 2 == 0) lifetimes.push_back({from, from + random() % 8});
    const std::vector<std::size_t> places = share_places(lifetimes);
    ASSERT_EQ(places.size(), lifetimes.size());
    for (std::size_t a = 0; a < places.size(); ++a)
      for (std::size_t b = 0; b < a; ++b)
        EXPECT_FALSE(places[a] == places[b] && overlap(lifetimes[a], lifetimes[b])) << trial;
    // The number of outputs alive at one step is the number of places (an interval graph is perfect).
    std::size_t most = 0;
    for (std::size_t step = 0; step < 40; ++step)
      most = std::max<std::size_t>(most, std::ranges::count_if(lifetimes, [&](const Lifetime& each) {
                                     return each.from <= step && step <= each.to;
                                   }));
    const std::size_t used = places.empty() ? 0 : *std::ranges::max_element(places) + 1;
    EXPECT_EQ(used, most) << trial;
  }
}

TEST(SharedPlaces, of_steps_in_a_circle_never_hold_two_outputs_together) {
  std::mt19937 random(2);
  constexpr std::size_t circle = 20;
  for (int trial = 0; trial < 200; ++trial) {
    std::vector<Lifetime> lifetimes;
    for (std::size_t from = 0; from < circle; ++from)
      if (random() % 2 == 0) lifetimes.push_back({from, from + random() % circle});
    const std::vector<std::size_t> places = share_places(lifetimes, circle);
    ASSERT_EQ(places.size(), lifetimes.size());
    std::size_t most = 0;
    for (std::size_t step = 0; step < circle; ++step) {
      std::vector<std::size_t> in_use;
      for (std::size_t i = 0; i < lifetimes.size(); ++i)
        for (const std::size_t at : {step, step + circle})
          if (lifetimes[i].from <= at && at <= lifetimes[i].to) in_use.push_back(places[i]);
      most = std::max(most, in_use.size());
      std::ranges::sort(in_use);
      EXPECT_EQ(std::ranges::adjacent_find(in_use), in_use.end()) << trial << ", step " << step;
    }
    EXPECT_LE(places.empty() ? 0 : *std::ranges::max_element(places) + 1, 2 * most) << trial;
  }
}

}  // namespace
}  // namespace takt::pipeline
