/// Tests runs in which groups of ranks share a frame: their output is that of one rank, over every transport,
/// and they end like other runs.

#include <cmath>
#include <cstring>
#include <filesystem>
#include <thread>

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <nlohmann/json.hpp>
#include <signal.h>

#include "tests/support/program.hpp"

namespace takt::test {
namespace {

using nlohmann::json;
using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::Not;

/// Returns two data-parallel tasks after another task; no number of ranks divides the sizes.
std::string matrices_yaml(const TemporaryFolder& folder) {
  return fmt::format(R"(name: matrices
sources:
  array: {{type: synthetic, element: float32, axes: [sensor=23, time=41], pattern: noise, frames: 29}}
tasks:
  turned: {{kernel: transpose, input: array, axes: [time, sensor]}}
  covariance: {{kernel: matrix_product, inputs: [array, turned]}}
  component: {{kernel: power_iteration, input: covariance, iterations: 5}}
sinks:
  component_file: {{type: raw, input: component, path: {0}}}
  covariance_file: {{type: raw, input: covariance, path: {1}}}
)",
                     (folder / "component.raw").string(), (folder / "covariance.raw").string());
}

std::string sums_yaml(const TemporaryFolder& folder, const std::string& task, const std::string& frames,
                      const std::string& more_tasks = "", const std::string& last = "sum") {
  return fmt::format(R"(name: sums
plugins: [{}]
sources:
  counter: {{type: synthetic, element: int32, axes: [row=4, column=33], pattern: ramp, frames: {}}}
tasks:
  before: {{kernel: pass, input: counter}}
  sum: {{kernel: together, input: before, {}}}
{}sinks:
  file: {{type: raw, input: {}, path: {}}}
)",
                     TAKT_TEST_KERNELS, frames, task, more_tasks, last, (folder / "out.raw").string());
}

/// Returns costs for which groups are clearly faster.
std::string costs_file(const TemporaryFolder& folder) {
  std::string text = "costs:\n";
  for (const char* const name :
       {"array", "turned", "component_file", "covariance_file", "counter", "before", "file"})
    text += fmt::format("  {}: {{cost: 10 us, low: 10 us, high: 10 us, runs: 1}}\n", name);
  for (const char* const name : {"covariance", "component", "sum"})
    text += fmt::format(
        "  {}: {{cost: 9 ms, low: 9 ms, high: 9 ms, runs: 1, groups: {{2: 4600 us, 3: 3100 us, 4: 2400 "
        "us}}}}\n",
        name);
  text += "  few: {cost: 9 ms, low: 9 ms, high: 9 ms, runs: 1, groups: {2: 4600 us}}\n";
  return folder.file("costs.yaml", text);
}

std::vector<std::string> group_run(const TemporaryFolder& folder, const std::string& pipeline,
                                   std::size_t ranks, const std::vector<std::string>& more = {}) {
  std::vector<std::string> arguments{"run",
                                     pipeline,
                                     "--profile",
                                     costs_file(folder),
                                     "--machine",
                                     fmt::format("logp:P={},L=1000,o=500,g=500", ranks),
                                     "--overwrite",
                                     "--report",
                                     folder / "report.json"};
  arguments.insert(arguments.end(), more.begin(), more.end());
  return arguments;
}

json task_of(const json& report, const std::string& name) {
  for (const json& task : report["tasks"])
    if (task["name"] == name) return task;
  return {};
}

