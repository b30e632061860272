/// Tests sources that several ranks run: each frame of the stream occurs once and in order, at any end.

#include <algorithm>
#include <array>
#include <chrono>
#include <cstdint>
#include <fstream>
#include <numeric>
#include <stdexcept>
#include <string>
#include <thread>

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <nlohmann/json.hpp>
#include <signal.h>

#include "tests/pipeline/runtime/replicated_runs.hpp"
#include "tests/support/program.hpp"
#include "tests/support/ranks.hpp"

namespace takt::test {
namespace {

using nlohmann::json;
using ::testing::HasSubstr;

/// Messages are expensive, so ranks process whole frames from the source on.
std::string shared_yaml(const TemporaryFolder& folder, const std::string& source,
                        const std::string& element = "int32") {
  return fmt::format(R"(name: shared
sources:
  counter: {{{}, element: {}, axes: [sample={}]}}
tasks:
  first: {{kernel: spin, input: counter, time: 50 us}}
  second: {{kernel: spin, input: first, time: 50 us}}
sinks:
  file: {{type: raw, input: second, path: {}}}
scheduler: optfo
deployment: {{ranks: 3, machine: 'logp:P=3,L=10000,o=20000,g=20000'}}
)",
                     source, element, elements, (folder / "out.raw").string());
}

void expect_shared_source(const json& report) {
  EXPECT_GT(report["replicas"], 1);
  for (const json& task : report["tasks"]) {
    if (task["kind"] == "source") {
      EXPECT_GT(task["ranks"].size(), 1U);
    }
  }
}

/// Expects frames 0, 1, 2, ... without gaps, as many as in the report.
void expect_whole_stream(const TemporaryFolder& folder) {
  const json report = report_of(folder);
  expect_shared_source(report);
  const std::vector<std::int32_t> values = first_of_each_frame(folder / "out.raw");
  EXPECT_EQ(values.size(), report["frames"]["delivered"].get<std::size_t>());
  EXPECT_EQ(report["frames"]["delivered"], report["frames"]["ingested"]);
  EXPECT_EQ(report["frames"]["lost"], 0);
  EXPECT_EQ(report["frames"]["dropped"], 0);
  for (std::size_t k = 0; k < values.size(); ++k) ASSERT_EQ(values[k], static_cast<std::int32_t>(k));
}

TEST(SharedSource, ends_at_one_frame_at_any_request) {
  const TemporaryFolder folder;
  const std::string pipeline = folder.file("p.yaml", shared_yaml(folder, "type: synthetic, pattern: count"));
  for (const int milliseconds : {0, 1, 3, 7, 20, 41}) {
    SCOPED_TRACE(milliseconds);
    Program run(takt_command(planned_run(folder, pipeline)));
    const auto end = std::chrono::steady_clock::now() + std::chrono::seconds{60};
    while (!std::filesystem::exists(folder / "out.raw") ||
           std::filesystem::file_size(folder / "out.raw") == 0)
      ASSERT_LT(std::chrono::steady_clock::now(), end) << "the run did not start";
    std::this_thread::sleep_for(std::chrono::milliseconds{milliseconds});
    run.signal(SIGINT);
    const Result result = run.wait();
    ASSERT_EQ(result.exit_code, 0) << result.err;
    expect_whole_stream(folder);
    std::filesystem::remove(folder / "out.raw");
  }
}

TEST(SharedSource, ends_at_one_frame_at_its_time_limit) {
  const TemporaryFolder folder;
  const std::string pipeline = folder.file("p.yaml", shared_yaml(folder, "type: synthetic, pattern: count"));
  const Result result = takt(planned_run(folder, pipeline, {"--duration", "0.3s"}));
  ASSERT_EQ(result.exit_code, 0) << result.err;
  expect_whole_stream(folder);
}

/// The last frame is incomplete, and the counts of missing samples are those of one rank.
TEST(SharedSource, reads_a_recording_completely_and_once) {
  const TemporaryFolder folder;
  std::vector<std::int32_t> values(elements * 123 + 17);
  std::iota(values.begin(), values.end(), 0);
  std::ofstream(folder / "in.raw", std::ios::binary)
      .write(reinterpret_cast<const char*>(values.data()), static_cast<std::streamsize>(values.size() * 4))
      .write("xyz", 3);
  std::string text =
      shared_yaml(folder, fmt::format("type: raw_file, file: {}, rate: 1 kHz", (folder / "in.raw").string()));
  text.replace(text.find("[sample="), 8, "[time=");
  const std::string pipeline = folder.file("p.yaml", text);
  const Result alone = takt(planned_run(folder, pipeline, {"--ranks", "1", "--machine", "logp:P=1"}));
  ASSERT_EQ(alone.exit_code, 0) << alone.err;
  const json expected = report_of(folder);
  const std::string bytes = read_file(folder / "out.raw");
  const Result result = takt(planned_run(folder, pipeline));
  ASSERT_EQ(result.exit_code, 0) << result.err;
  const json report = report_of(folder);
  expect_shared_source(report);
  EXPECT_EQ(report["frames"]["delivered"], 124);
  EXPECT_EQ(report["frames"], expected["frames"]);
  EXPECT_EQ(report["sources"], expected["sources"]);
  EXPECT_TRUE(read_file(folder / "out.raw") == bytes);
}

TEST(SharedSource, begins_a_change_at_the_same_frame_on_all_ranks) {
  const TemporaryFolder folder;
  std::string text = shared_yaml(folder, "type: synthetic, pattern: count", "float32");
  const std::string task = "first: {kernel: spin, input: counter, time: 50 us}";
  text.replace(text.find(task), task.size(), "first: {kernel: clip, input: counter, high: 1e9}");
  Program run(takt_command(planned_run(folder, folder.file("p.yaml", text))));
  const auto end = std::chrono::steady_clock::now() + std::chrono::seconds{60};
  const auto set = [&](const std::string& change) {
    Result made = takt({"set", std::to_string(run.pid()), change});
    while (made.exit_code != 0 && std::chrono::steady_clock::now() < end)
      made = takt({"set", std::to_string(run.pid()), change});
    EXPECT_EQ(made.exit_code, 0) << made.err;
  };
  set("first.high=7");
  set("first.high=9");
  run.signal(SIGINT);
  ASSERT_EQ(run.wait().exit_code, 0);
  const json report = report_of(folder);
  expect_shared_source(report);
  ASSERT_EQ(report["changes"].size(), 2U);
  const std::size_t seven = report["changes"][0]["frame"], nine = report["changes"][1]["frame"];
  const std::string bytes = read_file(folder / "out.raw");
  const std::size_t frames = bytes.size() / (elements * 4);
  ASSERT_LT(seven, nine);
  ASSERT_LT(nine, frames);
  std::size_t wrong = 0;
  for (std::size_t k = 0; k < frames; ++k) {
    float value = 0;
    std::memcpy(&value, bytes.data() + k * elements * 4, 4);
    const float high = k < seven ? 1e9F : k < nine ? 7.0F : 9.0F;
    if (value != std::min(static_cast<float>(k), high)) ++wrong;
  }
  EXPECT_EQ(wrong, 0U);
}

/// A run that changes its plan needs its stream on one rank.
TEST(SharedSource, is_run_on_one_rank_when_plans_can_change) {
  const TemporaryFolder folder;
  const std::string pipeline =
      folder.file("p.yaml", shared_yaml(folder, "type: synthetic, pattern: count, frames: 100"));
  const Result adapted = takt(planned_run(folder, pipeline, {"--adapt=1s"}));
  ASSERT_EQ(adapted.exit_code, 0) << adapted.err;
  for (const json& task : report_of(folder)["tasks"])
    if (task["kind"] == "source") {
      EXPECT_EQ(task["ranks"].size(), 1U);
    }
  const std::string schedule = folder / "s.yaml";
  ASSERT_EQ(takt({"plan", pipeline, "--profile", costs_file(folder), "-o", schedule}).exit_code, 0);
  const Result stored = takt({"run", pipeline, "--schedule", schedule, "--overwrite"});
  EXPECT_EQ(stored.exit_code, 0) << stored.err;
  const Result refused = takt({"run", pipeline, "--schedule", schedule, "--overwrite", "--restart", "1"});
  EXPECT_EQ(refused.exit_code, 2);
  EXPECT_THAT(refused.err, HasSubstr("several ranks run the source 'counter'"));
}

/// Parts of the planned schedule that a schedule by hand needs.
struct Planned {
  /// Size of the message with the frames from `from` to `to`.
  std::string size;
  /// Machine and graph.
  std::string rest;
};

Planned planned_for(const TemporaryFolder& folder, const std::string& pipeline, const std::string& from,
                    const std::string& to) {
  const std::string file = folder / "s.yaml";
  EXPECT_EQ(takt({"plan", pipeline, "--profile", costs_file(folder), "-o", file}).exit_code, 0);
  const std::string text = read_file(file);
  const std::string link = fmt::format("{{from: {}, to: {}, size: ", from, to);
  const std::size_t size = text.find(link) + link.size();
  return {text.substr(size, text.find('}', size) - size), text.substr(text.find("machine:"))};
}

/// Three ranks process frames up to `first`; rank 0 runs the later tasks, which have state.
std::string schedule_of_whole_frames(const TemporaryFolder& folder, const std::string& pipeline) {
  const Planned planned = planned_for(folder, pipeline, "first", "second");
  const auto work = [](int instance) {
    return fmt::format(R"(    - {{compute: counter, start: 0, end: 1000, instance: {0}}}
    - {{compute: first, start: 1000, end: 151000, instance: {0}}}
)",
                       instance);
  };
  const auto rest = [](int instance, int start) {
    return fmt::format(R"(    - {{compute: second, start: {1}, end: {2}, instance: {0}}}
    - {{compute: after, start: {2}, end: {3}, instance: {0}}}
    - {{compute: file, start: {3}, end: {4}, instance: {0}}}
)",
                       instance, start, start + 200'000, start + 350'000, start + 352'000);
  };
  return folder.file("whole.yaml", fmt::format(R"(scheduler: by hand
replicas: 3
processors:
  0:
{}{}    - {{receive: 0, start: 503000, end: 523000, instance: 1}}
{}    - {{receive: 1, start: 875000, end: 895000, instance: 2}}
{}  1:
{}    - {{send: 0, start: 151000, end: 171000, instance: 1}}
  2:
{}    - {{send: 1, start: 191000, end: 211000, instance: 2}}
messages:
  - {{from: 1, to: 0, size: {}, data: [first]}}
  - {{from: 2, to: 0, size: {}, data: [first]}}
{})",
                                               work(0), rest(0, 151'000), rest(1, 523'000), rest(2, 895'000),
                                               work(1), work(2), planned.size, planned.size, planned.rest));
}

