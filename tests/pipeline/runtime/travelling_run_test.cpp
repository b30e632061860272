/// Tests runs in which states travel with the frames: the outputs are those of one rank, at any end of the
/// stream, with updates of parameters, and after a restart.

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

#include "logp/machine.hpp"
#include "logp/schedule_file.hpp"
#include "pipeline/config/pipeline.hpp"
#include "tests/pipeline/program/travelling_schedules.hpp"
#include "tests/support/program.hpp"

namespace takt::test {
namespace {

using nlohmann::json;
using pipeline::test::Spread;
using ::testing::HasSubstr;

constexpr std::size_t elements = 16, frame_bytes = 4 * elements;

/// Frame k contains k everywhere.
std::string counter_yaml(const std::string& frames) {
  return fmt::format(
      "plugins: [{}]\nsources:\n  counter: {{type: synthetic, element: int32, axes: [time={}], pattern: "
      "count, {}}}\n",
      TAKT_TEST_KERNELS, elements, frames);
}

/// Returns a pipeline with one to three states, by its number. The sinks are files.
std::string file_yaml(const TemporaryFolder& folder, int number, const std::string& frames,
                      const std::string& more = "") {
  const std::vector<std::string> tasks{
      R"(  a: {kernel: pass, input: counter}
  b: {kernel: carry, input: a}
  last: {kernel: pass, input: b}
)",
      // The second state receives one frame of three, and the rest that the first one flushes.
      R"(  a: {kernel: carry, input: counter, frames: 3, delay: 4}
  b: {kernel: pass, input: a}
  last: {kernel: carry, input: b, delay: 2}
)",
      R"(  a: {kernel: carry, input: counter, delay: 5}
  b: {kernel: carry, input: a, factor: 5}
  c: {kernel: carry, input: a, factor: 7}
  d: {kernel: add, inputs: [b, c]}
  last: {kernel: sum_of_frames, input: d, frames: 4}
)"};
  return counter_yaml(frames) + "tasks:\n" + tasks.at(static_cast<std::size_t>(number)) +
         fmt::format(R"(sinks:
  out: {{type: raw, input: last, path: {}}}
  plain: {{type: raw, input: counter, path: {}}}
deployment: {{ranks: 1{}}}
)",
                     (folder / "out").string(), (folder / "plain").string(), more);
}

/// Returns a pipeline whose sink takes frames in any order and writes each to its place.
std::string placed_yaml(const TemporaryFolder& folder, const std::string& frames, const std::string& task) {
  return counter_yaml(frames) + fmt::format(R"(tasks:
  a: {{kernel: pass, input: counter}}
  b: {{kernel: carry, input: a{}}}
  last: {{kernel: pass, input: b}}
sinks:
  out: {{type: placed, input: last, path: {}}}
deployment: {{ranks: 1}}
)",
                                            task, (folder / "out").string());
}

/// A stream that only an interrupt ends; several ranks may run its source.
constexpr const char* endless = "frames: 1000000000";

struct Outputs {
  std::string out, plain;
  friend bool operator==(const Outputs&, const Outputs&) = default;
};

/// Takes the outputs away, so that the next run writes its own.
Outputs outputs_in(const TemporaryFolder& folder) {
  Outputs outputs{read_file(folder / "out"), read_file(folder / "plain")};
  for (const char* name : {"out", "plain"}) std::filesystem::remove(folder / name);
  return outputs;
}

std::vector<std::string> run_of(const TemporaryFolder& folder, const std::string& pipeline, std::size_t ranks,
                                const std::vector<std::string>& more) {
  std::vector<std::string> words{"run",         pipeline,   "--ranks",   fmt::to_string(ranks),
                                 "--overwrite", "--report", folder / "r"};
  words.insert(words.end(), more.begin(), more.end());
  return words;
}

struct Shape {
  std::size_t ranks = 2;
  std::uint32_t replicas = 2;
  Spread spread = Spread::tasks;
};

