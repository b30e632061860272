/// Tests runs whose schedule contains several frames: stateless tasks of successive frames on different
/// ranks. Frames leave in order, none is lost at the end, and the output is that of one rank.

#include <cstdint>
#include <cstring>
#include <filesystem>
#include <thread>

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <nlohmann/json.hpp>
#include <signal.h>

#include "tests/pipeline/runtime/replicated_runs.hpp"
#include "tests/support/program.hpp"

namespace takt::test {
namespace {

using nlohmann::json;
using ::testing::HasSubstr;

/// Frame k contains k everywhere; the heavy tasks are stateless. With expensive messages, whole frames on
/// other ranks are better than divided ones.
std::string chain_yaml(const TemporaryFolder& folder, const std::string& frames) {
  return fmt::format(R"(name: replicated
sources:
  counter: {{type: synthetic, element: int32, axes: [sample={}], pattern: count, frames: {}}}
tasks:
  first: {{kernel: spin, input: counter, time: 150 us}}
  second: {{kernel: spin, input: first, time: 200 us}}
sinks:
  file: {{type: raw, input: second, path: {}}}
scheduler: optfo
deployment: {{ranks: 3, machine: 'logp:P=3,L=10000,o=20000,g=20000'}}
)",
                     elements, frames, (folder / "out.raw").string());
}

/// Returns branches, joins, two sinks, and a kernel with state that makes one frame of seven.
std::string diamond_yaml(const TemporaryFolder& folder, const std::string& frames) {
  return fmt::format(R"(name: diamond
plugins: [{}]
sources:
  counter: {{type: synthetic, element: int32, axes: [sample={}], pattern: count, frames: {}}}
tasks:
  left: {{kernel: spin, input: counter, time: 200 us}}
  right: {{kernel: spin, input: counter, time: 100 us}}
  both: {{kernel: add, inputs: [left, right]}}
  sevens: {{kernel: sum_of_frames, input: both, frames: 7}}
  after: {{kernel: spin, input: sevens, time: 150 us}}
sinks:
  sums: {{type: raw, input: after, path: {}}}
  plain: {{type: raw, input: right, path: {}}}
scheduler: optfo
deployment: {{ranks: 3, machine: 'logp:P=3,L=10000,o=10000,g=10000'}}
)",
                     TAKT_TEST_KERNELS, elements, frames, (folder / "sums.raw").string(),
                     (folder / "out.raw").string());
}

void expect_replicated(const json& report) {
  EXPECT_GT(report["replicas"], 1);
  std::size_t most_ranks = 0;
  for (const json& task : report["tasks"]) {
    if (task["kind"] == "sink") {
      EXPECT_EQ(task["ranks"].size(), 1U) << task["name"];
    }
    most_ranks = std::max(most_ranks, task["ranks"].size());
  }
  EXPECT_GT(most_ranks, 1U);
}

class ReplicatedRun : public ::testing::TestWithParam<int> {};

TEST_P(ReplicatedRun, delivers_any_number_of_frames_in_order) {
  const TemporaryFolder folder;
  const std::string pipeline = folder.file("p.yaml", chain_yaml(folder, std::to_string(GetParam())));
  const Result result = takt(planned_run(folder, pipeline));
  ASSERT_EQ(result.exit_code, 0) << result.err;
  const json report = report_of(folder);
  expect_replicated(report);
  EXPECT_EQ(report["frames"]["ingested"], GetParam());
  EXPECT_EQ(report["frames"]["delivered"], GetParam());
  EXPECT_EQ(report["frames"]["dropped"], 0);
  std::vector<std::int32_t> expected;
  for (std::int32_t k = 0; k < GetParam(); ++k) expected.push_back(k);
  EXPECT_EQ(first_of_each_frame(folder / "out.raw"), expected);
}

// An iteration has a handful of frames, so these numbers end at every frame of an iteration.
INSTANTIATE_TEST_SUITE_P(Frames, ReplicatedRun,
                         ::testing::Values(1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 997, 1000));

class ReplicatedGraph : public ::testing::TestWithParam<int> {};

TEST_P(ReplicatedGraph, with_state_in_the_middle_has_the_output_of_one_rank) {
  const TemporaryFolder folder;
  const std::string pipeline = folder.file("p.yaml", diamond_yaml(folder, std::to_string(GetParam())));
  ASSERT_EQ(takt({"run", pipeline, "--ranks", "1", "--machine", "logp:P=1,L=0,o=0,g=0"}).exit_code, 0);
  const std::string sums = read_file(folder / "sums.raw"), plain = read_file(folder / "out.raw");
  EXPECT_EQ(plain.size(), GetParam() * elements * 4);
  EXPECT_EQ(sums.size(), (GetParam() + 6) / 7 * elements * 4);

  const Result result = takt(planned_run(folder, pipeline));
  ASSERT_EQ(result.exit_code, 0) << result.err;
  const json report = report_of(folder);
  expect_replicated(report);
  EXPECT_EQ(report["frames"]["delivered"], GetParam());
  EXPECT_TRUE(read_file(folder / "sums.raw") == sums);
  EXPECT_TRUE(read_file(folder / "out.raw") == plain);
}

INSTANTIATE_TEST_SUITE_P(Frames, ReplicatedGraph, ::testing::Values(1, 6, 7, 8, 50, 101, 105));

