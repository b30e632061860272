/// Tests runs of graphs that are more than a chain: joins, several sinks,
/// kernels that combine frames, failing kernels.

#include <chrono>
#include <cstdint>
#include <cstring>
#include <filesystem>
#include <thread>

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <nlohmann/json.hpp>
#include <signal.h>

#include "core/system/clock.hpp"
#include "schedulers/registry/registry.hpp"
#include "tests/support/program.hpp"

namespace takt::test {
namespace {

using nlohmann::json;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::Not;

constexpr std::size_t elements = 16;

std::vector<std::int32_t> read_frames(const std::filesystem::path& path) {
  const std::string bytes = read_file(path);
  std::vector<std::int32_t> values(bytes.size() / sizeof(std::int32_t));
  std::memcpy(values.data(), bytes.data(), bytes.size());
  return values;
}

/// Frame k contains k everywhere, so the frames of a sink are known.
std::string source_yaml(const std::string& name, const std::string& frames) {
  return fmt::format(
      "  {}: {{type: synthetic, element: int32, axes: [sample={}], pattern: count, frames: {}}}\n", name,
      elements, frames);
}

/// Returns a diamond with a long and a short side, and a sink at the source.
std::string diamond_yaml(const TemporaryFolder& folder) {
  return fmt::format("name: diamond\nplugins: [{}]\nsources:\n{}", TAKT_TEST_KERNELS,
                     source_yaml("counter", "103")) +
         fmt::format(R"(tasks:
  left: {{kernel: pass, input: counter}}
  right: {{kernel: spin, input: counter, time: 20 us}}
  longer: {{kernel: spin, input: right, time: 30 us}}
  both: {{kernel: add, inputs: [left, longer]}}
  tens: {{kernel: sum_of_frames, input: both, frames: 10}}
sinks:
  sums: {{type: raw, input: tens, path: {}}}
  plain: {{type: raw, input: counter, path: {}}}
deployment: {{ranks: 3}}
)",
                     (folder / "sums").string(), (folder / "plain").string());
}

/// On each rank of a chain of three with a file at its end, for ten thousand frames.
TEST(GraphRun, neither_allocates_nor_takes_locks_between_frames) {
  const std::string counter = TAKT_CALL_COUNTER;
  if (counter.empty()) GTEST_SKIP() << "a sanitizer has an allocator of its own";
  const TemporaryFolder folder;
  const std::string pipeline = folder.file(
      "p.yaml", fmt::format("plugins: [{}]\nsources:\n{}", TAKT_TEST_KERNELS, source_yaml("s", "12000")) +
                    fmt::format(R"(tasks:
  a: {{kernel: thrifty, input: s, from: 1000, to: 11000}}
  b: {{kernel: thrifty, input: a, from: 1000, to: 11000}}
  c: {{kernel: thrifty, input: b, from: 1000, to: 11000}}
sinks: {{o: {{type: raw, input: c, path: {}}}}}
scheduler: chains
deployment: {{ranks: 3}}
)",
                                (folder / "o").string()));
  const std::string profile = folder.file("costs.yaml", [] {
    std::string costs = "costs:\n";
    for (const auto& [stage, us] : {std::pair("s", 1), {"a", 99}, {"b", 100}, {"c", 99}, {"o", 1}})
      costs += fmt::format("  {}: {{cost: {} us, low: 1 us, high: 1 us, runs: 9}}\n", stage, us);
    return costs;
  }());
  for (const char* ranks : {"1", "3"}) {
    std::vector<std::string> command = takt_command(
        {"run", pipeline, "--profile", profile, "--ranks", ranks, "--overwrite", "--report", folder / "r"});
    command.insert(command.begin(), {"env", "LD_PRELOAD=" + counter});
    const Result result = Program(command).wait();
    EXPECT_EQ(result.exit_code, 0) << ranks << " ranks: " << result.err;
    const json report = json::parse(read_file(folder / "r"));
    EXPECT_EQ(report["frames"]["delivered"], 12000);
  }
}

class EveryScheduler : public ::testing::TestWithParam<std::string> {};