/// Writes a random schedule of the pipeline, and returns its file. `travelling` counts the states that
/// travel.
std::string schedule_file(const TemporaryFolder& folder, const std::string& pipeline_file, const Shape& shape,
                          unsigned seed, std::size_t& travelling) {
  std::mt19937 random(seed);
  const pipeline::Pipeline loaded = pipeline::load_pipeline(pipeline_file);
  std::vector<Time> works;
  for (std::size_t i = 0; i < loaded.stages.size(); ++i) works.emplace_back(1 + random() % 1000);
  const TaskGraph graph = loaded.task_graph(works);
  const logp::Machine machine = logp::parse_machine(fmt::format("logp:P={},L=0,o=0,g=0", shape.ranks));
  const Schedule schedule =
      pipeline::test::travelling_schedule(loaded, graph, machine, shape.replicas, shape.spread, random);
  travelling += schedule.travelling.size();
  return folder.file("schedule.yaml", logp::schedule_to_yaml(graph, machine, schedule));
}

class TravellingRun : public ::testing::TestWithParam<int> {};

TEST_P(TravellingRun, has_the_outputs_of_one_rank) {
  const TemporaryFolder folder;
  const std::string pipeline = folder.file("p.yaml", file_yaml(folder, GetParam(), "frames: 503"));
  const Result alone = takt(run_of(folder, pipeline, 1, {"--scheduler", "single"}));
  ASSERT_EQ(alone.exit_code, 0) << alone.err;
  const Outputs expected = outputs_in(folder);
  ASSERT_EQ(expected.plain.size(), 503 * frame_bytes);
  std::size_t travelling = 0;
  for (unsigned seed = 0; seed < 8; ++seed) {
    const Shape shape{.ranks = 2 + seed % 2, .replicas = 2 + seed % 3};
    const std::string schedule = schedule_file(folder, pipeline, shape, seed, travelling);
    const Result result = takt(run_of(folder, pipeline, shape.ranks, {"--schedule", schedule}));
    ASSERT_EQ(result.exit_code, 0) << "seed " << seed << ": " << result.err;
    EXPECT_TRUE(outputs_in(folder) == expected) << "seed " << seed;
    const json frames = json::parse(read_file(folder / "r"))["frames"];
    EXPECT_EQ(frames["ingested"], 503) << "seed " << seed;
    EXPECT_EQ(frames["delivered"], 503) << "seed " << seed;
  }
  EXPECT_GT(travelling, 3U);
}

TEST_P(TravellingRun, flushes_a_stream_that_ends_at_any_frame) {
  const TemporaryFolder folder;
  for (int frames = 1; frames <= 7; ++frames) {
    const std::string pipeline =
        folder.file("p.yaml", file_yaml(folder, GetParam(), fmt::format("frames: {}", frames)));
    ASSERT_EQ(takt(run_of(folder, pipeline, 1, {"--scheduler", "single"})).exit_code, 0);
    const Outputs expected = outputs_in(folder);
    std::size_t travelling = 0;
    const Shape shape{.ranks = 2, .replicas = 2 + static_cast<std::uint32_t>(frames % 2)};
    const std::string schedule =
        schedule_file(folder, pipeline, shape, static_cast<unsigned>(frames), travelling);
    const Result result = takt(run_of(folder, pipeline, 2, {"--schedule", schedule}));
    ASSERT_EQ(result.exit_code, 0) << frames << " frames: " << result.err;
    EXPECT_TRUE(outputs_in(folder) == expected) << frames << " frames";
  }
}

INSTANTIATE_TEST_SUITE_P(States, TravellingRun, ::testing::Range(0, 3));

