/// Tests runs of pipelined schedules: ranks work on several iterations at a time, and the outputs are those
/// of one rank.

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <cstring>
#include <filesystem>
#include <random>
#include <string>
#include <thread>
#include <vector>

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <nlohmann/json.hpp>
#include <signal.h>

#include "core/offsets.hpp"
#include "logp/machine.hpp"
#include "logp/schedule_file.hpp"
#include "pipeline/config/pipeline.hpp"
#include "tests/pipeline/program/pipelined_schedules.hpp"
#include "tests/pipeline/runtime/tiled_pipeline.hpp"
#include "tests/support/program.hpp"

namespace takt::test {
namespace {

using nlohmann::json;
using pipeline::test::PipelinedSchedules;
using ::testing::HasSubstr;

constexpr std::size_t elements = 16;

/// Frame k contains k everywhere.
std::string counter_yaml(const std::string& frames) {
  return fmt::format(
      "sources:\n  counter: {{type: synthetic, element: int32, axes: [sample={}], pattern: count, {}}}\n",
      elements, frames);
}

/// A diamond of stateful and stateless tasks, with one that gathers frames, and a sink at the source.
std::string diamond_yaml(const TemporaryFolder& folder, std::uint64_t frames, const std::string& more = "") {
  return fmt::format("plugins: [{}]\n", TAKT_TEST_KERNELS) + counter_yaml(fmt::format("frames: {}", frames)) +
         fmt::format(R"(tasks:
  left: {{kernel: pass, input: counter}}
  right: {{kernel: spin, input: counter, time: 20 us, state: true}}
  longer: {{kernel: spin, input: right, time: 10 us}}
  both: {{kernel: add, inputs: [left, longer]}}
  tens: {{kernel: sum_of_frames, input: both, frames: 10}}
sinks:
  sums: {{type: raw, input: tens, path: {}}}
  plain: {{type: raw, input: counter, path: {}}}
deployment: {{ranks: 1{}}}
)",
                     (folder / "sums").string(), (folder / "plain").string(), more);
}

struct Outputs {
  std::string sums, plain;
  friend bool operator==(const Outputs&, const Outputs&) = default;
};

Outputs outputs_in(const TemporaryFolder& folder) {
  return {read_file(folder / "sums"), read_file(folder / "plain")};
}

std::vector<std::string> run_of(const TemporaryFolder& folder, const std::string& pipeline, std::size_t ranks,
                                const std::vector<std::string>& more) {
  std::vector<std::string> words{"run",         pipeline,   "--ranks",   fmt::to_string(ranks),
                                 "--overwrite", "--report", folder / "r"};
  words.insert(words.end(), more.begin(), more.end());
  return words;
}

/// Writes a random schedule of the pipeline and returns its file.
std::string schedule_file(const TemporaryFolder& folder, const std::string& yaml,
                          PipelinedSchedules::Shape shape, unsigned seed) {
  std::mt19937 random(seed);
  const std::string file = folder.file("for-graph.yaml", yaml.substr(0, yaml.find("deployment:")));
  pipeline::Pipeline loaded = pipeline::load_pipeline(file);
  // Without shared memory ranks cannot share a source.
  if (yaml.find("transport: mpi") != std::string::npos) loaded.keep_ends_on_one_rank();
  std::vector<Time> works;
  for (std::size_t i = 0; i < loaded.stages.size(); ++i) works.emplace_back(1 + random() % 1000);
  const TaskGraph graph = loaded.task_graph(works);
  const logp::Machine machine = logp::parse_machine(fmt::format("logp:P={},L=0,o=0,g=0", shape.processors));
  const Schedule schedule = PipelinedSchedules(graph, std::move(shape), random).make();
  return folder.file("schedule.yaml", logp::schedule_to_yaml(graph, machine, schedule));
}

PipelinedSchedules::Shape random_shape(unsigned seed) {
  return {.processors = 2 + seed % 2, .replicas = 1 + seed % 3};
}

TEST(PipelinedRun, has_the_outputs_of_one_rank) {
  const TemporaryFolder folder;
  for (const std::string transport : {"", ", transport: mpi"}) {
    const std::string yaml = diamond_yaml(folder, 1003, transport);
    const std::string pipeline = folder.file("p.yaml", yaml);
    const Result alone = takt(run_of(folder, pipeline, 1, {"--scheduler", "single"}));
    ASSERT_EQ(alone.exit_code, 0) << alone.err;
    const Outputs expected = outputs_in(folder);
    ASSERT_EQ(expected.plain.size(), 1003 * elements * 4);
    for (unsigned seed = 0; seed < 12; ++seed) {
      const PipelinedSchedules::Shape shape = random_shape(seed);
      const std::string schedule = schedule_file(folder, yaml, shape, seed);
      const Result result = takt(run_of(folder, pipeline, shape.processors, {"--schedule", schedule}));
      ASSERT_EQ(result.exit_code, 0) << "seed " << seed << ": " << result.err;
      EXPECT_EQ(outputs_in(folder), expected) << "seed " << seed;
      const json frames = json::parse(read_file(folder / "r"))["frames"];
      EXPECT_EQ(frames["ingested"], 1003) << "seed " << seed;
      EXPECT_EQ(frames["delivered"], 1003) << "seed " << seed;
    }
  }
}

TEST(PipelinedRun, delivers_a_stream_that_is_shorter_than_the_pipeline_is_deep) {
  const TemporaryFolder folder;
  for (std::uint64_t frames = 1; frames <= 4; ++frames) {
    const std::string yaml = diamond_yaml(folder, frames);
    const std::string pipeline = folder.file("p.yaml", yaml);
    ASSERT_EQ(takt(run_of(folder, pipeline, 1, {"--scheduler", "single"})).exit_code, 0);
    const Outputs expected = outputs_in(folder);
    for (unsigned seed = 0; seed < 3; ++seed) {
      const PipelinedSchedules::Shape shape = random_shape(seed);
      const std::string schedule = schedule_file(folder, yaml, shape, seed);
      const Result result = takt(run_of(folder, pipeline, shape.processors, {"--schedule", schedule}));
      ASSERT_EQ(result.exit_code, 0) << frames << " frames, seed " << seed << ": " << result.err;
      EXPECT_EQ(outputs_in(folder), expected) << frames << " frames, seed " << seed;
    }
  }
}

TEST(PipelinedRun, delivers_the_frames_under_way_on_an_interrupt) {
  const TemporaryFolder folder;
  const std::string yaml =
      fmt::format(R"({}tasks:
  first: {{kernel: spin, input: counter, time: 100 us, state: true}}
  second: {{kernel: spin, input: first, time: 200 us, state: true}}
  third: {{kernel: spin, input: second, time: 100 us, state: true}}
sinks:
  plain: {{type: raw, input: third, path: {}}}
deployment: {{ranks: 1}}
)",
                  counter_yaml("rate: 500 Hz, depth: 4096"), (folder / "plain").string());
  const std::string pipeline = folder.file("p.yaml", yaml);
  // Source and sink with the ends on rank 0, the middle on rank 1.
  for (unsigned seed = 0; seed < 3; ++seed) {
    const std::string schedule = schedule_file(
        folder, yaml, {.processors = 2, .replicas = 1 + seed % 2, .processor_of = {0, 0, 1, 0, 0}}, seed);
    Program run(takt_command(run_of(folder, pipeline, 2, {"--schedule", schedule})));
    const auto written = [&] {
      std::error_code error;
      const std::uintmax_t bytes = std::filesystem::file_size(folder / "plain", error);
      return error ? 0 : bytes;
    };
    ASSERT_TRUE(run.await([&] { return written() > 20 * elements * 4; }));
    run.signal(SIGINT);
    const Result result = run.wait();
    ASSERT_EQ(result.exit_code, 0) << result.err;
    const json frames = json::parse(read_file(folder / "r"))["frames"];
    EXPECT_EQ(frames["delivered"], frames["ingested"]);
    const std::string bytes = read_file(folder / "plain");
    ASSERT_EQ(bytes.size(), frames["delivered"].get<std::size_t>() * elements * 4);
    for (std::size_t k = 0; k * elements * 4 < bytes.size(); ++k) {
      std::int32_t value = 0;
      std::memcpy(&value, bytes.data() + k * elements * 4, sizeof value);
      ASSERT_EQ(value, static_cast<std::int32_t>(k)) << "seed " << seed;
    }
    std::filesystem::remove(folder / "plain");
  }
}