/// Output of a stream in which one rank is far slower.
struct SlowRank {
  std::vector<std::int32_t> values;
  /// By rank.
  std::array<std::size_t, 3> frames{};
};

SlowRank run_with_a_slow_rank(const TemporaryFolder& folder, int slow_rank, int frames) {
  std::string text = shared_yaml(folder, fmt::format("type: synthetic, pattern: count, frames: {}", frames));
  const std::size_t begin = text.find("  first:"), end = text.find("sinks:");
  text.replace(begin, end - begin,
               fmt::format("  first: {{kernel: signs, input: counter, slow_rank: {}, time: 10 ms}}\n"
                           "  second: {{kernel: thrifty, input: first, from: 1, to: 0}}\n"
                           "  after: {{kernel: spin, input: second, time: 1 us}}\n",
                           slow_rank));
  text.replace(text.find("input: second, path"), 13, "input: after");
  const std::string pipeline =
      folder.file("p.yaml", text + fmt::format("plugins: [{}]\n", TAKT_TEST_KERNELS));
  const Result result = takt({"run", pipeline, "--schedule", schedule_of_whole_frames(folder, pipeline),
                              "--overwrite", "--report", folder / "report.json"});
  EXPECT_EQ(result.exit_code, 0) << result.err;
  expect_whole_stream(folder);
  SlowRank seen{first_of_each_frame(folder / "out.raw"), {}};
  const std::string bytes = read_file(folder / "out.raw");
  for (std::size_t k = 0; k < seen.values.size(); ++k) {
    std::int32_t rank = 0;
    std::memcpy(&rank, bytes.data() + (k * elements + 1) * 4, 4);
    ++seen.frames.at(static_cast<std::size_t>(rank));
  }
  return seen;
}

