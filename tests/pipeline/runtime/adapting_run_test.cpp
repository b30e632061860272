/// Tests how a run switches to another plan (`takt run --adapt`): kernels move with their state and their
/// parameters. The program changing_run makes the plans from given costs instead of measurements, and each
/// run lasts until it has switched, however long that takes on a loaded host. Tests of planning/ and launch/
/// cover whether and when a change pays, on a simulated clock.

#include <cstring>
#include <filesystem>
#include <functional>
#include <optional>
#include <regex>
#include <set>
#include <vector>

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <nlohmann/json.hpp>
#include <signal.h>

#include "logp/machine.hpp"
#include "logp/schedule_file.hpp"
#include "pipeline/config/pipeline.hpp"
#include "tests/support/program.hpp"

namespace takt::test {
namespace {

using nlohmann::json;
using ::testing::HasSubstr;

using Costs = std::vector<std::pair<const char*, std::int64_t>>;

/// A pipeline that changes from the plan for `planned` to the plan for `real` costs, in nanoseconds per call.
class ChangingRun {
 public:
  /// `yaml` is the pipeline without the deployment's machine of two ranks.
  ChangingRun(const TemporaryFolder& folder, const std::string& yaml, const Costs& planned, const Costs& real,
              const char* deployment = "")
      : folder_(folder),
        words_({folder.file("p.yaml", yaml + fmt::format("deployment: {{ranks: 2, machine: "
                                                         "\"logp:P=2,L=1,o=1,g=1\"{}}}\n",
                                                         deployment)),
                folder.file("planned.yaml", profile(planned)), folder.file("real.yaml", profile(real)),
                "1000000000", folder / "report.json"}) {}

  /// Begins with the plan for `planned`, or with a schedule.
  [[nodiscard]] std::vector<std::string> command(const std::string& schedule = "") const {
    std::vector<std::string> command = words_;
    command.insert(command.begin(), TAKT_CHANGING_RUN);
    if (!schedule.empty()) command.push_back(schedule);
    return command;
  }
  /// Returns the command of a run without a change of plan.
  [[nodiscard]] std::vector<std::string> unchanged(std::uint64_t frames) const {
    return takt_command({"run", words_[0], "--profile", words_[1], "--frames", fmt::to_string(frames),
                         "--overwrite", "--no-serve"});
  }
  /// Runs until it has switched to another plan and this condition holds, and ends it in order.
  [[nodiscard]] Result switched(
      const std::function<bool()>& condition = [] { return true; }, const std::string& schedule = "") const {
    Program run(command(schedule));
    EXPECT_TRUE(run.await_err("switched to a plan"));
    EXPECT_TRUE(run.await(condition));
    run.signal(SIGINT);
    return run.wait();
  }
  [[nodiscard]] json report() const { return json::parse(read_file(folder_ / "report.json")); }
  [[nodiscard]] json ranks_of(std::size_t task) const { return report()["tasks"][task]["ranks"]; }

 private:
  static std::string profile(const Costs& costs) {
    std::string yaml = "costs:\n";
    for (const auto& [stage, ns] : costs)
      yaml += fmt::format("  {0}: {{cost: {1} ns, low: {1} ns, high: {1} ns, runs: 9}}\n", stage, ns);
    return yaml;
  }

