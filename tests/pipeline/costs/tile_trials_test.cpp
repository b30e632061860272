/// Tests which groups of kernels stay cut after their times were measured.

#include "pipeline/costs/tile_trials.hpp"

#include <chrono>
#include <memory>
#include <thread>

#include <gmock/gmock.h>

#include "pipeline/planning/candidates.hpp"
#include "tests/pipeline/config/load.hpp"

namespace takt::pipeline::test {
namespace {

using ::testing::Contains;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

constexpr std::size_t whole_elements = 4 * 65536;

/// Waits for the time of a frame with this number of elements.
template <std::chrono::microseconds (*duration)(std::size_t elements)>
class Waits final : public Kernel {
 public:
  FrameType configure(std::span<const FrameType> inputs) override { return inputs.front(); }
  std::optional<std::size_t> separates(std::size_t axis) const override { return axis; }
  Outcome process(std::span<const FrameView> inputs, const FrameBuffer&) override {
    std::this_thread::sleep_for(duration(inputs.front().as<float>().size()));
    return Outcome::produced;
  }
};

std::chrono::microseconds as_long_for_a_part(std::size_t) {
  return std::chrono::milliseconds(3);
}
std::chrono::microseconds slower_on_whole_frames(std::size_t elements) {
  return std::chrono::microseconds(elements == whole_elements ? 20'000 : 100);
}

/// Returns two successive kernels whose frames do not fit the caches.
template <std::chrono::microseconds (*duration)(std::size_t elements)>
Pipeline pipeline_of(const std::string& deployment = "{}") {
  Pipeline pipeline = load(
      "sources: {s: {type: synthetic, element: float32, axes: [beam=4, time=65536]}}\n"
      "tasks:\n  a: {kernel: clip, input: s, high: 1}\n  b: {kernel: clip, input: a, high: 1}\n"
      "sinks: {o: {type: 'null', input: b}}\ndeployment: " +
      deployment + "\n");
  pipeline.kernels.add({.name = "waits",
                        .summary = "",
                        .stateless = true,
                        .make = [](const Parameters&) -> std::unique_ptr<Kernel> {
                          return std::make_unique<Waits<duration>>();
                        }});
  for (const std::size_t stage : {1U, 2U}) pipeline.stages[stage].type = "waits";
  return pipeline;
}

constexpr Bytes small_cache{1 << 18};

TriedTiles after_trials(const Pipeline& pipeline) {
  return tiles_that_pay(pipeline, small_cache, SampleFrames(pipeline, Time{0}),
                        std::chrono::milliseconds(50));
}

std::size_t cut_after_trials(const Pipeline& pipeline) {
  return static_cast<std::size_t>(std::ranges::count_if(after_trials(pipeline).tiling,
                                                        [](const auto& stage) { return stage.has_value(); }));
}

TEST(TileTrials, cut_no_group_that_is_slower_in_tiles) {
  const Tiling possible = tile(pipeline_of<as_long_for_a_part>(), small_cache);
  ASSERT_TRUE(possible[1] && possible[2]);
  EXPECT_GE(possible[1]->input.tiles, 4U);
  EXPECT_EQ(cut_after_trials(pipeline_of<as_long_for_a_part>()), 0U);
  EXPECT_EQ(cut_after_trials(pipeline_of<slower_on_whole_frames>()), 2U);
}

/// The run would cut them, since it only knows the groups that must stay whole.
TEST(TileTrials, continue_with_the_groups_that_remain_when_others_are_whole) {
  Pipeline pipeline = load(
      "sources: {s: {type: synthetic, element: float32, axes: [beam=4, time=65536]}}\n"
      "tasks:\n  a: {kernel: clip, input: s, high: 1}\n  b: {kernel: clip, input: a, high: 1}\n"
      "  c: {kernel: clip, input: b, high: 1}\n  d: {kernel: clip, input: c, high: 1}\n"
      "sinks: {o: {type: 'null', input: d}}\n");
  const Pipeline with_kernel = pipeline_of<as_long_for_a_part>();
  pipeline.kernels = with_kernel.kernels;
  for (const std::size_t stage : {1U, 2U, 3U, 4U}) pipeline.stages[stage].type = "waits";
  // The first two can be cut along the beams, the others along time only.
  for (const std::size_t stage : {1U, 2U}) pipeline.stages[stage].separable = {0, std::nullopt};
  for (const std::size_t stage : {3U, 4U}) pipeline.stages[stage].separable = {std::nullopt, 1};
  pipeline.stages[2].separable = {0, 1};
  const TriedTiles tried = after_trials(pipeline);
  EXPECT_THAT(tried.whole, ElementsAre(TaskId(1), TaskId(2), TaskId(3), TaskId(4)));
  Pipeline told = pipeline;
  told.keep_whole(tried.whole);
  for (const auto& stage : tile(told, small_cache)) EXPECT_FALSE(stage.has_value());
}

TEST(TileTrials, obey_the_user) {
  EXPECT_EQ(cut_after_trials(pipeline_of<as_long_for_a_part>("{tiles: 4}")), 2U);
}

/// A task that was measured on whole frames is planned and run on them.
TEST(TileTrials, are_known_to_the_plan_and_its_file) {
  Pipeline pipeline = pipeline_of<as_long_for_a_part>("{tiles: 4}");
  std::vector<StageCost> costs;
  for (const Stage& stage : pipeline.stages)
    costs.push_back({.stage = stage.name, .cost = std::chrono::microseconds(100)});
  const auto plan_with = [&] {
    return plan_pipeline(pipeline, costs, {logp::parse_machine("logp:P=1,L=1,o=1,g=1"), 1});
  };
  const PipelinePlan in_parts = plan_with();
  EXPECT_THAT(in_parts.schedule().whole_frames, IsEmpty());
  EXPECT_EQ(in_parts.summary.stages[1].tiles, 4U);

  costs[1].is_whole = costs[2].is_whole = true;
  const PipelinePlan whole = plan_with();
  EXPECT_THAT(whole.schedule().whole_frames, ElementsAre(TaskId(1), TaskId(2)));
  EXPECT_EQ(whole.summary.stages[1].tiles, 1U);
  EXPECT_THAT(whole.summary.notes, Contains(HasSubstr("'tiles: 4' does not match a, b")));
  const PipelinePlan read = plan_from_yaml(to_yaml(whole), "plan.yaml", pipeline, 1);
  EXPECT_EQ(read.schedule(), whole.schedule());
  EXPECT_EQ(read.summary.stages[1].tiles, 1U);
}

}  // namespace
}  // namespace takt::pipeline::test