/// Without messages between ranks, each one takes the next frame when it is free.
TEST(TravellingRunOfWholeFrames, has_the_output_of_one_rank) {
  const TemporaryFolder folder;
  for (const int frames : {1, 2, 3, 4, 5, 1000})
    for (const std::string task : {"", ", delay: 3", ", frames: 2, delay: 1"}) {
      const std::string pipeline =
          folder.file("p.yaml", placed_yaml(folder, fmt::format("frames: {}", frames), task));
      ASSERT_EQ(takt(run_of(folder, pipeline, 1, {"--scheduler", "single"})).exit_code, 0);
      const Outputs expected = outputs_in(folder);
      for (const std::size_t ranks : {2U, 3U}) {
        std::size_t travelling = 0;
        const Shape shape{
            .ranks = ranks, .replicas = static_cast<std::uint32_t>(ranks), .spread = Spread::whole_frames};
        const std::string schedule = schedule_file(folder, pipeline, shape, 1, travelling);
        ASSERT_EQ(travelling, 1U);
        const Result result = takt(run_of(folder, pipeline, ranks, {"--schedule", schedule}));
        ASSERT_EQ(result.exit_code, 0) << frames << task << ": " << result.err;
        EXPECT_TRUE(outputs_in(folder) == expected) << frames << task << ", " << ranks << " ranks";
      }
    }
}

TEST(TravellingRunOfWholeFrames, delivers_all_frames_on_an_interrupt) {
  const TemporaryFolder folder;
  const std::string pipeline = folder.file("p.yaml", placed_yaml(folder, endless, ", delay: 3"));
  std::size_t travelling = 0;
  const std::string schedule =
      schedule_file(folder, pipeline, {.spread = Spread::whole_frames}, 1, travelling);
  Program run(takt_command(run_of(folder, pipeline, 2, {"--schedule", schedule})));
  std::error_code error;
  ASSERT_TRUE(run.await([&] {
    const std::uintmax_t bytes = std::filesystem::file_size(folder / "out", error);
    return !error && bytes > 100 * frame_bytes;
  }));
  run.signal(SIGINT);
  const Result result = run.wait();
  ASSERT_EQ(result.exit_code, 0) << result.err;
  const std::size_t frames = json::parse(read_file(folder / "r"))["frames"]["ingested"];
  const Outputs seen = outputs_in(folder);
  const std::string again =
      folder.file("again.yaml", placed_yaml(folder, fmt::format("frames: {}", frames), ", delay: 3"));
  ASSERT_EQ(takt(run_of(folder, again, 1, {"--scheduler", "single"})).exit_code, 0);
  EXPECT_TRUE(outputs_in(folder) == seen) << frames << " frames";
}

/// Returns what `carry` outputs of frame k with these changes of its factor, by frame.
std::vector<std::uint32_t> carried(std::size_t frames,
                                   const std::vector<std::pair<std::size_t, std::uint32_t>>& changes,
                                   bool is_fresh) {
  std::vector<std::uint32_t> values;
  std::uint32_t carry = 0, factor = 3;
  for (std::size_t k = 0; k < frames; ++k) {
    for (const auto& [frame, value] : changes)
      if (frame == k) {
        factor = value;
        carry = is_fresh ? 0 : carry + 1000;
      }
    const auto in = static_cast<std::uint32_t>(k);
    values.push_back(in + carry);
    carry = carry * factor + in + 1;
  }
  return values;
}

