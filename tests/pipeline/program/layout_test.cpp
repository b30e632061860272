/// Tests that outputs are placed where no copy is needed.

#include "pipeline/program/layout.hpp"

#include <fmt/format.h>
#include <gmock/gmock.h>

#include "pipeline/calls/canary.hpp"
#include "tests/pipeline/config/load.hpp"

namespace takt::pipeline::test {
namespace {

using ::testing::ElementsAre;
using ::testing::Eq;
using ::testing::IsEmpty;
using ::testing::Optional;

/// s -> a -> b, where a's output is sent to ranks 1 and 2, and s's frames are sent to rank 1 with it.
struct Case {
  Pipeline pipeline = load(R"(sources:
  s: {type: synthetic, axes: [time=100]}
tasks:
  a: {kernel: pass, input: s}
  b: {kernel: pass, input: a}
  c: {kernel: pass, input: s}
sinks:
  o: {type: 'null', input: b}
  p: {type: 'null', input: c}
)");
  RankProgram program;

  std::size_t stage(std::string_view name) const {
    return static_cast<std::size_t>(std::ranges::find(pipeline.stages, name, &Stage::name) -
                                    pipeline.stages.begin());
  }
  Case() {
    const std::size_t bytes = pipeline.stages[stage("s")].output.size().count;
    ChannelPlan both{.peer = 1}, one{.peer = 2};
    both.add(stage("a"), bytes);
    both.add(stage("s"), bytes);
    one.add(stage("a"), bytes);
    program.sends = {both, one};
    program.steps = {{OperationKind::compute, 0, stage("s")},
                     {OperationKind::compute, 0, stage("a")},
                     {OperationKind::send, 0, 0},
                     {OperationKind::send, 0, 1}};
  }
  Layout lay_out(bool first_is_shared, bool second_is_shared, bool lends_many) const {
    Neighbourhood neighbourhood{{first_is_shared, second_is_shared}, {}};
    neighbourhood.lends_many.resize(pipeline.stages.size());
    neighbourhood.lends_many[stage("s")] = lends_many;
    return pipeline::lay_out(pipeline, program, neighbourhood);
  }
};

TEST(Layout, lets_messages_in_shared_memory_refer_to_frames_elsewhere) {
  const Case c;
  const Layout layout = c.lay_out(true, true, true);
  EXPECT_THAT(layout.homes[c.stage("a")]->channel, Optional(Eq(0U)));
  // a's elements are in the message of the first channel; s's stay at the source, and a's are not repeated.
  EXPECT_THAT(layout.messages[0].elements, ElementsAre(Optional(Eq(3 * header_bytes)), Eq(std::nullopt)));
  EXPECT_THAT(layout.messages[1].elements, ElementsAre(Eq(std::nullopt)));
  EXPECT_EQ(layout.messages[1].bytes, 2 * header_bytes);
  EXPECT_THAT(layout.messages[0].referring, ElementsAre(1));
  EXPECT_THAT(layout.messages[1].referring, IsEmpty());
  EXPECT_THAT(layout.referring[c.stage("s")], ElementsAre(0));
}

TEST(Layout, copies_frames_of_a_source_that_lends_one_frame) {
  const Case c;
  const Layout layout = c.lay_out(true, true, false);
  EXPECT_TRUE(layout.messages[0].elements[1]);
  EXPECT_THAT(layout.referring[c.stage("s")], IsEmpty());
}

TEST(Layout, computes_how_many_frames_of_a_source_are_lent_at_a_time) {
  Case c;
  c.program.instances = 2;
  c.program.sends.clear();
  const auto most = [&](const std::vector<std::pair<std::string, std::uint32_t>>& steps) {
    c.program.steps.clear();
    for (const auto& [name, instance] : steps)
      c.program.steps.push_back({OperationKind::compute, instance, c.stage(name)});
    return most_lent(c.program, c.lay_out(true, true, true), c.stage("s"), c.pipeline.stages.size());
  };
  EXPECT_EQ(most({{"s", 0}, {"a", 0}, {"c", 0}, {"b", 0}, {"s", 1}, {"a", 1}, {"c", 1}, {"b", 1}}), 1U);
  // c still reads frame 0.
  EXPECT_EQ(most({{"s", 0}, {"a", 0}, {"b", 0}, {"s", 1}, {"c", 0}, {"a", 1}, {"c", 1}, {"b", 1}}), 2U);
  // Frames are released in order: the second one waits for the first.
  EXPECT_EQ(most({{"s", 1}, {"a", 1}, {"s", 0}, {"a", 0}, {"c", 0}, {"c", 1}}), 2U);
}

TEST(Layout, sends_everything_between_nodes) {
  const Case c;
  const Layout layout = c.lay_out(false, false, true);
  EXPECT_THAT(layout.homes[c.stage("a")]->channel, Optional(Eq(0U)));
  for (std::size_t i = 0; i < c.program.sends.size(); ++i) {
    EXPECT_EQ(layout.messages[i].bytes, c.program.sends[i].bytes);
    for (std::size_t part = 0; part < layout.messages[i].elements.size(); ++part)
      EXPECT_THAT(layout.messages[i].elements[part], Optional(Eq(c.program.sends[i].parts[part].elements)));
  }
}

TEST(Layout, places_an_output_for_both_kinds_of_neighbours_in_shared_memory) {
  const Case c;
  const Layout layout = c.lay_out(false, true, true);
  EXPECT_THAT(layout.homes[c.stage("a")]->channel, Optional(Eq(1U)));
  EXPECT_TRUE(layout.messages[0].elements[0]);
  EXPECT_TRUE(layout.messages[1].elements[0]);
  EXPECT_THAT(layout.messages[1].referring, IsEmpty());
}

TEST(Layout, may_copy_large_outputs_for_neighbours_on_the_same_node) {
  Case c;
  EXPECT_FALSE(c.lay_out(true, true, false).may_copy());  // 100 samples of 4 bytes
  c.pipeline.stages[c.stage("a")].output.axes.front().size = 1 << 20;
  const Layout shared = c.lay_out(true, true, false);
  EXPECT_TRUE(shared.homes[c.stage("a")]->may_be_copied);
  EXPECT_TRUE(shared.may_copy());
  EXPECT_FALSE(c.lay_out(false, false, false).may_copy());
}

TEST(Layout, lets_tiles_copied_by_whole_lines_bypass_the_caches) {
  Case c;
  auto& axes = c.pipeline.stages[c.stage("a")].output.axes;
  axes = {{"time", 4, {}}, {"channel", 4096, {}}};
  const auto in_tiles_along = [&](std::size_t axis) {
    const Cut cut{axis, 4};
    c.program.tiled = {{1, {c.stage("s"), {{c.stage("a"), std::nullopt, cut, cut, true}}}}};
    return c.lay_out(true, true, false);
  };
  const Layout layout = in_tiles_along(1);
  EXPECT_TRUE(layout.homes[c.stage("a")]->may_pass_caches);
  EXPECT_FALSE(layout.homes[c.stage("a")]->may_be_copied);
  EXPECT_FALSE(layout.may_copy());
  // In one piece the kernel writes into the message.
  EXPECT_FALSE(in_tiles_along(0).homes[c.stage("a")]->may_pass_caches);
  c.program.tiled.clear();
  EXPECT_FALSE(c.lay_out(true, true, false).homes[c.stage("a")]->may_pass_caches);
}

TEST(Layout, reserves_memory_for_outputs_that_may_be_copied) {
  Case c;
  const auto alone = [&] { return memory_of(c.pipeline, c.program).count; };
  c.pipeline.stages[c.stage("a")].output.axes.front().size = 1 << 20;
  const std::size_t frame = c.pipeline.stages[c.stage("a")].output.size().count;
  std::size_t rings = 0;
  const Layout layout = c.lay_out(true, true, false);
  for (std::size_t i = 0; i < c.program.sends.size(); ++i)
    rings += layout.messages[i].bytes * ring_depth(c.pipeline.deployment, c.program.sends[i].bytes, 1);
  EXPECT_EQ(alone(), rings + frame + canary_bytes);
}

TEST(Layout, sizes_rings_by_their_frames) {
  EXPECT_EQ(ring_depth({.depth = 5}, 64, 3), 5U);
  EXPECT_EQ(ring_depth({}, 64, 1), 64U);
  EXPECT_EQ(ring_depth({}, 1 << 30, 1), 4U);
  EXPECT_EQ(ring_depth({}, 1 << 30, 5), 2U);
}

/// After a decimation by ten, every tenth message contains a frame.
TEST(Layout, sizes_rings_by_how_often_their_messages_carry_frames) {
  const auto depth = [](const std::string& depth, std::size_t factor, std::size_t samples) {
    const Pipeline pipeline =
        load(fmt::format(R"(sources: {{s: {{type: synthetic, element: float32, axes: [time=1, sample={}]}}}}
tasks: {{i: {{kernel: integrate, input: s, factor: {}}}}}
sinks: {{o: {{type: 'null', input: i}}}}
deployment: {{ranks: 2, depth: {}}}
)",
                         samples, factor, depth));
    ChannelPlan channel;
    channel.add(1, pipeline.stages[1].output.size().count);
    return ring_depth(pipeline, channel, 1);
  };
  EXPECT_EQ(depth("0", 1, 4), 64U);
  EXPECT_EQ(depth("0", 10, 4), 640U);
  EXPECT_EQ(depth("0", 100'000, 4), 4096U);
  EXPECT_EQ(depth("5", 10, 4), 5U);
  // Messages of 1 MiB: a ring of 16 MiB has room for 15 with their headers.
  EXPECT_EQ(depth("0", 100'000, 1 << 18), 15U);
}

}  // namespace
}  // namespace takt::pipeline::test