TEST(PipelinedRun, has_the_outputs_of_one_rank_with_tiles) {
  const TemporaryFolder folder;
  const std::string yaml = tiled_yaml(folder, "ranks: 1, tiles: 4"), pipeline = folder.file("p.yaml", yaml);
  const auto outputs = [&](const Result& result) {
    EXPECT_EQ(result.exit_code, 0) << result.err;
    return tiled_outputs(folder);
  };
  const auto expected = outputs(takt(run_of(folder, pipeline, 1, {"--scheduler", "single"})));
  ASSERT_EQ(expected[0].size(), tiled_power_bytes);
  for (unsigned seed = 0; seed < 6; ++seed) {
    const PipelinedSchedules::Shape shape = random_shape(seed);
    const std::string schedule = schedule_file(folder, yaml, shape, seed);
    EXPECT_EQ(outputs(takt(run_of(folder, pipeline, shape.processors, {"--schedule", schedule}))), expected)
        << "seed " << seed;
  }
}

/// The first source ends earlier than the second one; each has frames of its own size.
TEST(PipelinedRun, joins_sources_and_ends_with_the_shorter_one) {
  const TemporaryFolder folder;
  for (const int frames : {1, 2, 40, 41}) {
    const std::string yaml =
        fmt::format(R"(sources:
  x: {{type: synthetic, element: float32, axes: [time=2, channel=8], pattern: ramp, rate: 4 kHz, speed: 0, frames: {0}}}
  y: {{type: synthetic, element: float32, axes: [time=4, channel=8], pattern: noise, rate: 2 kHz, speed: 0, frames: {1}}}
tasks:
  both: {{kernel: stack, inputs: [x, y], axis: channel}}
  middle: {{kernel: spin, time: 20 us, state: true, input: both}}
  mean: {{kernel: integrate, input: middle, factor: 12}}
sinks:
  plain: {{type: raw, input: middle, path: {2}, headers: false}}
  sums: {{type: raw, input: mean, path: {3}, headers: false}}
deployment: {{ranks: 1}}
)",
                    2 * frames, frames + 9, (folder / "plain").string(), (folder / "sums").string());
    const std::string pipeline = folder.file("p.yaml", yaml);
    const Result alone = takt(run_of(folder, pipeline, 1, {"--scheduler", "single"}));
    ASSERT_EQ(alone.exit_code, 0) << alone.err;
    const Outputs expected = outputs_in(folder);
    ASSERT_FALSE(expected.plain.empty());
    for (unsigned seed = 0; seed < 4; ++seed) {
      const PipelinedSchedules::Shape shape = random_shape(seed);
      const std::string schedule = schedule_file(folder, yaml, shape, seed);
      const Result result = takt(run_of(folder, pipeline, shape.processors, {"--schedule", schedule}));
      ASSERT_EQ(result.exit_code, 0) << result.err;
      EXPECT_EQ(outputs_in(folder), expected) << frames << " frames, seed " << seed;
    }
  }
}