TEST(TravellingRun, applies_a_change_at_one_frame) {
  for (const bool is_fresh : {false, true})
    for (const Spread spread : {Spread::tasks, Spread::whole_frames}) {
      const TemporaryFolder folder;
      const std::string task = fmt::format(", fresh: {}", is_fresh);
      std::string yaml = placed_yaml(folder, spread == Spread::tasks ? "rate: 2 kHz" : endless, task);
      if (spread == Spread::tasks) yaml.replace(yaml.find("type: placed"), 12, "type: raw");
      const std::string pipeline = folder.file("p.yaml", yaml);
      std::size_t travelling = 0;
      std::string schedule;
      for (unsigned seed = 0; travelling == 0; ++seed)
        schedule = schedule_file(folder, pipeline, {.replicas = 3, .spread = spread}, seed, travelling);
      Program run(takt_command(run_of(folder, pipeline, 2, {"--schedule", schedule})));
      for (const char* change : {"b.factor=5", "b.factor=7"}) {
        Result made;
        ASSERT_TRUE(run.await([&] {
          made = takt({"set", std::to_string(run.pid()), change});
          return made.exit_code == 0;
        })) << made.err;
      }
      run.signal(SIGINT);
      const Result result = run.wait();
      ASSERT_EQ(result.exit_code, 0) << result.err;
      const json report = json::parse(read_file(folder / "r"));
      ASSERT_EQ(report["changes"].size(), 2U);
      const std::string bytes = read_file(folder / "out");
      const std::vector<std::uint32_t> expected =
          carried(report["frames"]["ingested"],
                  {{report["changes"][0]["frame"], 5}, {report["changes"][1]["frame"], 7}}, is_fresh);
      ASSERT_EQ(bytes.size(), expected.size() * frame_bytes);
      for (std::size_t k = 0; k < expected.size(); ++k) {
        std::uint32_t value = 0;
        std::memcpy(&value, bytes.data() + k * frame_bytes, sizeof value);
        ASSERT_EQ(value, expected[k]) << "frame " << k << ", fresh: " << is_fresh;
      }
    }
}

/// A kernel dies once, in the middle of the stream: a file that it makes first keeps it alive afterwards.
TEST(TravellingRun, restarts_from_a_checkpoint) {
  for (unsigned seed = 0; seed < 4; ++seed) {
    const TemporaryFolder folder;
    // The queue of the source holds all frames, so that a slow machine drops none.
    std::string yaml = file_yaml(folder, 1, "frames: 1501, rate: 2 kHz, depth: 4096",
                                 ", restart: {attempts: 3, backoff: 10 ms, every: 20 ms}");
    const std::string pipeline = folder.file("p.yaml", yaml);
    ASSERT_EQ(takt(run_of(folder, pipeline, 1, {"--scheduler", "single"})).exit_code, 0);
    const Outputs expected = outputs_in(folder);
    const std::string end = "  last: {kernel: carry";
    yaml.replace(yaml.find(end), 0,
                 fmt::format("  dies: {{kernel: dies_once, input: b, at: {}, mark: {}}}\n", 90 + 70 * seed,
                             (folder / "mark").string()));
    yaml.replace(yaml.find("input: b, delay"), 8, "input: dies");
    const std::string mortal = folder.file("mortal.yaml", yaml);
    const Shape shape{.ranks = 2 + seed % 2, .replicas = 2 + seed % 3};
    std::size_t travelling = 0;
    std::string schedule;
    for (unsigned each = 20 * seed; travelling < 2; ++each) {
      travelling = 0;
      schedule = schedule_file(folder, mortal, shape, each, travelling);
    }
    const Result result = takt(run_of(folder, mortal, shape.ranks, {"--schedule", schedule, "--no-serve"}));
    ASSERT_EQ(result.exit_code, 0) << "seed " << seed << ": " << result.err;
    const Outputs seen = outputs_in(folder);
    const auto different = std::ranges::mismatch(seen.out, expected.out);
    EXPECT_EQ(seen.out.size(), expected.out.size());
    EXPECT_EQ(different.in1 - seen.out.begin(), std::ssize(expected.out)) << seen.plain.size();
    EXPECT_TRUE(seen == expected) << "seed " << seed << ": " << result.err << result.out;
    const json report = json::parse(read_file(folder / "r"));
    EXPECT_EQ(report["restarts"].size(), 1U);
    EXPECT_EQ(report["frames"]["dropped"], 0);
  }
}

