#include "pipeline/runtime/output_placement.hpp"

#include <gtest/gtest.h>

#include "core/random.hpp"

namespace takt::pipeline {
namespace {

constexpr std::size_t bytes = 64 * 1000;

/// Times of an output with each placement.
struct Costs {
  std::int64_t in_place, copied, past_caches = 1'000'000;

  [[nodiscard]] std::int64_t of(PlacementKind kind) const {
    return kind == PlacementKind::in_place ? in_place : kind == PlacementKind::copied ? copied : past_caches;
  }
};

/// Returns the total time of outputs with the chosen placements and noise of up to 2 %.
std::int64_t run(OutputPlacement& output_placement, const Costs& costs, std::size_t outputs, Random& random) {
  std::int64_t total = 0;
  for (std::size_t i = 0; i < outputs; ++i) {
    const std::int64_t cost = costs.of(output_placement.kind());
    const std::int64_t time = cost + cost * static_cast<std::int64_t>(random.below(21)) / 1000;
    output_placement.took(time);
    total += time;
  }
  return total;
}

TEST(OutputPlacement, begins_in_place) {
  EXPECT_EQ(OutputPlacement(true, bytes).kind(), PlacementKind::in_place);
  EXPECT_EQ(OutputPlacement(false, bytes).kind(), PlacementKind::in_place);
}

TEST(OutputPlacement, chooses_the_cheaper_placement) {
  Random random(1);
  for (const Costs& costs : {Costs{9000, 2600}, Costs{600, 1400}, Costs{10'000, 9000}}) {
    OutputPlacement output_placement(true, bytes);
    run(output_placement, costs, 100, random);
    EXPECT_EQ(output_placement.kind(),
              costs.copied < costs.in_place ? PlacementKind::copied : PlacementKind::in_place);
  }
}

TEST(OutputPlacement, bypasses_the_caches_when_the_gain_exceeds_the_readers_loss) {
  Random random(5);
  const std::int64_t loss = lost_by_reader_ns(PlacementKind::past_caches, bytes);
  for (const bool is_whole : {true, false}) {
    OutputPlacement gains(is_whole, bytes), loses(is_whole, bytes);
    run(gains, {.in_place = 2500 + 2 * loss, .copied = 2500 + 2 * loss, .past_caches = 2500}, 100, random);
    EXPECT_EQ(gains.kind(), PlacementKind::past_caches);
    run(loses, {.in_place = 2500 + loss / 2, .copied = 2500 + loss, .past_caches = 2500}, 100, random);
    EXPECT_EQ(loses.kind(), PlacementKind::in_place);
  }
}

TEST(OutputPlacement, copies_no_tiles_as_a_whole) {
  Random random(6);
  OutputPlacement output_placement(false, bytes);
  for (int i = 0; i < 100; ++i) {
    EXPECT_NE(output_placement.kind(), PlacementKind::copied);
    run(output_placement, {9000, 1}, 1, random);
  }
}

TEST(OutputPlacement, stays_in_place_when_a_copy_has_no_gain) {
  Random random(2);
  OutputPlacement output_placement(true, bytes);
  run(output_placement, {1000, 1000}, 100, random);
  EXPECT_EQ(output_placement.kind(), PlacementKind::in_place);
}

TEST(OutputPlacement, costs_hardly_more_than_the_better_placement) {
  Random random(3);
  for (const Costs& costs : {Costs{9000, 2600, 9000}, Costs{2600, 9000, 9000}}) {
    OutputPlacement output_placement(true, bytes);
    constexpr std::size_t outputs = 200'000;
    const auto best = static_cast<double>(outputs) * 2600 * 1.01;
    EXPECT_LT(static_cast<double>(run(output_placement, costs, outputs, random)), 1.02 * best);
  }
}

TEST(OutputPlacement, notices_that_the_cores_have_changed) {
  Random random(4);
  OutputPlacement output_placement(true, bytes);
  run(output_placement, {9000, 2600}, 100'000, random);
  ASSERT_EQ(output_placement.kind(), PlacementKind::copied);
  run(output_placement, {600, 1400}, 40'000, random);
  EXPECT_EQ(output_placement.kind(), PlacementKind::in_place);
}

TEST(OutputPlacement, ignores_one_disturbed_output) {
  OutputPlacement output_placement(false, bytes);
  for (int i = 0; i < 18; ++i)
    output_placement.took(i == 4                                               ? 1'000'000'000
                          : output_placement.kind() == PlacementKind::in_place ? 1000
                                                                               : 2000);
  EXPECT_EQ(output_placement.kind(), PlacementKind::in_place);
}

TEST(OutputPlacements, keep_the_results_of_earlier_trials) {
  Random random(7);
  OutputPlacements output_placements;
  run(output_placements.of("power", true, bytes), {9000, 2600}, 100, random);
  EXPECT_EQ(output_placements.of("power", true, bytes).kind(), PlacementKind::copied);
  EXPECT_EQ(output_placements.of("power", false, bytes).kind(), PlacementKind::in_place);
  EXPECT_EQ(output_placements.of("spectra", true, bytes).kind(), PlacementKind::in_place);
}

}  // namespace
}  // namespace takt::pipeline
