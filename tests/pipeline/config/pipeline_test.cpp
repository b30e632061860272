/// Tests the properties of a loaded pipeline.

#include <gmock/gmock.h>

#include "tests/pipeline/config/load.hpp"

namespace takt::pipeline::test {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

std::vector<std::string> names_of(const Pipeline& pipeline) {
  std::vector<std::string> names;
  for (const Stage& stage : pipeline.stages) names.push_back(stage.name);
  return names;
}

TEST(Pipeline, has_its_settings_or_their_defaults) {
  const Pipeline plain =
      load("sources: {s: {type: synthetic, axes: [time=4]}}\nsinks: {o: {type: null, input: s}}\n");
  EXPECT_EQ(plain.name, "p");
  EXPECT_FALSE(plain.goal.rate);
  EXPECT_EQ(plain.goal.scheduler, "");
  EXPECT_EQ(plain.goal.options.seed, 1U);
  EXPECT_FALSE(plain.goal.options.effort);
  EXPECT_EQ(plain.deployment.ranks, 1U);
  EXPECT_EQ(plain.deployment.depth, 0U);
  EXPECT_EQ(plain.deployment.machine, "");

  const Pipeline full = load(good_pipeline + R"(rate: 2.5 kHz
scheduler: {name: greedy, seed: 9}
deployment: {ranks: 4, depth: 2, machine: "logp:P=4,L=1,o=1,g=2"}
)");
  EXPECT_EQ(full.name, "good");
  EXPECT_EQ(full.required_rate(), Frequency{2500});
  EXPECT_EQ(full.goal.scheduler, "greedy");
  EXPECT_EQ(full.goal.options.seed, 9U);
  EXPECT_EQ(full.deployment.ranks, 4U);
  EXPECT_EQ(full.deployment.depth, 2U);
  EXPECT_EQ(full.deployment.machine, "logp:P=4,L=1,o=1,g=2");
}

TEST(Pipeline, orders_stages_by_their_inputs_at_any_position) {
  const Pipeline pipeline = load(R"(sinks:
  out: {type: 'null', input: d}
tasks:
  d: {kernel: pass, inputs: [b, c]}
  c: {kernel: pass, input: a}
  b: {kernel: pass, input: a}
  a: {kernel: pass, input: s}
sources:
  s: {type: synthetic, axes: [time=4]}
)");
  EXPECT_THAT(names_of(pipeline), ElementsAre("s", "a", "c", "b", "d", "out"));
  EXPECT_THAT(pipeline.stages[4].inputs, ElementsAre(3, 2));
  EXPECT_EQ(pipeline.stages[4].where.line, 4);
}

TEST(Pipeline, propagates_types_from_stage_to_stage) {
  const Pipeline pipeline = load(good_pipeline);
  ASSERT_THAT(names_of(pipeline), ElementsAre("sensor", "spectrum", "power", "out"));
  EXPECT_EQ(pipeline.stages[0].output.rate_hz, 50);
  EXPECT_EQ(pipeline.stages[1].output.to_string(), "complex_float32[time=8][channel=64][polarisation=2]");
  EXPECT_EQ(pipeline.stages[2].output.to_string(), "float32[time=8][channel=64]");
  EXPECT_EQ(pipeline.stages[3].output, pipeline.stages[2].output);
}

TEST(Pipeline, knows_which_kernels_keep_state) {
  const Pipeline pipeline = load(R"(sources:
  s: {type: synthetic, axes: [time=4, channel=2]}
tasks:
  pass: {kernel: pass, input: s}
  within: {kernel: integrate, input: pass, factor: 4}
  over: {kernel: integrate, input: pass, factor: 8}
sinks:
  a: {type: 'null', input: within}
  b: {type: raw, input: over, path: b.raw}
  c: {type: 'null', input: over, backlog: {policy: block}}
)");
  const TaskGraph graph = pipeline.task_graph(std::vector<Time>(pipeline.stages.size(), Time{1}));
  std::vector<std::string> stateless;
  for (TaskId task : graph.tasks())
    if (graph.task(task).stateless) stateless.push_back(graph.task(task).name);
  // Any rank may make synthetic frames, and any rank may discard frames when no backlog blocks.
  EXPECT_THAT(stateless, ElementsAre("s", "pass", "within", "a"));
}

TEST(Pipeline, lets_several_ranks_run_sources_whose_frames_have_no_time) {
  const auto is_shared = [](const std::string& source, const std::string& more = "") {
    return load("sources:\n  s: {type: synthetic, axes: [time=4], " + source +
                "}\nsinks:\n  o: {type: 'null', input: s}\n" + more)
        .stages.front()
        .stateless;
  };
  EXPECT_TRUE(is_shared("pattern: noise"));
  EXPECT_FALSE(is_shared("rate: 5 Hz"));
  EXPECT_FALSE(is_shared("backlog: {policy: block}"));
  EXPECT_TRUE(is_shared("pattern: ramp", "deployment: {ranks: 2}\n"));
  EXPECT_FALSE(is_shared("pattern: ramp", "deployment: {ranks: 2, transport: mpi}\n"));
  EXPECT_FALSE(is_shared("pattern: ramp", "deployment: {ranks: 2, hosts: [here, there]}\n"));
  EXPECT_FALSE(is_shared("pattern: ramp", "deployment: {ranks: 2, restart: {attempts: 1}}\n"));
}

TEST(Pipeline, becomes_a_task_graph_whose_consumers_share_their_producers_frame) {
  const Pipeline pipeline = load(R"(sources:
  s: {type: synthetic, axes: [time=100]}
tasks:
  a: {kernel: pass, input: s}
  b: {kernel: pass, input: s}
  c: {kernel: pass, inputs: [a, b]}
sinks:
  out: {type: 'null', input: c}
)");
  const TaskGraph graph = pipeline.task_graph({Time{1}, Time{2}, Time{3}, Time{4}, Time{5}});
  ASSERT_EQ(graph.task_count(), 5U);
  ASSERT_EQ(graph.edge_count(), 5U);
  EXPECT_EQ(graph.datum_count(), 4U);
  EXPECT_EQ(graph.task(TaskId(2)).work, Time{3});
  const auto out = graph.out_edges(TaskId(0));
  ASSERT_EQ(out.size(), 2U);
  EXPECT_EQ(graph.edge(out[0]).datum, graph.edge(out[1]).datum);
  EXPECT_EQ(graph.edge(out[0]).size, Bytes{400 + sizeof(FrameHeader)});
}

TEST(Pipeline, creates_its_stages) {
  const takt::test::TemporaryFolder folder;
  const Pipeline pipeline = load(R"(sources:
  first: {type: synthetic, axes: [time=4], frames: 1}
tasks:
  same: {kernel: pass, input: first}
sinks:
  out: {type: raw, input: same, path: out.raw}
)");
  EXPECT_EQ(pipeline.make_source(0)->type(), pipeline.stages[0].output);
  EXPECT_NE(pipeline.make_kernel(1), nullptr);
  EXPECT_EQ(pipeline.make_sink(2)->location(), "out.raw");
  EXPECT_EQ(pipeline.make_sink(2, "trial.raw")->location(), "trial.raw");
}

TEST(Pipeline, accepts_null_as_the_name_of_a_sink_with_and_without_quotes) {
  for (const std::string name : {"null", "'null'", "\"null\""})
    EXPECT_THAT(errors_in("sources: {s: {type: synthetic, axes: [time=4]}}\nsinks: {o: {type: " + name +
                          ", input: s}}\n"),
                IsEmpty())
        << name;
}

TEST(Pipeline, supports_anchors) {
  EXPECT_THAT(errors_in(R"(sources:
  s: {type: synthetic, axes: [time=4]}
tasks:
  a: &same {kernel: pass, input: s}
  b: *same
  both: {kernel: pass, inputs: [a, b]}
sinks:
  out: {type: 'null', input: both}
)"),
              IsEmpty());
}

TEST(Pipeline, passes_coordinates_to_a_synthetic_source) {
  const Pipeline pipeline = load(R"(sources:
  s: {type: synthetic, axes: [time=3, "channel=2:100e6:-1.5e3"], unit: V}
sinks:
  out: {type: 'null', input: s}
)");
  EXPECT_THAT(pipeline.stages[0].output.axes[0].coordinates, IsEmpty());
  EXPECT_THAT(pipeline.stages[0].output.axes[1].coordinates, ElementsAre(100e6, 100e6 - 1.5e3));
  EXPECT_EQ(pipeline.stages[0].output.unit, "V");
}

TEST(Pipeline, combines_frames_of_several_sources_to_the_longest_ones) {
  const Pipeline pipeline = load(R"(sources:
  a: {type: synthetic, axes: [channel=2, time=10], rate: 200 Hz}
  b: {type: synthetic, axes: [time=40], rate: 25 Hz, delay: -3 ms}
  c: {type: vdif_udp, ports: 4201, sample_rate: 3200 kHz, packets: 2, depth: 6}
sinks:
  x: {type: null, input: a}
  y: {type: null, input: b}
  z: {type: null, input: c}
)");
  ASSERT_TRUE(pipeline.joins_sources());
  EXPECT_EQ(pipeline.stages[0].output.to_string(), "float32[channel=2][time=80]");
  EXPECT_EQ(pipeline.stages[0].own_frames.to_string(), "float32[channel=2][time=10]");
  EXPECT_EQ(pipeline.stages[1].output.to_string(), "float32[time=40]");
  EXPECT_EQ(pipeline.stages[2].output.find_axis("time")->size, 128'000);
  for (std::size_t i = 0; i < 3; ++i) EXPECT_EQ(pipeline.stages[i].output.rate_hz, 25);
  EXPECT_EQ(pipeline.stages[1].delay, -std::chrono::milliseconds(3));
  // Half of six frames of 20 ms.
  EXPECT_EQ(pipeline.joining.wait, std::chrono::milliseconds(60));
  EXPECT_EQ(pipeline.make_source(0)->type(), pipeline.stages[0].output);
}

}  // namespace
}  // namespace takt::pipeline::test