TEST(GroupRun, of_matrices_has_the_bits_of_one_rank_over_every_transport) {
  const TemporaryFolder folder;
  const std::string pipeline = folder.file("p.yaml", matrices_yaml(folder));
  ASSERT_EQ(takt(group_run(folder, pipeline, 1)).exit_code, 0);
  const std::string component = read_file(folder / "component.raw"),
                    covariance = read_file(folder / "covariance.raw");
  EXPECT_EQ(component.size(), 29U * 23 * 4);
  struct PlacementKind {
    std::size_t ranks;
    std::string transport, btl;
  };
  for (const PlacementKind& way : {PlacementKind{2, "auto", ""},
                                   {3, "auto", ""},
                                   {4, "auto", ""},
                                   {2, "mpi", ""},
                                   {4, "mpi", "tcp,self"}}) {
    std::filesystem::remove(folder / "component.raw");
    std::vector<std::string> command =
        takt_command(group_run(folder, pipeline, way.ranks,
                               {"--scheduler", "m_heft", "--set", "deployment.transport=" + way.transport}));
    if (!way.btl.empty()) command.insert(command.begin(), {"env", "OMPI_MCA_btl=" + way.btl});
    const Result result = Program(command).wait(std::chrono::seconds{60});
    ASSERT_EQ(result.exit_code, 0) << result.err;
    const json report = json::parse(read_file(folder / "report.json"));
    EXPECT_GT(task_of(report, "covariance")["group"], 1) << way.ranks;
    EXPECT_EQ(report["frames"]["ingested"], 29);
    EXPECT_EQ(report["frames"]["delivered"], 29);
    EXPECT_EQ(task_of(report, "covariance")["runs"], 29);
    EXPECT_TRUE(read_file(folder / "component.raw") == component) << way.ranks << way.transport << way.btl;
    EXPECT_TRUE(read_file(folder / "covariance.raw") == covariance) << way.ranks << way.transport << way.btl;
  }
}

/// Rank 0 ends a frame after it has begun the next one, for which the two ranks work together in between.
TEST(GroupRun, of_a_pipelined_schedule_has_the_bits_of_one_rank) {
  const TemporaryFolder folder;
  const std::string pipeline = folder.file("p.yaml", fmt::format(R"(name: matrices
sources:
  array: {{type: synthetic, element: float32, axes: [sensor=23, time=41], pattern: noise, frames: 29}}
tasks:
  turned: {{kernel: transpose, input: array, axes: [time, sensor]}}
  covariance: {{kernel: matrix_product, inputs: [array, turned]}}
  component: {{kernel: power_iteration, input: covariance, iterations: 5}}
sinks:
  file: {{type: raw, input: component, path: {}}}
)",
                                                                 (folder / "out.raw").string()));
  const std::string schedule = folder.file("s.yaml", R"(scheduler: optfo
repetition: 8700000
processors:
  0:
    - {compute: array, start: 0, end: 10000}
    - {compute: turned, start: 10000, end: 2010000}
    - {compute: covariance, start: 4040000, end: 8640000}
    - {compute: component, start: 10740000, end: 12740000}
    - {compute: file, start: 17350000, end: 17360000}
  1:
    - {compute: covariance, start: 4040000, end: 8640000}
machine:
  processors: 2
  costs: {all: {latency: 1000, overhead: 500, gap: 500}}
graph:
  tasks:
    - {name: array, work: 10000, stateless: true}
    - {name: turned, work: 2000000, stateless: true}
    - {name: covariance, times: {1: 9000000, 2: 4600000}, stateless: true}
    - {name: component, work: 2000000, stateless: true}
    - {name: file, work: 10000}
  edges:
    - {from: array, to: [turned, covariance], size: 3884}
    - {from: turned, to: covariance, size: 3884}
    - {from: covariance, to: component, size: 2228}
    - {from: component, to: file, size: 204}
)");
  const std::string report_file = folder / "report.json";
  ASSERT_EQ(takt({"run", pipeline, "--ranks", "1", "--overwrite"}).exit_code, 0);
  const std::string alone = read_file(folder / "out.raw");
  EXPECT_EQ(alone.size(), 29U * 23 * 4);
  for (const std::string transport : {"auto", "mpi"}) {
    std::filesystem::remove(folder / "out.raw");
    const Result result = takt({"run", pipeline, "--ranks", "2", "--schedule", schedule, "--set",
                                "deployment.transport=" + transport, "--overwrite", "--report", report_file});
    ASSERT_EQ(result.exit_code, 0) << result.err;
    const json report = json::parse(read_file(report_file));
    EXPECT_EQ(report["pipelined"], true);
    EXPECT_EQ(task_of(report, "covariance")["group"], 2);
    EXPECT_EQ(report["frames"]["delivered"], 29);
    EXPECT_TRUE(read_file(folder / "out.raw") == alone) << transport;
  }
}