TEST_P(EveryScheduler, computes_the_exact_output_of_a_graph_with_joins) {
  const TemporaryFolder folder;
  const std::string pipeline = folder.file("p.yaml", diamond_yaml(folder));
  const Result result =
      takt({"run", pipeline, "--scheduler", GetParam(), "--report", folder / "report.json"});
  ASSERT_EQ(result.exit_code, 0) << result.err;

  const json report = json::parse(read_file(folder / "report.json"));
  EXPECT_EQ(report["frames"]["ingested"], 103);
  EXPECT_EQ(report["frames"]["delivered"], 103);
  const std::vector<std::int32_t> plain = read_frames(folder / "plain");
  ASSERT_EQ(plain.size(), 103 * elements);
  for (std::size_t k = 0; k < 103; ++k) EXPECT_EQ(plain[k * elements], static_cast<std::int32_t>(k));

  // Ten sums of 2k over ten frames, then the rest: frames 100, 101, 102.
  const std::vector<std::int32_t> sums = read_frames(folder / "sums");
  ASSERT_EQ(sums.size(), 11 * elements);
  for (std::size_t j = 0; j < 10; ++j)
    EXPECT_EQ(sums[j * elements], static_cast<std::int32_t>(2 * (100 * j + 45))) << j;
  EXPECT_EQ(sums[10 * elements], 2 * (100 + 101 + 102));
}

std::vector<std::string> bounded_schedulers() {
  std::vector<std::string> names;
  for (const schedulers::Scheduler& scheduler : schedulers::all_schedulers())
    names.emplace_back(scheduler.name);
  return names;
}

INSTANTIATE_TEST_SUITE_P(All, EveryScheduler, ::testing::ValuesIn(bounded_schedulers()),
                         [](const auto& test) { return test.param; });

TEST(GraphRun, refuses_to_join_diverging_frames) {
  // `sum` combines frames without declaring it in the rate of its output, so the file check cannot detect it.
  const TemporaryFolder folder;
  const std::string yaml = fmt::format("name: parted\nplugins: [{}]\nsources:\n{}", TAKT_TEST_KERNELS,
                                       source_yaml("counter", "40")) +
                           fmt::format(R"(tasks:
  tens: {{kernel: sum_of_frames, input: counter, frames: 10}}
  both: {{kernel: add, inputs: [counter, tens]}}
sinks:
  file: {{type: raw, input: both, path: {}}}
)",
                                       (folder / "out").string());
  const Result result = takt({"run", folder.file("p.yaml", yaml)});
  EXPECT_EQ(result.exit_code, 1);
  EXPECT_THAT(result.err, HasSubstr("task 'both' on rank 0"));
  EXPECT_THAT(result.err, HasSubstr("its inputs diverge: frame 0 of 'counter', no frame of 'tens'"));
}

TEST(GraphRun, refuses_to_join_flushed_output_of_one_input_with_none_of_the_other) {
  // Neither input has a frame before the end of the stream.
  const TemporaryFolder folder;
  const std::string yaml = fmt::format("name: parted\nplugins: [{}]\nsources:\n{}", TAKT_TEST_KERNELS,
                                       source_yaml("counter", "5")) +
                           fmt::format(R"(tasks:
  rest: {{kernel: sum_of_frames, input: counter, frames: 10}}
  nothing: {{kernel: swallow, input: counter}}
  both: {{kernel: add, inputs: [rest, nothing]}}
sinks:
  file: {{type: raw, input: both, path: {}}}
)",
                                       (folder / "out").string());
  const Result result = takt({"run", folder.file("p.yaml", yaml)});
  EXPECT_EQ(result.exit_code, 1);
  EXPECT_THAT(result.err, HasSubstr("its inputs diverge: frame 0 of 'rest', no frame of 'nothing'"));
}

TEST(GraphRun, measures_no_latency_of_flushed_output_without_an_ingest_time) {
  // The header of the flushed frame is empty except for `combined`; the machine's uptime exceeds the run.
  const TemporaryFolder folder;
  const std::string yaml = fmt::format("name: rest\nplugins: [{}]\nsources:\n{}", TAKT_TEST_KERNELS,
                                       source_yaml("counter", "25")) +
                           R"(tasks:
  tens: {kernel: sum_of_frames, input: counter, frames: 10}
sinks:
  away: {type: 'null', input: tens}
)";
  const std::int64_t begun_ns = now_ns();
  ASSERT_EQ(takt({"run", folder.file("p.yaml", yaml), "--report", folder / "report.json"}).exit_code, 0);
  const json report = json::parse(read_file(folder / "report.json"));
  EXPECT_EQ(report["frames"]["delivered"], 25);
  EXPECT_GT(report["latency_ns"]["max"], 0);
  EXPECT_LT(report["latency_ns"]["max"], now_ns() - begun_ns);
}