/// A source five times faster than the pipeline, with a queue of two frames: every frame is delivered in
/// order or counted as dropped.
TEST(PipelinedRun, counts_the_frames_that_a_live_source_drops) {
  const TemporaryFolder folder;
  const std::string yaml =
      fmt::format(R"({}tasks:
  first: {{kernel: spin, input: counter, time: 500 us, state: true}}
  second: {{kernel: spin, input: first, time: 1 ms, state: true}}
  third: {{kernel: spin, input: second, time: 500 us, state: true}}
sinks:
  plain: {{type: raw, input: third, path: {}}}
deployment: {{ranks: 1}}
)",
                  counter_yaml("rate: 5 kHz, depth: 2, frames: 2000"), (folder / "plain").string());
  const std::string pipeline = folder.file("p.yaml", yaml);
  const std::string schedule =
      schedule_file(folder, yaml, {.processors = 2, .processor_of = {0, 0, 1, 0, 0}}, 1);
  const Result result = takt(run_of(folder, pipeline, 2, {"--schedule", schedule}));
  ASSERT_EQ(result.exit_code, 0) << result.err;
  const json frames = json::parse(read_file(folder / "r"))["frames"];
  EXPECT_GT(frames["dropped"], 0);
  EXPECT_EQ(frames["lost"], 0);
  const std::string bytes = read_file(folder / "plain");
  const std::size_t delivered = frames["delivered"];
  ASSERT_EQ(bytes.size(), delivered * elements * 4);
  EXPECT_EQ(delivered + frames["dropped"].get<std::size_t>(), 2000);
  std::int32_t last = -1;
  for (std::size_t k = 0; k < delivered; ++k) {
    std::int32_t value = 0;
    std::memcpy(&value, bytes.data() + k * elements * 4, sizeof value);
    ASSERT_GT(value, last);
    last = value;
  }
}