TEST(GroupRun, of_a_large_transform_agrees_with_one_rank_within_rounding) {
  const TemporaryFolder folder;
  const std::string pipeline = folder.file("p.yaml", fmt::format(R"(name: transform
sources:
  array: {{type: synthetic, element: complex_float32, axes: [time=5040], pattern: noise, frames: 5}}
tasks:
  sum: {{kernel: large_fft, input: array}}
sinks:
  file: {{type: raw, input: sum, path: {}}}
)",
                                                                 (folder / "out.raw").string()));
  const auto numbers = [&] {
    const std::string bytes = read_file(folder / "out.raw");
    std::vector<float> values(bytes.size() / sizeof(float));
    std::memcpy(values.data(), bytes.data(), bytes.size());
    return values;
  };
  ASSERT_EQ(takt(group_run(folder, pipeline, 1)).exit_code, 0);
  const std::vector<float> alone = numbers();
  const Result result = takt(group_run(folder, pipeline, 3, {"--scheduler", "m_heft", "--check-memory"}));
  ASSERT_EQ(result.exit_code, 0) << result.err;
  EXPECT_EQ(task_of(json::parse(read_file(folder / "report.json")), "sum")["group"], 3);
  const std::vector<float> together = numbers();
  ASSERT_EQ(together.size(), 5U * 2 * 5040);
  ASSERT_EQ(alone.size(), together.size());
  for (std::size_t i = 0; i < alone.size(); ++i) ASSERT_NEAR(together[i], alone[i], 5e-5F) << i;
}

TEST(GroupRun, with_state_flushes_its_output_at_the_end) {
  const TemporaryFolder folder;
  for (const char* const frames : {"1", "20", "21"}) {
    const std::string pipeline = folder.file("p.yaml", sums_yaml(folder, "frames: 7", frames));
    ASSERT_EQ(takt(group_run(folder, pipeline, 1)).exit_code, 0);
    const std::string alone = read_file(folder / "out.raw");
    EXPECT_EQ(alone.size(), (std::stoul(frames) + 6) / 7 * 4 * 33 * 4);
    const Result result = takt(group_run(folder, pipeline, 3, {"--scheduler", "mixed_fo"}));
    ASSERT_EQ(result.exit_code, 0) << result.err;
    const json report = json::parse(read_file(folder / "report.json"));
    EXPECT_GT(task_of(report, "sum")["group"], 1);
    EXPECT_EQ(report["frames"]["delivered"], std::stoi(frames));
    EXPECT_TRUE(read_file(folder / "out.raw") == alone) << frames;
  }
}

TEST(GroupRun, of_three_and_of_two_members_ends_with_the_same_frame) {
  const TemporaryFolder folder;
  // Rows 0, 1, 2-3 become rows 0-1 and 2-3: one member receives whole blocks, the other one assembles them.
  const std::string pipeline = folder.file(
      "p.yaml",
      sums_yaml(folder, "frames: 3", "16", "  few: {kernel: together, input: sum, frames: 4}\n", "few"));
  ASSERT_EQ(takt(group_run(folder, pipeline, 1)).exit_code, 0);
  const std::string alone = read_file(folder / "out.raw");
  EXPECT_EQ(alone.size(), 2U * 4 * 33 * 4);
  for (const char* const transport : {"auto", "mpi"}) {
    const Result result = takt(
        group_run(folder, pipeline, 3,
                  {"--scheduler", "m_heft", "--set", fmt::format("deployment.transport={}", transport)}));
    ASSERT_EQ(result.exit_code, 0) << result.err;
    const json report = json::parse(read_file(folder / "report.json"));
    EXPECT_EQ(task_of(report, "sum")["group"], 3);
    EXPECT_EQ(task_of(report, "few")["group"], 2);
    EXPECT_EQ(report["frames"]["delivered"], 16);
    EXPECT_TRUE(read_file(folder / "out.raw") == alone) << transport;
  }
}