TEST(GraphRun, measures_no_latency_of_output_that_waited_for_the_end) {
  const TemporaryFolder folder;
  const std::string yaml = R"(
sources: {s: {type: synthetic, element: float32, axes: [time=1, channel=1], pattern: count, rate: 1 kHz, frames: 150}}
tasks: {all: {kernel: integrate, input: s, factor: 1000, mode: sum}}
sinks: {o: {type: 'null', input: all}}
)";
  ASSERT_EQ(takt({"run", folder.file("p.yaml", yaml), "--report", folder / "report.json"}).exit_code, 0);
  const json report = json::parse(read_file(folder / "report.json"));
  EXPECT_EQ(report["frames"]["delivered"], 150);
  EXPECT_TRUE(report["latency_ns"]["max"].is_null()) << report["latency_ns"];
}

TEST(GraphRun, flushes_each_of_two_successive_kernels_that_combine_frames) {
  // Two of frames 0 to 8 are lost: sums of two are 1, 5, 9 and 8, sums of two of these 6, 9 and 8. At the
  // end the second kernel outputs 9, since its next group has begun, and must still output 8.
  for (const int ranks : {1, 3}) {
    const TemporaryFolder folder;
    const std::string yaml = fmt::format(R"(name: rests
plugins: [{}]
sources:
  counter: {{type: synthetic, element: float32, axes: [time=1, channel=1], pattern: count, frames: 9}}
tasks:
  gaps: {{kernel: swallow, input: counter, from: 6, to: 7}}
  pairs: {{kernel: integrate, input: gaps, factor: 2, mode: sum}}
  fours: {{kernel: integrate, input: pairs, factor: 2, mode: sum}}
sinks:
  file: {{type: raw, input: fours, path: {}}}
scheduler: {{name: random, seed: 5}}
deployment: {{ranks: {}}}
)",
                                         TAKT_TEST_KERNELS, (folder / "out").string(), ranks);
    const Result result = takt({"run", folder.file("p.yaml", yaml), "--report", folder / "report.json"});
    ASSERT_EQ(result.exit_code, 0) << result.err;
    const std::string bytes = read_file(folder / "out");
    std::vector<float> sums(bytes.size() / sizeof(float));
    std::memcpy(sums.data(), bytes.data(), bytes.size());
    EXPECT_THAT(sums, ElementsAre(6, 9, 8));
    const json frames = json::parse(read_file(folder / "report.json"))["frames"];
    EXPECT_EQ(frames["delivered"], 7);
    EXPECT_EQ(frames["absorbed"], 2);
  }
}

TEST(GraphRun, refuses_kernels_with_an_invalid_rate) {
  const TemporaryFolder folder;
  for (const char* rate : {"-1", "nan", "inf"}) {
    const std::string pipeline = folder.file(
        "p.yaml", fmt::format("plugins: [{}]\nsources:\n{}tasks:\n  a: {{kernel: rate, input: s, of: '{}'}}\n"
                              "sinks: {{o: {{type: 'null', input: a}}}}\n",
                              TAKT_TEST_KERNELS, source_yaml("s", "3"), rate));
    const Result result = takt({"plan", pipeline});
    EXPECT_EQ(result.exit_code, 2) << rate;
    EXPECT_THAT(result.err, HasSubstr(fmt::format("task 'a': its frames have a rate of {} Hz", rate)));
  }
}

TEST(GraphRun, names_the_kernel_that_failed_and_reports_the_delivered_frames) {
  const TemporaryFolder folder;
  const std::string yaml = fmt::format("name: failing\nplugins: [{}]\nsources:\n{}", TAKT_TEST_KERNELS,
                                       source_yaml("counter", "1000000000")) +
                           fmt::format(R"(tasks:
  slow: {{kernel: spin, input: counter, time: 100 us}}
  fragile: {{kernel: fail, input: slow, frame: 500}}
  after: {{kernel: spin, input: fragile, time: 100 us}}
sinks:
  file: {{type: raw, input: after, path: {}}}
deployment: {{ranks: 3}}
)",
                                       (folder / "out").string());
  const Result result = takt({"run", folder.file("p.yaml", yaml), "--report", folder / "report.json"});
  EXPECT_EQ(result.exit_code, 1);
  EXPECT_THAT(result.err, HasSubstr("task 'fragile' on rank"));
  EXPECT_THAT(result.err, HasSubstr("the antenna fell over"));
  const json report = json::parse(read_file(folder / "report.json"));
  EXPECT_LE(report["frames"]["delivered"], 500);
  // A rank that mpirun kills before its report has sent its counts up to a tenth of a second earlier.
  EXPECT_GE(report["frames"]["ingested"], report["frames"]["delivered"]);
  // Every delivered frame is complete in the file.
  EXPECT_EQ(std::filesystem::file_size(folder / "out") % (elements * 4), 0U);
  EXPECT_GE(std::filesystem::file_size(folder / "out"),
            report["frames"]["delivered"].get<std::size_t>() * elements * 4);
}