/// The source is on rank 0 and the changed task on rank 1, which works on an earlier frame.
TEST(PipelinedRun, applies_a_changed_parameter_from_one_frame_on) {
  const TemporaryFolder folder;
  const std::string yaml = fmt::format(R"(sources:
  counter: {{type: synthetic, element: float32, axes: [sample={}], pattern: count, rate: 500 Hz, depth: 4096}}
tasks:
  first: {{kernel: spin, input: counter, time: 20 us, state: true}}
  second: {{kernel: clip, input: first, high: 1e9}}
  third: {{kernel: spin, input: second, time: 20 us, state: true}}
sinks:
  plain: {{type: raw, input: third, path: {}}}
deployment: {{ranks: 1}}
)",
                                       elements, (folder / "plain").string());
  const std::string pipeline = folder.file("p.yaml", yaml);
  const std::string schedule =
      schedule_file(folder, yaml, {.processors = 2, .processor_of = {0, 0, 1, 0, 0}}, 2);
  Program run(takt_command(run_of(folder, pipeline, 2, {"--schedule", schedule})));
  Result made;
  ASSERT_TRUE(run.await([&] {
    made = takt({"set", std::to_string(run.pid()), "second.high=7", "--format", "json"});
    return made.exit_code == 0;
  })) << made.err;
  run.signal(SIGINT);
  const Result result = run.wait();
  ASSERT_EQ(result.exit_code, 0) << result.err;
  const json report = json::parse(read_file(folder / "r"));
  ASSERT_EQ(report["changes"].size(), 1U);
  const std::size_t from = report["changes"][0]["frame"];
  const std::string bytes = read_file(folder / "plain");
  const std::size_t frames = bytes.size() / (elements * 4);
  ASSERT_EQ(frames, report["frames"]["ingested"].get<std::size_t>());
  ASSERT_GT(frames, from);
  for (std::size_t k = 0; k < frames; ++k) {
    float value = 0;
    std::memcpy(&value, bytes.data() + k * elements * 4, sizeof value);
    ASSERT_EQ(value, k < from ? static_cast<float>(k) : std::min(static_cast<float>(k), 7.0F)) << k;
  }
}

/// On each rank, with a file at the end of the pipeline.
TEST(PipelinedRun, neither_allocates_nor_takes_locks_between_frames) {
  const std::string counter = TAKT_CALL_COUNTER;
  if (counter.empty()) GTEST_SKIP() << "a sanitizer has an allocator of its own";
  const TemporaryFolder folder;
  const std::string yaml = fmt::format("plugins: [{}]\n", TAKT_TEST_KERNELS) + counter_yaml("frames: 12000") +
                           fmt::format(R"(tasks:
  a: {{kernel: thrifty, input: counter, from: 1000, to: 11000}}
  b: {{kernel: thrifty, input: a, from: 1000, to: 11000}}
  c: {{kernel: thrifty, input: b, from: 1000, to: 11000}}
sinks: {{o: {{type: raw, input: c, path: {}}}}}
deployment: {{ranks: 1}}
)",
                                       (folder / "o").string());
  const std::string pipeline = folder.file("p.yaml", yaml);
  const std::string schedule =
      schedule_file(folder, yaml, {.processors = 2, .processor_of = {0, 0, 1, 0, 0}}, 3);
  std::vector<std::string> command = takt_command(run_of(folder, pipeline, 2, {"--schedule", schedule}));
  command.insert(command.begin(), {"env", "LD_PRELOAD=" + counter});
  const Result result = Program(command).wait();
  EXPECT_EQ(result.exit_code, 0) << result.err;
  EXPECT_EQ(json::parse(read_file(folder / "r"))["frames"]["delivered"], 12000);
}

/// The sink would write the second frame of an iteration after the first one of the next iteration.
TEST(PipelinedRun, refuses_a_schedule_whose_sink_gets_frames_out_of_order) {
  const TemporaryFolder folder;
  const std::string yaml =
      counter_yaml("frames: 10") +
      fmt::format("sinks: {{o: {{type: raw, input: counter, path: {}}}}}\n", (folder / "o").string());
  const std::string pipeline = folder.file("p.yaml", yaml);
  const TaskGraph graph = pipeline::load_pipeline(pipeline).task_graph({Time{1}, Time{1}});
  const logp::Machine machine = logp::parse_machine("logp:P=1,L=0,o=0,g=0");
  Schedule schedule("test", 1);
  schedule.replicas = 2;
  schedule.repetition = Time{10};
  const ProcessorId rank(0);
  schedule.add_compute(rank, TaskId(0), Time{0}, Time{1}, 0);
  schedule.add_compute(rank, TaskId(0), Time{1}, Time{2}, 1);
  schedule.add_compute(rank, TaskId(1), Time{2}, Time{3}, 0);
  schedule.add_compute(rank, TaskId(1), Time{13}, Time{14}, 1);
  std::string file = logp::schedule_to_yaml(graph, machine, schedule);
  const auto refusal = [&] {
    const Result result = takt(run_of(folder, pipeline, 1, {"--schedule", folder.file("s.yaml", file)}));
    EXPECT_EQ(result.exit_code, 2);
    return result.err;
  };
  EXPECT_THAT(refusal(), HasSubstr("the checker rejects it"));
  // As if the sink had no state.
  const std::string sink = "{name: o, work: 1";
  ASSERT_NE(file.find(sink), std::string::npos) << file;
  file.insert(file.find(sink) + sink.size(), ", stateless: true");
  EXPECT_THAT(refusal(), HasSubstr("sink needs its frames in their order"));
}

}  // namespace
}  // namespace takt::test