TEST(GroupRun, ends_in_order_on_an_interrupt) {
  const TemporaryFolder folder;
  const std::string pipeline = folder.file("p.yaml", sums_yaml(folder, "frames: 1", "1000000000"));
  Program program(takt_command(group_run(folder, pipeline, 3, {"--scheduler", "mixed_fo"})));
  const auto end = std::chrono::steady_clock::now() + std::chrono::seconds{60};
  while (!std::filesystem::exists(folder / "out.raw") ||
         std::filesystem::file_size(folder / "out.raw") < 100'000) {
    ASSERT_LT(std::chrono::steady_clock::now(), end) << "the run did not start";
    std::this_thread::sleep_for(std::chrono::milliseconds{10});
  }
  program.signal(SIGINT);
  const Result result = program.wait();
  EXPECT_EQ(result.exit_code, 0) << result.err;
  const json report = json::parse(read_file(folder / "report.json"));
  EXPECT_EQ(report["frames"]["delivered"], report["frames"]["ingested"]);
  EXPECT_EQ(std::filesystem::file_size(folder / "out.raw"),
            report["frames"]["delivered"].get<std::size_t>() * 4 * 33 * 4);
}

TEST(GroupRun, ends_with_one_message_when_a_member_fails) {
  for (const auto& [how, expected] :
       {std::pair("throw", "task 'sum' on rank 1 .*: the antenna fell over"),
        std::pair("die", "rank 1 .*signal 9"), std::pair("hang", "task 'sum' hangs")}) {
    const TemporaryFolder folder;
    const std::string pipeline =
        folder.file("p.yaml", sums_yaml(folder, fmt::format("at: 40, how: {}", how), "1000000"));
    Program program(takt_command(group_run(
        folder, pipeline, 3, {"--scheduler", "mixed_fo", "--no-serve", "--set", "deployment.deadline=1 s"})));
    const Result result = program.wait(std::chrono::seconds{30});
    EXPECT_EQ(result.exit_code, 1) << how << result.err;
    EXPECT_THAT(result.err, ::testing::ContainsRegex(expected)) << how;
    // The other members, which waited for it, print nothing.
    EXPECT_EQ(std::ranges::count(result.err, '\n'), 1) << result.err;
  }
}

TEST(GroupRun, refuses_a_schedule_that_it_cannot_execute) {
  const TemporaryFolder folder;
  const std::string pipeline = folder.file("p.yaml", matrices_yaml(folder)), schedule = folder / "s.yaml";
  std::vector<std::string> plan = group_run(folder, pipeline, 3, {"--scheduler", "mixed_fo"});
  plan.front() = "plan";
  plan.erase(plan.begin() + 6, plan.begin() + 9);
  plan.insert(plan.end(), {"--output", schedule});
  const Result planned = takt(plan);
  ASSERT_EQ(planned.exit_code, 0) << planned.err;
  const Result short_of_ranks =
      takt({"run", pipeline, "--overwrite", "--ranks", "2", "--schedule", schedule});
  EXPECT_EQ(short_of_ranks.exit_code, 2);
  EXPECT_THAT(short_of_ranks.err, HasSubstr("it is for 3 processors, the pipeline runs on 2 ranks"));
  // The plan is run.
  const Result run = takt({"run", pipeline, "--overwrite", "--ranks", "3", "--schedule", schedule});
  EXPECT_EQ(run.exit_code, 0) << run.err;
  const Result alone = takt({"run", pipeline, "--overwrite", "--ranks", "3", "--schedule", schedule, "--set",
                             "tasks.component={kernel: detrend, input: covariance}"});
  EXPECT_EQ(alone.exit_code, 2);
  EXPECT_THAT(alone.err, Not(HasSubstr("exception")));
}

}  // namespace
}  // namespace takt::test