/// Costs are measured on frames before frame 100, and no trial run ends before it: the plan of these costs
/// has hundreds of iterations.
TEST(GraphRun, starts_although_its_trial_run_fails) {
  const TemporaryFolder folder;
  for (const std::string how : {"throw", "crash"}) {
    SCOPED_TRACE(how);
    const std::string yaml = fmt::format("name: failing\nplugins: [{}]\nsources:\n{}", TAKT_TEST_KERNELS,
                                         source_yaml("counter", "1000000000")) +
                             fmt::format(R"(tasks:
  slow: {{kernel: spin, input: counter, time: 100 us}}
  fragile: {{kernel: fail, input: slow, frame: 100, how: {}}}
sinks:
  file: {{type: raw, input: fragile, path: {}}}
)",
                                         how, (folder / "out").string());
    const Result result =
        takt({"run", folder.file("p.yaml", yaml), "--report", folder / "report.json", "--overwrite"});
    EXPECT_EQ(result.exit_code, 1);
    EXPECT_THAT(result.err, HasSubstr("started again without a trial run"));
    const json report = json::parse(read_file(folder / "report.json"));
    EXPECT_THAT(report["failure"].get<std::string>(), Not(HasSubstr("trial run")));
    // One rank: all frames before the one that failed.
    EXPECT_EQ(std::filesystem::file_size(folder / "out"), 100 * elements * 4);
  }
}

/// A sum needs a thousand frames, and there are a hundred.
TEST(GraphRun, notes_output_that_was_produced_only_at_the_end_of_the_stream) {
  const TemporaryFolder folder;
  const auto notes_of = [&](int frames) {
    const Result result =
        takt({"run",
              folder.file("p.yaml",
                          fmt::format("sources: {{s: {{type: synthetic, axes: [time=64], frames: 100}}}}\n"
                                      "tasks: {{sum: {{kernel: statistics, input: s, frames: {}}}}}\n"
                                      "sinks: {{o: {{type: 'null', input: sum}}}}\n",
                                      frames)),
              "--report", folder / "report.json"});
    EXPECT_EQ(result.exit_code, 0) << result.err;
    return json::parse(read_file(folder / "report.json"))["notes"].dump();
  };
  EXPECT_THAT(notes_of(1000), HasSubstr("tasks produced 100 of the 100 frames of 'o'"));
  EXPECT_THAT(notes_of(30), Not(HasSubstr("at the end of the stream")));
}

/// The flush of a kernel at the end of the stream may be endless.
TEST(GraphRun, ends_an_endless_flush_on_the_first_interrupt) {
  const TemporaryFolder folder;
  const std::filesystem::path out = folder / "out.raw";
  Program run(takt_command(
      {"run",
       folder.file("p.yaml", fmt::format("plugins: [{}]\nsources:\n{}tasks:\n  rest: {{kernel: endless, "
                                         "input: s}}\nsinks:\n  o: {{type: raw, input: rest, path: {}}}\n",
                                         TAKT_TEST_KERNELS, source_yaml("s", "3"), out.string()))}));
  const auto end = std::chrono::steady_clock::now() + std::chrono::seconds{60};
  const auto size = [&] {
    std::error_code error;
    const std::uintmax_t bytes = std::filesystem::file_size(out, error);
    return error ? 0 : bytes;
  };
  while (size() == 0 && std::chrono::steady_clock::now() < end)
    std::this_thread::sleep_for(std::chrono::milliseconds{10});
  run.signal(SIGINT);
  EXPECT_EQ(run.wait().exit_code, 0);
  EXPECT_GT(size(), 0U);
}

}  // namespace
}  // namespace takt::test