/// Frames leave in order, and a rank that is two hundred times slower processes
/// few of them, with or without the sink.
TEST(SharedSource, is_claimed_by_free_ranks_when_one_rank_has_the_sink) {
  for (const int slow_rank : {0, 1, 2}) {
    SCOPED_TRACE(slow_rank);
    const TemporaryFolder folder;
    const SlowRank seen = run_with_a_slow_rank(folder, slow_rank, 300);
    ASSERT_EQ(seen.values.size(), 300U);
    EXPECT_LT(seen.frames.at(static_cast<std::size_t>(slow_rank)), 60U);
    for (const std::size_t frames : seen.frames) EXPECT_GT(frames, 0U);
  }
}

TEST(SharedSource, delivers_every_frame_of_short_streams_to_the_sink) {
  const TemporaryFolder folder;
  for (const int frames : {1, 2, 3, 4, 5, 7}) {
    SCOPED_TRACE(frames);
    EXPECT_EQ(run_with_a_slow_rank(folder, 1, frames).values.size(), static_cast<std::size_t>(frames));
  }
}

/// Each rank runs all tasks from source to sink, without messages between ranks.
std::string isolated_ranks_yaml(const TemporaryFolder& folder, const std::string& frames,
                                const std::string& sink) {
  std::string text = shared_yaml(folder, "type: synthetic, pattern: count" + frames);
  const std::size_t begin = text.find("{type: raw"), end = text.find('\n', begin);
  text.replace(begin, end - begin, fmt::format("{{type: {}, input: second}}", sink));
  return text + fmt::format("plugins: [{}]\n", TAKT_TEST_KERNELS);
}

