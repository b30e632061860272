#include "pipeline/engine/passage.hpp"

#include <gtest/gtest.h>

#include "core/random.hpp"

namespace takt::pipeline {
namespace {

constexpr std::size_t bytes = 64 * 1000;

/// Outputs that take so long in each way.
struct Costs {
  std::int64_t in_place, copied, past_caches = 1'000'000;

  [[nodiscard]] std::int64_t of(Way way) const {
    return way == Way::in_place ? in_place : way == Way::copied ? copied : past_caches;
  }
};

/// The time that so many outputs take, chosen by a passage, with noise of up to 2 %.
std::int64_t run(Passage& passage, const Costs& costs, std::size_t outputs, Random& random) {
  std::int64_t total = 0;
  for (std::size_t i = 0; i < outputs; ++i) {
    const std::int64_t cost = costs.of(passage.way());
    const std::int64_t time = cost + cost * static_cast<std::int64_t>(random.below(21)) / 1000;
    passage.took(time);
    total += time;
  }
  return total;
}

TEST(Passage, BeginsInPlace) {
  EXPECT_EQ(Passage(true, bytes).way(), Way::in_place);
  EXPECT_EQ(Passage(false, bytes).way(), Way::in_place);
}

TEST(Passage, TakesTheCheaperWay) {
  Random random(1);
  for (const Costs& costs : {Costs{9000, 2600}, Costs{600, 1400}, Costs{10'000, 9000}}) {
    Passage passage(true, bytes);
    run(passage, costs, 100, random);
    EXPECT_EQ(passage.way(), costs.copied < costs.in_place ? Way::copied : Way::in_place);
  }
}

TEST(Passage, GoesPastTheCachesWhereThatSavesMoreThanTheReaderLoses) {
  Random random(5);
  const std::int64_t loss = lost_by_reader_ns(Way::past_caches, bytes);
  for (const bool is_whole : {true, false}) {
    Passage gains(is_whole, bytes), loses(is_whole, bytes);
    run(gains, {.in_place = 2500 + 2 * loss, .copied = 2500 + 2 * loss, .past_caches = 2500}, 100, random);
    EXPECT_EQ(gains.way(), Way::past_caches);
    run(loses, {.in_place = 2500 + loss / 2, .copied = 2500 + loss, .past_caches = 2500}, 100, random);
    EXPECT_EQ(loses.way(), Way::in_place);
  }
}

TEST(Passage, CopiesNoTilesAsAWhole) {
  Random random(6);
  Passage passage(false, bytes);
  for (int i = 0; i < 100; ++i) {
    EXPECT_NE(passage.way(), Way::copied);
    run(passage, {9000, 1}, 1, random);
  }
}

TEST(Passage, StaysInPlaceWhereACopyGainsNothing) {
  Random random(2);
  Passage passage(true, bytes);
  run(passage, {1000, 1000}, 100, random);
  EXPECT_EQ(passage.way(), Way::in_place);
}

TEST(Passage, CostsHardlyMoreThanTheBetterWay) {
  Random random(3);
  for (const Costs& costs : {Costs{9000, 2600, 9000}, Costs{2600, 9000, 9000}}) {
    Passage passage(true, bytes);
    constexpr std::size_t outputs = 200'000;
    const auto best = static_cast<double>(outputs) * 2600 * 1.01;
    EXPECT_LT(static_cast<double>(run(passage, costs, outputs, random)), 1.02 * best);
  }
}

TEST(Passage, NoticesThatTheCoresHaveMoved) {
  Random random(4);
  Passage passage(true, bytes);
  run(passage, {9000, 2600}, 100'000, random);
  ASSERT_EQ(passage.way(), Way::copied);
  run(passage, {600, 1400}, 40'000, random);
  EXPECT_EQ(passage.way(), Way::in_place);
}

TEST(Passage, OneDisturbedOutputChangesNothing) {
  Passage passage(false, bytes);
  for (int i = 0; i < 18; ++i)
    passage.took(i == 4 ? 1'000'000'000 : passage.way() == Way::in_place ? 1000 : 2000);
  EXPECT_EQ(passage.way(), Way::in_place);
}

TEST(Passages, KeepWhatWasTried) {
  Random random(7);
  Passages passages;
  run(passages.of("power", true, bytes), {9000, 2600}, 100, random);
  EXPECT_EQ(passages.of("power", true, bytes).way(), Way::copied);
  EXPECT_EQ(passages.of("power", false, bytes).way(), Way::in_place);
  EXPECT_EQ(passages.of("spectra", true, bytes).way(), Way::in_place);
}

}  // namespace
}  // namespace takt::pipeline