  const TemporaryFolder& folder_;
  std::vector<std::string> words_;
};

/// Both kernels with state move from rank 0 to rank 1, whose task processes one frame of 192.
TEST(AdaptingRun, moves_kernels_with_their_state_and_changes_no_byte) {
  const TemporaryFolder folder;
  const std::string yaml = fmt::format(R"(
sources: {{s: {{type: synthetic, element: float32, axes: [time=64, channel=1024], pattern: ramp, rate: 1 kHz,
               depth: 4096, start: "2020-01-01T00:00:00"}}}}
tasks:
  work: {{kernel: spin, input: s, time: 200 us}}
  means: {{kernel: integrate, input: work, factor: 192}}
  moments: {{kernel: statistics, input: work, frames: 5}}
  rest: {{kernel: spin, input: means, time: 90 us}}
sinks:
  a: {{type: raw, input: rest, path: {0}/a.raw, overwrite: true}}
  b: {{type: raw, input: moments, path: {0}/b.raw, overwrite: true}}
scheduler: chains
)",
                                       (folder / "").string());
  const ChangingRun run(folder, yaml,
                        {{"s", 100},
                         {"work", 1'000},
                         {"means", 1'000},
                         {"moments", 1'000},
                         {"rest", 600'000},
                         {"a", 100},
                         {"b", 100}},
                        {{"s", 1'000},
                         {"work", 200'000},
                         {"means", 30'000},
                         {"moments", 30'000},
                         {"rest", 90'000},
                         {"a", 1'000},
                         {"b", 1'000}});
  const auto size = [&](const char* file) {
    std::error_code none_yet;
    const auto bytes = std::filesystem::file_size(folder / file, none_yet);
    return none_yet ? 0 : bytes;
  };
  const auto files = [&] { return std::pair(read_file(folder / "a.raw"), read_file(folder / "b.raw")); };
  // Results of both sinks under the second plan.
  std::optional<std::pair<std::uintmax_t, std::uintmax_t>> then;
  const Result changed = run.switched([&] {
    if (!then) then.emplace(size("a.raw"), size("b.raw"));
    return size("a.raw") > then->first && size("b.raw") > then->second;
  });
  ASSERT_EQ(changed.exit_code, 0) << changed.err;
  const json report = run.report();
  EXPECT_THAT(report["notes"].dump(), HasSubstr("switched to a plan of chains"));
  EXPECT_EQ(run.ranks_of(2), json({1}));
  EXPECT_EQ(run.ranks_of(3), json({1}));
  EXPECT_EQ(report["frames"]["lost"], 0);
  const auto found = files();
  const Result as_planned = Program(run.unchanged(report["frames"]["ingested"])).wait();
  ASSERT_EQ(as_planned.exit_code, 0) << as_planned.err;
  EXPECT_FALSE(found.first.empty());
  EXPECT_FALSE(found.second.empty());
  EXPECT_TRUE(files() == found);
}

/// The pipelined plan drains before the change: both ends are on rank 0 and the middle on rank 1.
TEST(AdaptingRun, switches_from_a_pipelined_plan_and_changes_no_byte) {
  const TemporaryFolder folder;
  const std::string yaml = fmt::format(R"(
sources: {{s: {{type: synthetic, element: float32, axes: [time=64, channel=64], pattern: ramp, rate: 1 kHz,
               depth: 4096, start: "2020-01-01T00:00:00"}}}}
tasks:
  first: {{kernel: spin, input: s, time: 100 us, state: true}}
  means: {{kernel: integrate, input: first, factor: 192}}
  last: {{kernel: spin, input: means, time: 100 us, state: true}}
sinks:
  a: {{type: raw, input: last, path: {0}/a.raw, overwrite: true}}
scheduler: chains
)",
                                       (folder / "").string());
  const Costs costs{{"s", 1'000}, {"first", 100'000}, {"means", 1'000}, {"last", 90'000}, {"a", 100}};
  const ChangingRun run(folder, yaml, {{"s", 10}, {"first", 10}, {"means", 10}, {"last", 10}, {"a", 10}},
                        costs);
  pipeline::Pipeline loaded = pipeline::load_pipeline(folder / "p.yaml");
  loaded.keep_ends_on_one_rank();
  const TaskGraph graph = loaded.task_graph(std::vector<Time>(loaded.stages.size(), Time{10}));
  // The deployment's machine has costs of messages.
  Schedule schedule("by hand", 2);
  schedule.repetition = Time{100};
  const ProcessorId ends(0), middle(1);
  const auto compute = [&](ProcessorId rank, std::size_t task, int start) {
    // Tasks downstream of `means` have the work of one frame in 192.
    schedule.add_compute(rank, TaskId(task), Time{start}, Time{start} + graph.task(TaskId(task)).work);
  };
  const auto pass = [&](std::size_t task, ProcessorId from, ProcessorId to, int start) {
    const DatumId datum = graph.edge(graph.out_edges(TaskId(task)).front()).datum;
    const MessageId message = schedule.add_message(from, to, graph.datum_size(datum), {&datum, 1});
    schedule.add_send(from, message, Time{start}, Time{start + 1});
    schedule.add_receive(to, message, Time{start + 2}, Time{start + 3});
  };
  compute(ends, 0, 0);
  compute(ends, 1, 10);
  pass(1, ends, middle, 20);
  compute(middle, 2, 50);
  pass(2, middle, ends, 60);
  compute(ends, 3, 230);
  compute(ends, 4, 240);
  const std::string file = folder.file(
      "s.yaml", logp::schedule_to_yaml(graph, logp::parse_machine("logp:P=2,L=1,o=1,g=1"), schedule));
  const auto size = [&] {
    std::error_code none_yet;
    const auto bytes = std::filesystem::file_size(folder / "a.raw", none_yet);
    return none_yet ? 0 : bytes;
  };
  std::optional<std::uintmax_t> then;
  const Result changed = run.switched(
      [&] {
        if (!then) then = size();
        return size() > *then;
      },
      file);
  ASSERT_EQ(changed.exit_code, 0) << changed.err;
  const json report = run.report();
  EXPECT_THAT(report["notes"].dump(), HasSubstr("switched to a plan of chains"));
  EXPECT_EQ(report["frames"]["lost"], 0);
  const std::string found = read_file(folder / "a.raw");
  EXPECT_FALSE(found.empty());
  const Result as_planned = Program(run.unchanged(report["frames"]["ingested"])).wait();
  ASSERT_EQ(as_planned.exit_code, 0) << as_planned.err;
  EXPECT_TRUE(read_file(folder / "a.raw") == found);
}

/// A changed parameter remains valid on the rank to which the kernel moves, and so does its state: each
/// output sample is the sample two before it, times 1, later times 2.
TEST(AdaptingRun, moves_kernels_with_their_changed_parameters) {
  const TemporaryFolder folder;
  const std::string yaml = fmt::format(R"(
sources: {{s: {{type: synthetic, element: float32, axes: [time=4, channel=512], pattern: count, rate: 500 Hz,
               depth: 4096}}}}
tasks:
  work: {{kernel: spin, input: s, time: 1 ms}}
  echo: {{kernel: fir, input: work, coefficients: [0, 0, 1]}}
  more: {{kernel: spin, input: echo, time: 600 us}}
  rest: {{kernel: spin, input: more, time: 100 us}}
sinks:
  a: {{type: raw, input: rest, path: {0}/a.raw}}
scheduler: chains
)",
                                       (folder / "").string());
  const ChangingRun changing(
      folder, yaml,
      {{"s", 10}, {"work", 3'000}, {"echo", 1'000}, {"more", 3'000}, {"rest", 8'000}, {"a", 100}},
      {{"s", 10}, {"work", 1'000'000}, {"echo", 1'000}, {"more", 600'000}, {"rest", 100'000}, {"a", 1'000}});
  Program run(changing.command());
  const std::string pid = fmt::to_string(run.pid());
  Result made;
  ASSERT_TRUE(run.await([&] {
    made = takt({"set", pid, "echo.coefficients=[0, 0, 2]"});
    return made.exit_code == 0;
  })) << made.err;
  // takt top shows a state that is up to a fifth of a second old.
  Result top;
  ASSERT_TRUE(run.await([&] {
    top = takt({"top", "--once", "--pid", pid});
    return top.out.find("echo.coefficients = [0, 0, 2] (was [0, 0, 1]) from frame") != std::string::npos &&
           std::regex_search(top.out, std::regex("echo +1 "));
  })) << top.out;
  run.signal(SIGINT);
  const Result result = run.wait();
  ASSERT_EQ(result.exit_code, 0) << result.err;
  const json report = changing.report();
  EXPECT_THAT(report["notes"].dump(), HasSubstr("switched to a plan of chains"));
  EXPECT_EQ(changing.ranks_of(2), json({1}));
  ASSERT_EQ(report["changes"].size(), 1U);
  const std::size_t from = report["changes"][0]["frame"];
  const std::string bytes = read_file(folder / "a.raw");
  constexpr std::size_t row = 512, frame = 4 * row;
  std::vector<float> values(bytes.size() / sizeof(float));
  std::memcpy(values.data(), bytes.data(), values.size() * sizeof(float));
  const std::size_t frames = values.size() / frame;
  ASSERT_GT(frames, from);
  std::size_t wrong = 0;
  for (std::size_t k = 1; k < frames; ++k)
    for (std::size_t t = 0; t < 4; ++t) {
      const auto before = static_cast<float>(t < 2 ? k - 1 : k);
      wrong += values[k * frame + t * row] != (k < from ? before : 2 * before) ? 1 : 0;
    }
  EXPECT_EQ(wrong, 0U) << "of " << frames << " frames, set from " << from;
}

/// Source and sink stay: only kernels move.
TEST(AdaptingRun, divides_the_tasks_of_one_rank_with_source_and_sink) {
  const TemporaryFolder folder;
  const std::string yaml = R"(
sources: {s: {type: synthetic, axes: [time=64], rate: 500 Hz, depth: 4096}}
tasks:
  one: {kernel: spin, input: s, time: 1600 us}
  two: {kernel: spin, input: one, time: 1600 us}
sinks: {o: {type: 'null', input: two}}
)";
  const ChangingRun run(folder, yaml, {{"s", 10}, {"one", 1'000}, {"two", 1'000}, {"o", 10}},
                        {{"s", 10}, {"one", 1'600'000}, {"two", 1'600'000}, {"o", 10}});
  const Result result = run.switched();
  ASSERT_EQ(result.exit_code, 0) << result.err;
  const json report = run.report();
  EXPECT_THAT(report["notes"].dump(), HasSubstr("switched to a plan"));
  EXPECT_EQ(report["frames"]["delivered"], report["frames"]["ingested"]);
  std::set<std::size_t> ranks;
  for (const json& task : report["tasks"])
    for (const json& rank : task["ranks"]) ranks.insert(rank.get<std::size_t>());
  EXPECT_EQ(ranks.size(), 2U);
}

/// Returns a pipeline whose kernel `keeps` moves from rank 0 to rank 1. Its tasks take a fifth of the time,
/// so that each is watched on a loaded host, too.
std::string slow_to_save_state(const char* hand_over) {
  return fmt::format(R"(
plugins: [{}]
sources: {{s: {{type: synthetic, element: float32, axes: [time=64], rate: 1 kHz, depth: 4096}}}}
tasks:
  work: {{kernel: spin, input: s, time: 200 us}}
  keeps: {{kernel: slow, input: work, work: 200 us, hand_over: {}}}
  rest: {{kernel: spin, input: keeps, time: 40 us}}
sinks: {{o: {{type: 'null', input: rest}}}}
scheduler: chains
)",
                     TAKT_TEST_KERNELS, hand_over);
}
const Costs slow_as_planned{{"s", 100}, {"work", 800}, {"keeps", 800}, {"rest", 1'800}, {"o", 100}};
const Costs slow_as_it_is{{"s", 100}, {"work", 200'000}, {"keeps", 200'000}, {"rest", 40'000}, {"o", 100}};

/// At 1000 frames/s, 40 frames arrive during the hand-off of a kernel's state.
TEST(AdaptingRun, loses_no_frame_that_arrives_while_the_plan_changes) {
  const TemporaryFolder folder;
  const ChangingRun run(folder, slow_to_save_state("40 ms"), slow_as_planned, slow_as_it_is);
  const Result result = run.switched();
  ASSERT_EQ(result.exit_code, 0) << result.err;
  const json report = run.report();
  EXPECT_THAT(report["notes"].dump(), HasSubstr("switched to a plan of chains"));
  EXPECT_EQ(run.ranks_of(2), json({1}));
  EXPECT_GT(report["frames"]["delivered"], 40);
  EXPECT_EQ(report["frames"]["delivered"], report["frames"]["ingested"]);
  EXPECT_EQ(report["frames"]["lost"], 0);
  EXPECT_GE(report["latency_ns"]["max"], 40'000'000);
  // Waits under either plan, by peer; the rest is the wait for the ranks to finish the old plan.
  for (const json& rank : report["ranks"]) {
    double told = 0;
    for (const char* const waits : {"waits", "source_waits"})
      for (const json& wait : rank[waits]) told += wait["starved"].get<double>();
    EXPECT_LE(told, rank["starved"].get<double>() + 1e-9) << rank;
    EXPECT_GT(told, 0) << rank;
  }
}

/// Like a kernel that hangs at a frame: nothing else would end the run.
TEST(AdaptingRun, ends_when_a_kernel_hangs_in_its_hand_off) {
  const TemporaryFolder folder;
  const ChangingRun run(folder, slow_to_save_state("300 s"), slow_as_planned, slow_as_it_is,
                        ", deadline: 2 s");
  const Result result = Program(run.command()).wait();
  EXPECT_NE(result.exit_code, 0);
  EXPECT_THAT(result.err, HasSubstr("task 'keeps' hangs: changing over since"));
  // The report contains the frames before it.
  const json report = run.report();
  EXPECT_GT(report["frames"]["delivered"], 0);
  EXPECT_EQ(report["outputs"].size(), 1U);
}

}  // namespace
}  // namespace takt::test