TEST(SharedSource, with_shared_sinks_counts_each_frame_once) {
  const TemporaryFolder folder;
  for (const int frames : {1000, 1001, 1003}) {
    SCOPED_TRACE(frames);
    const std::string pipeline =
        folder.file("p.yaml", isolated_ranks_yaml(folder, fmt::format(", frames: {}", frames), "alarms"));
    const Result result = takt(planned_run(folder, pipeline));
    ASSERT_EQ(result.exit_code, 0) << result.err;
    const json report = report_of(folder);
    expect_shared_source(report);
    EXPECT_EQ(report["frames"]["ingested"], frames);
    EXPECT_EQ(report["frames"]["delivered"], frames);
    EXPECT_EQ(report["frames"]["lost"], 0);
    for (const json& task : report["tasks"]) {
      EXPECT_GT(task["ranks"].size(), 1U) << task["name"];
    }
    ASSERT_EQ(report["outputs"].size(), 1U);
    EXPECT_EQ(report["outputs"][0]["delivered"], frames);
  }
}

/// Of three ranks of a run, the first one is stopped for a second; then the user ends the run.
struct StoodStill {
  json report;
  /// Time that each other rank has waited for it.
  std::vector<double> waited;
};

StoodStill run_with_a_rank_that_stands_still(const TemporaryFolder& folder, const std::string& pipeline,
                                             const std::vector<std::string>& plan) {
  std::vector<std::string> arguments{"run", pipeline, "--report", folder / "report.json"};
  arguments.insert(arguments.end(), plan.begin(), plan.end());
  Program run(takt_command(arguments));
  const std::string begun = (folder / "begun").string();
  for (int i = 0; i < 6000 && read_file(begun).size() < 2; ++i)
    std::this_thread::sleep_for(std::chrono::milliseconds{10});
  const std::vector<pid_t> ranks = ranks_of(pipeline);
  if (ranks.size() != 3) throw std::runtime_error("there are no three ranks: " + run.err_so_far());
  ::kill(ranks.at(0), SIGSTOP);
  std::this_thread::sleep_for(std::chrono::seconds{1});
  ::kill(ranks.at(0), SIGCONT);
  run.signal(SIGINT);
  const Result result = run.wait();
  EXPECT_EQ(result.exit_code, 0) << result.err;
  StoodStill seen{report_of(folder), {}};
  EXPECT_EQ(seen.report["frames"]["delivered"], seen.report["frames"]["ingested"]);
  EXPECT_EQ(seen.report["frames"]["lost"], 0);
  std::size_t stopped = 3;
  for (std::size_t rank = 0; rank < 3; ++rank)
    if (seen.report["ranks"][rank]["pid"] == ranks.at(0)) stopped = rank;
  EXPECT_LT(stopped, 3U);
  for (std::size_t rank = 0; rank < 3; ++rank) {
    if (rank == stopped) continue;
    double waited = 0;
    for (const json& wait : seen.report["ranks"][rank]["waits"])
      if (wait["rank"] == stopped) waited += wait["blocked"].get<double>() + wait["starved"].get<double>();
    seen.waited.push_back(waited);
  }
  return seen;
}

