#include "pipeline/engine/passage.hpp"

#include <gtest/gtest.h>

#include "core/random.hpp"

namespace takt::pipeline {
namespace {

/// Outputs that take so long in each way.
struct Costs {
  std::int64_t in_place, copied;
};

/// The time that so many outputs take, chosen by a passage, with noise of up to 2 %.
std::int64_t run(Passage& passage, const Costs& costs, std::size_t outputs, Random& random) {
  std::int64_t total = 0;
  for (std::size_t i = 0; i < outputs; ++i) {
    const std::int64_t cost = passage.copies() ? costs.copied : costs.in_place;
    const std::int64_t time = cost + cost * static_cast<std::int64_t>(random.below(21)) / 1000;
    passage.took(time);
    total += time;
  }
  return total;
}

TEST(Passage, BeginsInPlace) {
  EXPECT_FALSE(Passage().copies());
}

TEST(Passage, TakesTheCheaperWay) {
  Random random(1);
  for (const Costs& costs : {Costs{9000, 2600}, Costs{600, 1400}, Costs{10'000, 9000}}) {
    Passage passage;
    run(passage, costs, 100, random);
    EXPECT_EQ(passage.copies(), costs.copied < costs.in_place);
  }
}

TEST(Passage, StaysInPlaceWhereACopyGainsNothing) {
  Random random(2);
  Passage passage;
  run(passage, {1000, 1000}, 100, random);
  EXPECT_FALSE(passage.copies());
}

TEST(Passage, CostsHardlyMoreThanTheBetterWay) {
  Random random(3);
  for (const Costs& costs : {Costs{9000, 2600}, Costs{2600, 9000}}) {
    Passage passage;
    constexpr std::size_t outputs = 200'000;
    const auto best = static_cast<double>(outputs) * 2600 * 1.01;
    EXPECT_LT(static_cast<double>(run(passage, costs, outputs, random)), 1.02 * best);
  }
}

TEST(Passage, NoticesThatTheCoresHaveMoved) {
  Random random(4);
  Passage passage;
  run(passage, {9000, 2600}, 100'000, random);
  ASSERT_TRUE(passage.copies());
  run(passage, {600, 1400}, 40'000, random);
  EXPECT_FALSE(passage.copies());
}

TEST(Passage, OneDisturbedOutputChangesNothing) {
  Passage passage;
  for (int i = 0; i < 18; ++i) passage.took(i == 4 ? 1'000'000 : passage.copies() ? 2000 : 1000);
  EXPECT_FALSE(passage.copies());
}

}  // namespace
}  // namespace takt::pipeline
