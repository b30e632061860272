/// Which groups of kernels stay cut once it was seen how long they take?

#include "pipeline/planning/tile_trials.hpp"

#include <chrono>
#include <memory>
#include <thread>

#include <gmock/gmock.h>

#include "pipeline/planning/pipeline_plan.hpp"
#include "tests/pipeline/config/load.hpp"

namespace takt::pipeline::test {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

constexpr std::size_t whole_elements = 4 * 65536;

/// Takes so long for a frame of so many elements.
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
  return std::chrono::microseconds(500);
}
std::chrono::microseconds far_longer_for_the_whole(std::size_t elements) {
  return std::chrono::microseconds(elements == whole_elements ? 20'000 : 100);
}

/// Two kernels in a row whose frames do not fit the caches.
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

Tiling tiling_of(const Pipeline& pipeline) {
  return tile(pipeline, {Bytes{1 << 18}, Bytes{1 << 20}});
}

std::size_t cut_after_trials(const Pipeline& pipeline) {
  Tiling tiling = tiling_of(pipeline);
  leave_out_slower_tiles(pipeline, tiling, SampleFrames(pipeline, Time{0}), std::chrono::milliseconds(5));
  return static_cast<std::size_t>(
      std::ranges::count_if(tiling, [](const auto& stage) { return stage.has_value(); }));
}

TEST(TileTrials, leave_no_group_cut_that_takes_longer_so) {
  const Tiling possible = tiling_of(pipeline_of<as_long_for_a_part>());
  ASSERT_TRUE(possible[1] && possible[2]);
  EXPECT_GE(possible[1]->input.tiles, 4U);
  EXPECT_EQ(cut_after_trials(pipeline_of<as_long_for_a_part>()), 0U);
  EXPECT_EQ(cut_after_trials(pipeline_of<far_longer_for_the_whole>()), 2U);
}

TEST(TileTrials, leave_what_the_user_wants) {
  EXPECT_EQ(cut_after_trials(pipeline_of<as_long_for_a_part>("{tiles: 4}")), 2U);
}

/// What was measured on whole frames is planned, and done, so.
TEST(TileTrials, are_known_to_the_plan_and_its_file) {
  Pipeline pipeline = pipeline_of<as_long_for_a_part>("{tiles: 4}");
  std::vector<StageCost> costs;
  for (const Stage& stage : pipeline.stages)
    costs.push_back({.stage = stage.name, .cost = std::chrono::microseconds(100)});
  const auto plan_with = [&] {
    return plan_pipeline(pipeline, costs, {logp::parse_machine("logp:P=1,L=1,o=1,g=1"), 1, {}});
  };
  const PipelinePlan in_parts = plan_with();
  EXPECT_THAT(in_parts.schedule().whole_frames, IsEmpty());
  EXPECT_EQ(in_parts.summary.stages[1].tiles, 4U);

  costs[1].is_whole = costs[2].is_whole = true;
  const PipelinePlan whole = plan_with();
  EXPECT_THAT(whole.schedule().whole_frames, ElementsAre(TaskId(1), TaskId(2)));
  EXPECT_EQ(whole.summary.stages[1].tiles, 1U);
  const PipelinePlan read = plan_from_yaml(to_yaml(whole), "plan.yaml", pipeline, 1);
  EXPECT_EQ(read.schedule(), whole.schedule());
  EXPECT_EQ(read.summary.stages[1].tiles, 1U);
}

}  // namespace
}  // namespace takt::pipeline::test