TEST(SharedSource, is_claimed_frame_by_frame_without_messages_between_ranks) {
  const TemporaryFolder folder;
  const std::string pipeline =
      folder.file("p.yaml", isolated_ranks_yaml(folder, "", "alarms, begun: " + (folder / "begun").string()));
  const StoodStill seen =
      run_with_a_rank_that_stands_still(folder, pipeline, {"--profile", costs_file(folder)});
  expect_shared_source(seen.report);
  EXPECT_THAT(seen.waited, ::testing::ElementsAre(0, 0));
}

/// Ranks 0 and 1 are a chain for every second frame; rank 2 runs all tasks of the other frames.
std::string schedule_of_a_chain_and_a_rank(const TemporaryFolder& folder, const std::string& pipeline) {
  const Planned planned = planned_for(folder, pipeline, "first", "second");
  return folder.file("chain.yaml", fmt::format(R"(scheduler: by hand
replicas: 2
processors:
  0:
    - {{compute: counter, start: 0, end: 1000}}
    - {{compute: first, start: 1000, end: 151000}}
    - {{send: 0, start: 151000, end: 171000}}
  1:
    - {{receive: 0, start: 181000, end: 201000}}
    - {{compute: second, start: 201000, end: 401000}}
    - {{compute: file, start: 401000, end: 403000}}
  2:
    - {{compute: counter, start: 0, end: 1000, instance: 1}}
    - {{compute: first, start: 1000, end: 151000, instance: 1}}
    - {{compute: second, start: 151000, end: 351000, instance: 1}}
    - {{compute: file, start: 351000, end: 353000, instance: 1}}
messages:
  - {{from: 0, to: 1, size: {}, data: [first]}}
{})",
                                               planned.size, planned.rest));
}

/// The schedule assigns alternate frames, so the ranks stay together.
TEST(SharedSource, keeps_ranks_with_alternate_frames_together) {
  const TemporaryFolder folder;
  const std::string pipeline =
      folder.file("p.yaml", isolated_ranks_yaml(folder, "", "alarms, begun: " + (folder / "begun").string()));
  const StoodStill seen = run_with_a_rank_that_stands_still(
      folder, pipeline, {"--schedule", schedule_of_a_chain_and_a_rank(folder, pipeline)});
  ASSERT_EQ(seen.waited.size(), 2U);
  // A second of the few seconds of the run.
  EXPECT_GT(std::ranges::max(seen.waited), 0.01);
  EXPECT_GT(std::ranges::min(seen.waited), 0);
}

TEST(SharedSource, begins_each_change_once_when_frames_are_claimed) {
  const TemporaryFolder folder;
  std::string text = isolated_ranks_yaml(folder, "", "alarms");
  const std::string task = "first: {kernel: spin, input: counter, time: 50 us}";
  text.replace(text.find(task), task.size(), "first: {kernel: clip, input: counter, high: 1e9}");
  text.replace(text.find("int32"), 5, "float32");
  Program run(takt_command(planned_run(folder, folder.file("p.yaml", text))));
  const auto end = std::chrono::steady_clock::now() + std::chrono::seconds{60};
  for (const char* change : {"first.high=7", "first.high=9", "first.high=11"}) {
    Result made = takt({"set", std::to_string(run.pid()), change});
    while (made.exit_code != 0 && std::chrono::steady_clock::now() < end)
      made = takt({"set", std::to_string(run.pid()), change});
    EXPECT_EQ(made.exit_code, 0) << made.err;
  }
  run.signal(SIGINT);
  ASSERT_EQ(run.wait().exit_code, 0);
  const json report = report_of(folder);
  expect_shared_source(report);
  ASSERT_EQ(report["changes"].size(), 3U);
  for (std::size_t i = 0; i < 3; ++i) {
    EXPECT_LT(report["changes"][i]["frame"], report["frames"]["ingested"]);
    if (i > 0) {
      EXPECT_GT(report["changes"][i]["frame"], report["changes"][i - 1]["frame"]);
    }
  }
}

}  // namespace
}  // namespace takt::test
