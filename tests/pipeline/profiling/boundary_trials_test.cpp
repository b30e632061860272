/// Is it seen what a kernel loses where its frames come from another core, or go there?

#include "pipeline/profiling/boundary_trials.hpp"

#include <chrono>
#include <memory>
#include <set>
#include <thread>

#include <gmock/gmock.h>

#include "core/allowed_processors.hpp"
#include "tests/pipeline/config/load.hpp"

namespace takt::pipeline::test {
namespace {

using ::testing::ElementsAre;

constexpr std::chrono::milliseconds far_longer{20};

/// Takes far longer as soon as its inputs have lain in two places: those of messages do, in turn.
class MissesItsPlace final : public Kernel {
 public:
  FrameType configure(std::span<const FrameType> inputs) override { return inputs.front(); }
  Outcome process(std::span<const FrameView> inputs, const FrameBuffer&) override {
    places_.insert(inputs.front().bytes.data());
    std::this_thread::sleep_for(places_.size() > 1 ? far_longer : std::chrono::milliseconds(1));
    return Outcome::produced;
  }

 private:
  std::set<const std::byte*> places_;
};

Pipeline chain_of_passes(const std::string& elements) {
  Pipeline pipeline = load("sources: {s: {type: synthetic, element: float32, axes: [sample=" + elements +
                           "]}}\ntasks:\n  a: {kernel: pass, input: s}\n  b: {kernel: pass, input: a}\n"
                           "sinks: {o: {type: 'null', input: b}}\ndeployment: {ranks: 2}\n");
  pipeline.kernels.add({.name = "misses its place",
                        .summary = "",
                        .stateless = true,
                        .make = [](const Parameters&) -> std::unique_ptr<Kernel> {
                          return std::make_unique<MissesItsPlace>();
                        }});
  pipeline.stages[2].type = "misses its place";
  return pipeline;
}

std::vector<StageCost> costs_with_boundaries(const Pipeline& pipeline) {
  const Tiling whole(pipeline.stages.size());
  LoopMemory memory(pipeline, whole);
  std::vector<StageCost> costs(pipeline.stages.size());
  measure_boundaries(pipeline, whole, memory, SampleFrames(pipeline, Time{0}), std::chrono::milliseconds(5),
                     costs);
  return costs;
}

TEST(BoundaryTrials, see_what_a_kernel_loses_to_messages) {
  if (allowed_processors().size() < 2) GTEST_SKIP() << "messages between cores need two of them";
  const std::vector<StageCost> costs = costs_with_boundaries(chain_of_passes("65536"));
  ASSERT_TRUE(costs[1].reading && costs[1].writing && costs[2].reading && costs[2].writing);
  EXPECT_FALSE(costs[0].reading || costs[0].writing || costs[3].reading || costs[3].writing);
  EXPECT_GT(*costs[2].reading, far_longer / 2);
  // Its output could be copied.
  EXPECT_LT(*costs[2].writing, far_longer / 2);
  EXPECT_GE(*costs[1].reading, Time{0});
  EXPECT_LT(*costs[1].reading, far_longer / 2);
}

TEST(BoundaryTrials, leave_small_frames_to_the_links) {
  for (const StageCost& cost : costs_with_boundaries(chain_of_passes("1024")))
    EXPECT_FALSE(cost.reading || cost.writing);
}

/// Stages 1 to 4, of which 2 and 4 take the output of 1, and 3 that of 2.
TileGroup tree(const Pipeline& pipeline) {
  TileGroup group{.root = 0};
  const auto add = [&](std::size_t stage, std::optional<std::size_t> parent) {
    group.members.push_back({.stage = stage, .parent = parent, .input = {0, 4}, .output = {0, 4}});
  };
  add(1, std::nullopt);
  add(2, 0);
  add(3, 1);
  add(4, 0);
  EXPECT_EQ(pipeline.stages[3].inputs, std::vector<std::size_t>{2});
  return group;
}

std::vector<std::size_t> stages_of(const TileGroup& group) {
  std::vector<std::size_t> stages;
  for (const TileGroup::Member& member : group.members) stages.push_back(member.stage);
  return stages;
}

TEST(BoundaryTrials, cut_groups_at_either_end_of_a_message) {
  const Pipeline pipeline = load(
      "sources: {s: {type: synthetic, element: float32, axes: [sample=1024]}}\n"
      "tasks:\n  a: {kernel: pass, input: s}\n  b: {kernel: pass, input: a}\n"
      "  c: {kernel: pass, input: b}\n  d: {kernel: pass, input: a}\n"
      "sinks: {o: {type: 'null', input: c}, p: {type: 'null', input: d}}\n");
  const TileGroup group = tree(pipeline);

  const TileGroup branch = branch_from(pipeline, group, 2);
  EXPECT_THAT(stages_of(branch), ElementsAre(2, 3));
  EXPECT_EQ(branch.root, 1U);
  EXPECT_EQ(branch.members[0].parent, std::nullopt);
  EXPECT_EQ(branch.members[1].parent, 0U);

  const TileGroup trunk = trunk_to(group, 2);
  EXPECT_THAT(stages_of(trunk), ElementsAre(1, 2, 4));
  EXPECT_EQ(trunk.root, 0U);
  EXPECT_EQ(trunk.members[2].parent, 0U);
  EXPECT_TRUE(trunk.members[1].is_kept);
  EXPECT_FALSE(trunk.members[0].is_kept);
}

}  // namespace
}  // namespace takt::pipeline::test