TEST(ReplicatedRun, stops_after_the_requested_frames) {
  const TemporaryFolder folder;
  const std::string pipeline = folder.file("p.yaml", chain_yaml(folder, "1000000000"));
  for (const std::size_t frames : {1U, 17U, 100U}) {
    ASSERT_EQ(takt(planned_run(folder, pipeline, {"--frames", std::to_string(frames)})).exit_code, 0);
    EXPECT_EQ(report_of(folder)["frames"]["delivered"], frames);
    EXPECT_EQ(first_of_each_frame(folder / "out.raw").size(), frames);
  }
}

TEST(ReplicatedRun, ends_in_order_on_an_interrupt) {
  const TemporaryFolder folder;
  const std::string pipeline = folder.file("p.yaml", chain_yaml(folder, "1000000000"));
  Program program(takt_command(planned_run(folder, pipeline)));
  const auto end = std::chrono::steady_clock::now() + std::chrono::seconds{60};
  while (!std::filesystem::exists(folder / "out.raw") ||
         std::filesystem::file_size(folder / "out.raw") < 50 * elements * 4) {
    ASSERT_LT(std::chrono::steady_clock::now(), end) << "the run did not start";
    std::this_thread::sleep_for(std::chrono::milliseconds{10});
  }
  program.signal(SIGINT);
  const Result result = program.wait();
  EXPECT_EQ(result.exit_code, 0) << result.err;
  const json report = report_of(folder);
  expect_replicated(report);
  EXPECT_GE(report["frames"]["delivered"], 50);
  EXPECT_EQ(report["frames"]["delivered"], report["frames"]["ingested"]);
  const std::vector<std::int32_t> values = first_of_each_frame(folder / "out.raw");
  EXPECT_EQ(values.size(), report["frames"]["delivered"].get<std::size_t>());
  for (std::size_t k = 0; k < values.size(); ++k) ASSERT_EQ(values[k], static_cast<std::int32_t>(k));
}

TEST(ReplicatedRun, reports_the_frames_per_iteration) {
  const TemporaryFolder folder;
  const Result result = takt(planned_run(folder, folder.file("p.yaml", chain_yaml(folder, "100"))));
  ASSERT_EQ(result.exit_code, 0) << result.err;
  EXPECT_THAT(result.out, HasSubstr("frames in an iteration"));
}

/// Frame k contains k everywhere, limited by a bound that changes during the run.
TEST(ReplicatedRun, applies_a_changed_parameter_at_the_same_frame_on_all_ranks) {
  const TemporaryFolder folder;
  const std::string pipeline = folder.file(
      "p.yaml", fmt::format(R"(name: changing
sources:
  counter: {{type: synthetic, element: float32, axes: [sample={}], pattern: count, rate: 500 Hz, depth: 4096}}
tasks:
  first: {{kernel: clip, input: counter, high: 1e9}}
  second: {{kernel: spin, input: first, time: 20 us}}
sinks:
  file: {{type: raw, input: second, path: {}}}
  other: {{type: raw, input: counter, path: {}}}
scheduler: optfo
deployment: {{ranks: 3, machine: 'logp:P=3,L=10000,o=20000,g=20000'}}
)",
                            elements, (folder / "out.raw").string(), (folder / "other.raw").string()));
  Program run(takt_command(planned_run(folder, pipeline)));
  const auto set = [&](const std::string& change) {
    return takt({"set", std::to_string(run.pid()), change, "--format", "json"});
  };
  Result made = set("first.high=7");
  const auto end = std::chrono::steady_clock::now() + std::chrono::seconds{60};
  while (made.exit_code != 0 && std::chrono::steady_clock::now() < end) made = set("first.high=7");
  ASSERT_EQ(made.exit_code, 0) << made.err;
  const Result wrong = set("first.hihg=9");
  EXPECT_EQ(wrong.exit_code, 2);
  EXPECT_THAT(wrong.err, HasSubstr("did you mean 'high'?"));
  run.signal(SIGINT);
  ASSERT_EQ(run.wait().exit_code, 0);

  const json report = json::parse(read_file(folder / "report.json"));
  EXPECT_GT(report["replicas"], 1);
  ASSERT_EQ(report["changes"].size(), 1U);
  const std::size_t from = report["changes"][0]["frame"];
  EXPECT_EQ(json::parse(made.out)["made"]["frame"], from);
  EXPECT_THAT(read_file(folder / "out.raw.history"),
              HasSubstr(fmt::format("frame {}: first.high = 7 (was 1e9)", from)));
  // Output before the task has no history of changes.
  EXPECT_FALSE(std::filesystem::exists(folder / "other.raw.history"));
  const std::string bytes = read_file(folder / "out.raw");
  std::size_t wrong_frames = 0, frames = bytes.size() / (elements * 4);
  ASSERT_GT(frames, from);
  for (std::size_t k = 0; k < frames; ++k) {
    float value = 0;
    std::memcpy(&value, bytes.data() + k * elements * 4, 4);
    const auto plain = static_cast<float>(k);
    if (value != (k < from ? plain : std::min(plain, 7.0F))) ++wrong_frames;
  }
  EXPECT_EQ(wrong_frames, 0U);
}

}  // namespace
}  // namespace takt::test