/// Built-in kernels with a state, one with several outputs.
TEST(TravellingRun, has_the_outputs_of_one_rank_with_built_in_kernels) {
  const TemporaryFolder folder;
  const std::string pipeline = folder.file("p.yaml", fmt::format(R"(sources:
  noise: {{type: synthetic, element: float32, axes: [time=64, channel=4], pattern: noise, rate: 1 kHz, speed: 0, start: 2026-01-01T00:00:00, frames: 500}}
tasks:
  flat: {{kernel: bandpass, input: noise, frames: 20}}
  filtered: {{kernel: iir, input: flat, low: 2 kHz, high: 9 kHz, order: 2}}
  trigger: {{kernel: sta_lta, input: filtered, short: 500 us, long: 20 ms, above: 2, below: 1}}
  sums: {{kernel: integrate, input: flat, factor: 256}}
  codes: {{kernel: quantise, input: flat}}
sinks:
  to_ratios: {{type: raw, input: trigger, path: {0}/ratios}}
  to_events: {{type: raw, input: trigger.events, path: {0}/events}}
  to_sums: {{type: raw, input: sums, path: {0}/sums}}
  to_codes: {{type: raw, input: codes, path: {0}/codes}}
)",
                                                                 (folder / "").string()));
  const auto outputs = [&] {
    std::string bytes;
    for (const char* name : {"ratios", "events", "sums", "codes"}) bytes += read_file(folder / name) + "|";
    return bytes;
  };
  const Result alone = takt(run_of(folder, pipeline, 1, {"--scheduler", "single"}));
  ASSERT_EQ(alone.exit_code, 0) << alone.err;
  const std::string expected = outputs();
  ASSERT_GT(expected.size(), 500U * 64 * 4 * 5);
  std::size_t travelling = 0;
  for (unsigned seed = 0; seed < 4; ++seed) {
    const Shape shape{.ranks = 2 + seed % 2, .replicas = 2 + seed % 2};
    const std::string schedule = schedule_file(folder, pipeline, shape, seed, travelling);
    const Result result = takt(run_of(folder, pipeline, shape.ranks, {"--schedule", schedule}));
    ASSERT_EQ(result.exit_code, 0) << "seed " << seed << ": " << result.err;
    EXPECT_TRUE(outputs() == expected) << "seed " << seed;
  }
  EXPECT_GT(travelling, 8U);
}

TEST(TravellingRun, is_refused_for_states_that_stay) {
  const TemporaryFolder folder;
  const std::string pipeline = folder.file("p.yaml", file_yaml(folder, 0, "frames: 10"));
  std::size_t travelling = 0;
  std::string schedule;
  for (unsigned seed = 0; travelling == 0; ++seed)
    schedule = schedule_file(folder, pipeline, {.replicas = 3}, seed, travelling);
  const std::string over_mpi =
      folder.file("mpi.yaml", file_yaml(folder, 0, "frames: 10", ", transport: mpi"));
  Result result = takt(run_of(folder, over_mpi, 2, {"--schedule", schedule}));
  EXPECT_EQ(result.exit_code, 2);
  EXPECT_THAT(result.err, HasSubstr("the state of 'b' travels, but stays on one rank in this run"));
  // A state that is not declared.
  std::string text = read_file(schedule);
  text.erase(text.find("travelling:"),
             text.find('\n', text.find("travelling:")) + 1 - text.find("travelling:"));
  result = takt(run_of(folder, pipeline, 2, {"--schedule", folder.file("undeclared.yaml", text)}));
  EXPECT_EQ(result.exit_code, 2);
  EXPECT_THAT(result.err, HasSubstr("has state, but its instance"));
}

TEST(TravellingRun, fails_when_a_state_is_larger_than_declared) {
  const TemporaryFolder folder;
  std::string yaml = placed_yaml(folder, "frames: 20", "");
  yaml.replace(yaml.find("kernel: carry"), 13, "kernel: grows");
  const std::string pipeline = folder.file("p.yaml", yaml);
  std::size_t travelling = 0;
  const std::string schedule =
      schedule_file(folder, pipeline, {.spread = Spread::whole_frames}, 1, travelling);
  ASSERT_EQ(travelling, 1U);
  const Result result = takt(run_of(folder, pipeline, 2, {"--schedule", schedule}));
  EXPECT_EQ(result.exit_code, 1);
  EXPECT_THAT(result.err, HasSubstr("its state has 9 bytes, but it declares at most 8"));
}

}  // namespace
}  // namespace takt::test
