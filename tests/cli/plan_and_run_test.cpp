/// Tests that takt run follows the schedule that takt plan shows, and that a file can pass a plan on.

#include <cstdlib>
#include <fstream>

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <nlohmann/json.hpp>

#include "core/system/allowed_processors.hpp"
#include "core/units.hpp"
#include "tests/support/program.hpp"

namespace takt::test {
namespace {

using nlohmann::json;
using ::testing::AllOf;
using ::testing::AnyOf;
using ::testing::HasSubstr;

constexpr const char* machine = "logp:P=2,L=2000,o=1000,g=1000";

/// Work for two ranks, with costs that do not depend on this machine.
class PlanAndRun : public ::testing::Test {
 protected:
  PlanAndRun()
      : pipeline_(folder_.file("p.yaml", fmt::format(R"(name: shared
sources:
  s: {{type: synthetic, element: int32, axes: [sample=64], pattern: count, frames: 50}}
tasks:
  a: {{kernel: spin, input: s, time: 100 us}}
  b: {{kernel: spin, input: a, time: 100 us}}
sinks:
  o: {{type: raw, input: b, path: {}}}
rate: 10 Hz
deployment: {{ranks: 2, machine: "{}"}}
)",
                                                     (folder_ / "o.raw").string(), machine))),
        profile_(folder_.file("costs.yaml", R"(costs:
  s: {cost: 1 us, low: 1 us, high: 1 us, runs: 9}
  a: {cost: 100 us, low: 100 us, high: 100 us, runs: 9}
  b: {cost: 100 us, low: 100 us, high: 100 us, runs: 9}
  o: {cost: 1 us, low: 1 us, high: 1 us, runs: 9}
)")) {}

  [[nodiscard]] json plan(std::vector<std::string> options) const {
    options.insert(options.begin(), {"plan", pipeline_, "--profile", profile_, "--format", "json"});
    const Result result = takt(options);
    EXPECT_THAT(result.exit_code, ::testing::AnyOf(0, 1)) << result.err;
    return json::parse(result.out);
  }
  /// Returns the run's report.
  [[nodiscard]] json run(std::vector<std::string> options) const {
    options.insert(options.begin(), {"run", pipeline_, "--overwrite", "--format", "json"});
    const Result result = takt(options);
    EXPECT_EQ(result.exit_code, 0) << result.err;
    return json::parse(result.out);
  }
  [[nodiscard]] std::string written_plan(std::vector<std::string> options) const {
    const std::string file = folder_ / "plan.yaml";
    options.insert(options.begin(), {"plan", pipeline_, "--profile", profile_, "--output", file});
    EXPECT_EQ(takt(options).exit_code, 0);
    return file;
  }
  [[nodiscard]] std::string refusal(const std::string& schedule,
                                    std::vector<std::string> options = {}) const {
    options.insert(options.begin(), {"run", pipeline_, "--schedule", schedule});
    const Result result = takt(options);
    EXPECT_EQ(result.exit_code, 2);
    EXPECT_FALSE(std::filesystem::exists(folder_ / "o.raw"));
    return result.err;
  }
  /// Returns a copy of the file with one part of its text replaced.
  [[nodiscard]] std::string changed(const std::string& file, const std::string& from,
                                    const std::string& to) const {
    std::string text = read_file(file);
    const std::size_t at = text.find(from);
    EXPECT_NE(at, std::string::npos) << from << "\n" << text;
    return folder_.file("changed.yaml", text.replace(at, from.size(), to));
  }

  TemporaryFolder folder_;
  std::string pipeline_, profile_;
};

TEST_F(PlanAndRun, plan_alike_from_the_same_costs) {
  for (const std::vector<std::string>& options : {std::vector<std::string>{},
                                                  {"--objective", "frequency"},
                                                  {"--objective", "processors"},
                                                  {"--scheduler", "greedy"},
                                                  {"--set", "scheduler={name: random, seed: 7}"}}) {
    const json planned = plan(options);
    std::vector<std::string> with_profile = options;
    with_profile.insert(with_profile.end(), {"--profile", profile_});
    const json ran = run(with_profile);
    EXPECT_EQ(ran["scheduler"], planned["scheduler"]);
    EXPECT_EQ(ran["objective"], planned["pipeline"]["objective"]);
    EXPECT_EQ(ran["frequency_hz"]["predicted"], planned["pipeline"]["predicted_hz"]);
    for (std::size_t i = 0; i < 4; ++i)
      EXPECT_EQ(ran["tasks"][i]["ranks"], planned["pipeline"]["stages"][i]["ranks"]);
  }
}

TEST_F(PlanAndRun, obey_the_seed_of_the_file) {
  const auto placed = [&](const char* seed) {
    json tasks = plan({"--set", fmt::format("scheduler={{name: random, seed: {}}}", seed)})["tasks"];
    std::vector<int> processors;
    for (const json& task : tasks) processors.push_back(task["processor"]);
    return processors;
  };
  bool any_differs = false;
  for (const char* seed : {"2", "3", "4", "5", "6", "7"})
    any_differs = any_differs || placed(seed) != placed("1");
  EXPECT_TRUE(any_differs);
}

TEST_F(PlanAndRun, pass_a_schedule_on_as_a_file) {
  // A run would choose another plan: one rank has the least latency.
  const std::string file = written_plan({"--scheduler", "chains"});
  const json planned = plan({"--scheduler", "chains"});
  const json ran = run({"--schedule", file});
  EXPECT_EQ(ran["frames"]["delivered"], 50);
  EXPECT_EQ(ran["scheduler"], "chains");
  EXPECT_EQ(ran["objective"], "given");
  for (std::size_t i = 0; i < 4; ++i)
    EXPECT_EQ(ran["tasks"][i]["ranks"], planned["pipeline"]["stages"][i]["ranks"]);
  // takt verify and takt view read the files of takt plan.
  EXPECT_EQ(takt({"verify", file}).exit_code, 0);
  EXPECT_EQ(takt({"view", file}).exit_code, 0);
}

TEST_F(PlanAndRun, never_overwrite_their_inputs) {
  const std::string text = read_file(pipeline_), costs = read_file(profile_);
  for (const std::vector<std::string>& arguments :
       std::vector<std::vector<std::string>>{{"plan", pipeline_, "--output", pipeline_},
                                             {"plan", pipeline_, "--profile", profile_, "--output", profile_},
                                             {"profile", pipeline_, "--output", pipeline_},
                                             {"run", pipeline_, "--report", pipeline_}}) {
    const Result result = takt(arguments);
    EXPECT_EQ(result.exit_code, 2);
    EXPECT_THAT(result.err, AnyOf(HasSubstr("this is an input file"), HasSubstr("it is the pipeline file")));
  }
  EXPECT_EQ(read_file(pipeline_), text);
  EXPECT_EQ(read_file(profile_), costs);
}

TEST_F(PlanAndRun, write_a_plan_under_the_users_own_mpirun) {
  const std::string file = folder_ / "own.yaml";
  std::vector<std::string> command =
      takt_command({"plan", pipeline_, "--profile", profile_, "--output", file, "--format", "json"});
  ::setenv("OMPI_ALLOW_RUN_AS_ROOT", "1", 1);
  ::setenv("OMPI_ALLOW_RUN_AS_ROOT_CONFIRM", "1", 1);
  const std::vector<std::string> mpirun{"mpirun", "-n", "2", "--oversubscribe", "--bind-to", "none"};
  command.insert(command.begin(), mpirun.begin(), mpirun.end());
  const Result result = Program(command).wait();
  EXPECT_EQ(result.exit_code, 0) << result.err;
  EXPECT_EQ(json::parse(result.out)["pipeline"]["pipeline"], "shared");
  EXPECT_EQ(run({"--schedule", file})["objective"], "given");
}

TEST_F(PlanAndRun, refuse_schedules_that_do_not_fit) {
  const std::string file = written_plan({"--scheduler", "chains"});
  EXPECT_THAT(refusal(file, {"--set", "deployment.machine=''", "--ranks", "3"}),
              HasSubstr("it is for 2 processors, the pipeline runs on 3 ranks: expected --ranks 2"));
  EXPECT_THAT(refusal(file, {"--set", "sources.s.axes=[sample=65]"}),
              AllOf(HasSubstr("plan.yaml: not a schedule of pipeline 'shared': "),
                    HasSubstr("it lacks the connection s -> a of ")));
  EXPECT_THAT(refusal(file, {"--set", "tasks.a.kernel=pass", "--set", "tasks.a.time="}), HasSubstr("time"));
  EXPECT_THAT(refusal(changed(file, "work: 100000", "work: 90000")),
              HasSubstr("the checker rejects it: duration: "));
  // The machine of the pipeline is another one, on which the schedule is not valid.
  EXPECT_THAT(refusal(file, {"--machine", "logp:P=2,L=2000,o=1500,g=1500"}),
              HasSubstr("the checker rejects it on machine 'logp:P=2,L=2000,o=1500,g=1500'"));
  EXPECT_THAT(refusal(folder_ / "none.yaml"), HasSubstr("none.yaml: cannot read the file"));
}

TEST_F(PlanAndRun, show_the_plan_of_a_dry_run_without_starting_the_stream) {
  const Result dry = takt({"run", pipeline_, "--profile", profile_, "--dry-run"});
  EXPECT_EQ(dry.exit_code, 0) << dry.err;
  EXPECT_THAT(dry.out, AllOf(HasSubstr("shared: 2 ranks, scheduled by "), HasSubstr("int32[sample=64]"),
                             HasSubstr("memory for frames"), HasSubstr("10 Hz required"),
                             HasSubstr("busy at 10 Hz"), HasSubstr("limit: rank ")));
  EXPECT_EQ(dry.out, takt({"plan", pipeline_, "--profile", profile_}).out);
  EXPECT_FALSE(std::filesystem::exists(folder_ / "o.raw"));
  // A rate above the predicted one is reported before the run starts.
  const Result fast = takt({"run", pipeline_, "--profile", profile_, "--dry-run", "--rate", "1 MHz"});
  EXPECT_EQ(fast.exit_code, 1);
  EXPECT_THAT(fast.out, HasSubstr("the required rate of 1 MHz is above the predicted"));
  EXPECT_THAT(fast.out, ::testing::Not(HasSubstr("task 's' takes")));
}

TEST_F(PlanAndRun, count_only_the_allowed_processors) {
  const std::string allowed = std::to_string(allowed_processors().front());
  std::vector<std::string> command = takt_command({"plan", pipeline_, "--profile", profile_, "--scheduler",
                                                   "basic_fo", "--set", "deployment.machine=''"});
  command.insert(command.begin(), {"taskset", "-c", allowed});
  const Result result = Program(command).wait();
  EXPECT_THAT(result.exit_code, ::testing::AnyOf(0, 1)) << result.err;
  // The measured links decide whether the core or a message limits the rate.
  EXPECT_THAT(result.out, HasSubstr("but 2 ranks share"));
}

TEST_F(PlanAndRun, measure_the_links_when_no_machine_is_named) {
  const Result result =
      takt({"plan", pipeline_, "--profile", profile_, "--set", "deployment.machine=''", "--format", "json"});
  ASSERT_EQ(result.exit_code, 0) << result.err;
  EXPECT_EQ(json::parse(result.out)["pipeline"]["ranks"], 2);
  EXPECT_EQ(json::parse(result.out)["held"], true);
}

/// The program itself measures costs, so no other process can detect a hang.
TEST(Profile, ends_where_a_task_hangs) {
  const TemporaryFolder folder;
  const std::string file = folder.file("p.yaml", R"(sources: {s: {type: synthetic, axes: [time=4]}}
tasks: {a: {kernel: spin, input: s, time: 60 s}}
sinks: {o: {type: null, input: a}}
deployment: {deadline: 1 s}
)");
  const Result result = takt({"profile", file});
  EXPECT_EQ(result.exit_code, 1) << result.out;
  EXPECT_THAT(result.err, HasSubstr("task 'a' hangs: measuring since 1"));
  EXPECT_THAT(result.err, HasSubstr("raise 'deployment: {deadline"));
}

/// A task after a kernel that makes one frame of seven is called for a seventh of the frames.
TEST(Profile, accounts_for_infrequent_calls) {
  const TemporaryFolder folder;
  const std::string file = folder.file("p.yaml", R"(sources: {s: {type: synthetic, axes: [time=4]}}
tasks:
  sums: {kernel: integrate, input: s, factor: 28}
  work: {kernel: spin, input: sums, time: 7 ms}
sinks: {o: {type: null, input: work}}
)");
  const Result result = takt({"profile", file});
  ASSERT_EQ(result.exit_code, 0) << result.err;
  EXPECT_THAT(result.out, HasSubstr("1 in 7"));
  const auto time_after = [&](const std::string& words) {
    const std::size_t from = result.out.find(words) + words.size(), unit = result.out.find('s', from);
    return static_cast<double>(parse_duration(result.out.substr(from, unit + 1 - from)).count());
  };
  // The other tasks take almost no time.
  EXPECT_NEAR(time_after("one frame on one processor: ") / time_after("\nwork "), 1. / 7, 0.05);
}

/// Returns a pipeline whose trial run takes some tenths of a second.
std::string tried_pipeline(const TemporaryFolder& folder, const std::string& more = "") {
  return folder.file("tried.yaml", R"(sources: {s: {type: synthetic, axes: [time=64], frames: 20000}}
tasks: {a: {kernel: spin, input: s, time: 100 us}}
sinks: {o: {type: 'null', input: a}}
deployment: {ranks: 1}
)" + more);
}

TEST(KeptPlan, is_reused_unless_something_has_changed) {
  const TemporaryFolder folder;
  ::setenv("XDG_CACHE_HOME", (folder / "cache").c_str(), 1);
  const auto entries = [] {
    return json::parse(takt({"list", "cache", "--format", "json"}).out)["cache"].size();
  };
  const auto predicted = [&](const std::string& file, std::vector<std::string> more = {}) {
    more.insert(more.begin(), {"run", file, "--format", "json", "--no-serve"});
    const Result result = takt(more);
    EXPECT_EQ(result.exit_code, 0) << result.err;
    return json::parse(result.out)["frequency_hz"]["predicted"].get<double>();
  };
  EXPECT_EQ(entries(), 0U);
  const std::string file = tried_pipeline(folder);
  const double first = predicted(file);
  // Costs, links and plan; the run deletes them when it differs much from its
  // prediction, as on a busy computer.
  if (entries() == 3) {
    EXPECT_EQ(predicted(file), first);
  }
  (void)predicted(file, {"--fresh"});
  EXPECT_LE(entries(), 3U);
  // Another goal has another plan from the same costs and links.
  (void)predicted(file, {"--objective", "frequency"});
  EXPECT_LE(entries(), 4U);
  (void)predicted(tried_pipeline(folder, "name: other\n"));
  EXPECT_LE(entries(), 7U);
  ::unsetenv("XDG_CACHE_HOME");
}

TEST(RequiredRate, above_that_of_the_source_is_refused) {
  const TemporaryFolder folder;
  const std::string file =
      folder.file("fast.yaml", R"(sources: {s: {type: synthetic, axes: [time=64], rate: 61 Hz}}
tasks: {a: {kernel: pass, input: s}}
sinks: {o: {type: 'null', input: a}}
rate: 200 Hz
)");
  for (const char* command : {"run", "plan"}) {
    const Result result = takt({command, file});
    EXPECT_EQ(result.exit_code, 2);
    EXPECT_THAT(result.err,
                HasSubstr("fast.yaml:4:7: 'rate': 200 Hz is above the rate of the sources, 61 Hz"));
  }
  EXPECT_EQ(takt({"plan", file, "--rate", "500"}).exit_code, 2);
}

/// 202 us of tasks per frame on one rank, by the given costs.
TEST_F(PlanAndRun, a_latency_that_no_plan_holds_is_refused_with_what_would_fit) {
  const Result plan = takt({"plan", pipeline_, "--profile", profile_, "--set", "latency=100 us"});
  EXPECT_EQ(plan.exit_code, 1) << plan.err;
  EXPECT_THAT(plan.out, AllOf(HasSubstr("100 us required of p99: does NOT hold"),
                              HasSubstr("no plan found holds 10 Hz"), HasSubstr("202 us predicted")));
  EXPECT_EQ(this->plan({"--set", "latency=100 us"})["latency_held"], false);
  EXPECT_EQ(this->plan({"--set", "latency={p50: 1 s}"})["latency_held"], true);
  EXPECT_EQ(this->plan({"--set", "latency={p50: 1 s}"})["pipeline"]["latency_quantile"], "p50");
  EXPECT_FALSE(this->plan({}).contains("latency_held"));
  const Result run = takt({"run", pipeline_, "--profile", profile_, "--set", "latency=100 us"});
  EXPECT_EQ(run.exit_code, 2) << run.out;
  EXPECT_THAT(run.err,
              AllOf(HasSubstr("'latency': no plan found holds 10 Hz with a latency of at most 100 us"),
                    HasSubstr("the least predicted latency at 10 Hz is 202 us")));
  EXPECT_FALSE(std::filesystem::exists(folder_ / "o.raw"));
}

/// Every run takes longer than a nanosecond, and less than an hour.
TEST_F(PlanAndRun, a_given_schedule_runs_and_its_report_judges_the_latency) {
  const std::string schedule = written_plan({});
  const auto run_with = [&](const char* latency) {
    return takt({"run", pipeline_, "--overwrite", "--format", "json", "--schedule", schedule, "--strict=0.99",
                 "--set", std::string("latency=") + latency});
  };
  const Result late = run_with("1 ns");
  EXPECT_EQ(late.exit_code, 1) << late.err;
  EXPECT_THAT(late.err, HasSubstr("required latency 1 ns (p99), measured"));
  EXPECT_THAT(json::parse(late.out)["verdict"].get<std::string>(), HasSubstr("NOT HELD: "));
  EXPECT_EQ(json::parse(late.out)["latency_held"], false);
  const Result in_time = run_with("{max: 1 h}");
  EXPECT_EQ(json::parse(in_time.out)["latency_held"], true) << in_time.err;
}

}  // namespace
}  // namespace takt::test
