/// Tests which steps the iterations of a pipelined program have.

#include "pipeline/runtime/stretches.hpp"

#include <algorithm>
#include <array>

#include <gtest/gtest.h>

#include "tests/pipeline/config/load.hpp"

namespace takt::pipeline::test {
namespace {

class Laps {
 public:
  /// Steps with three offsets up to `depth`, and stretches of so many iterations.
  Laps(std::uint32_t depth, std::uint64_t length)
      : program_{.instances = 2,
                 .steps = {{OperationKind::compute, 0, 0, 0},
                           {OperationKind::compute, 0, 1, depth},
                           {OperationKind::compute, 1, 0, depth / 2}}},
        stretches_(program_, length) {
    state_.frames = {.first = 0, .offsets = {0, 1}, .instances = 2};
  }

  /// Runs an iteration. Returns whether the rank holds no frame then.
  bool run() {
    bool has_all = true;
    for (std::size_t i = 0; i < done.size(); ++i) {
      const Step& step = program_.steps[i];
      if (!stretches_.has(state_.round, step.offset)) {
        has_all = false;
        continue;
      }
      // Each step does the frames one after the other.
      EXPECT_EQ(state_.frames.of(step), 2 * done[i] + step.instance);
      ++done[i];
    }
    EXPECT_EQ(stretches_.has_all(state_.round), has_all);
    state_.frames.first += 2;
    return stretches_.end_round(state_);
  }

  /// By step: its iterations so far.
  std::array<std::uint64_t, 3> done{};

 private:
  Pipeline pipeline_ =
      load("sources: {s: {type: synthetic, axes: [time=4]}}\nsinks: {o: {type: 'null', input: s}}\n");
  RankProgram program_;
  RankTally tally_{2};
  RankState state_{pipeline_, program_, program_, tally_};
  Stretches stretches_;
};

TEST(Stretches, have_each_step_once_for_each_iteration_and_leave_no_frame_between_them) {
  for (std::uint32_t depth = 0; depth < 5; ++depth)
    for (std::uint64_t length = 1; length < 6; ++length) {
      Laps laps(depth, length);
      std::size_t ends = 0;
      for (int lap = 0; lap < 60; ++lap) {
        if (!laps.run()) continue;
        ++ends;
        EXPECT_EQ(std::ranges::count(laps.done, laps.done[0]), 3) << depth << ", " << length;
        EXPECT_EQ(laps.done[0], depth > 0 ? ends * length : ends) << depth;
      }
      EXPECT_EQ(ends, depth == 0 ? 60 : 60 / (length + depth)) << depth << ", " << length;
    }
}

TEST(Stretches, fill_the_pipeline_once_without_checkpoints) {
  Laps laps(3, 0);
  for (int lap = 0; lap < 100; ++lap) EXPECT_FALSE(laps.run());
  EXPECT_EQ(laps.done, (std::array<std::uint64_t, 3>{100, 97, 99}));
}

}  // namespace
}  // namespace takt::pipeline::test
