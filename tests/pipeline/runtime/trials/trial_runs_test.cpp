/// Tests which plans are tried, for how long, with which results, and that trial runs leave no files.

#include "pipeline/runtime/trials/trial_runs.hpp"

#include <filesystem>
#include <iterator>

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <nlohmann/json.hpp>

#include "pipeline/runtime/trials/repetitions.hpp"
#include "pipeline/runtime/trials/trial_run.hpp"
#include "tests/pipeline/config/load.hpp"
#include "tests/support/program.hpp"

namespace takt::pipeline::test {
namespace {

using std::chrono::milliseconds;
using ::testing::Contains;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

std::vector<SharedPlan> plans_with(std::initializer_list<double> hertz) {
  std::vector<SharedPlan> plans;
  for (const double each : hertz)
    plans.push_back({{.scheduler = fmt::format("of_{}", each),
                      .stages = {{.name = "in", .kind = "source", .ranks = {0}},
                                 {.name = "out", .kind = "sink", .ranks = {1}}},
                      .predicted_hz = each},
                     {}});
  return plans;
}

RunPlan plan_with(double hertz) {
  return plans_with({hertz}).front().summary;
}

Pipeline small_pipeline(int frames = 0, const std::string& rate = "0 Hz") {
  return load("sources: {s: {type: synthetic, axes: [time=4], rate: " + rate +
              ", frames: " + std::to_string(frames) +
              "}}\n"
              "tasks: {a: {kernel: pass, input: s}}\nsinks: {o: {type: 'null', input: a}}\n");
}

TEST(TrialRuns, last_at_most_a_tenth_of_the_run) {
  const Pipeline pipeline = small_pipeline();
  const auto time = [&](const StreamLimits& limits) {
    return time_for_trials(milliseconds(1000), pipeline, plan_with(1000), limits);
  };
  EXPECT_EQ(time({}), milliseconds(1000));
  EXPECT_EQ(time({.frames = {}, .duration = milliseconds(20'000)}), milliseconds(1000));
  EXPECT_EQ(time({.frames = {}, .duration = milliseconds(3000)}), milliseconds(300));
  EXPECT_EQ(time({.frames = 2000, .duration = {}}), milliseconds(200));
  // Frames that arrive more slowly than the plan can process, and the frame limit of the source.
  EXPECT_EQ(time_for_trials(milliseconds(1000), small_pipeline(0, "100 Hz"), plan_with(1000),
                            {.frames = 200, .duration = {}}),
            milliseconds(200));
  EXPECT_EQ(time_for_trials(milliseconds(1000), small_pipeline(500), plan_with(1000), {}), milliseconds(50));
}

TEST(TrialRuns, need_time_for_some_iterations) {
  // 3 to warm up and 9 that count, in half of the time.
  const Pipeline pipeline = small_pipeline();
  EXPECT_TRUE(fits_trial(pipeline, plan_with(25), milliseconds(1000)));
  EXPECT_FALSE(fits_trial(pipeline, plan_with(23), milliseconds(1000)));
  RunPlan several = plan_with(47);
  several.replicas = 2;
  EXPECT_FALSE(fits_trial(pipeline, several, milliseconds(1000)));
  EXPECT_FALSE(fits_trial(pipeline, plan_with(1000), Time{0}));
}

/// By hand: 100, 101 and 102 have a standard error of 0.57 % of their mean; 90, 100 and 110 of 5.8 %.
TEST(Repetitions, are_settled_when_their_mean_is_known) {
  const auto of = [](std::initializer_list<double> values) {
    Repetitions repetitions;
    for (const double value : values) repetitions.add(value);
    return repetitions;
  };
  EXPECT_FALSE(of({}).are_settled());
  EXPECT_FALSE(of({100, 101}).are_settled());
  EXPECT_TRUE(of({100, 101, 102}).are_settled());
  EXPECT_FALSE(of({90, 100, 110}).are_settled());
  EXPECT_TRUE(of({100, 0}).are_settled());
  EXPECT_EQ(of({100, 60, 101}).median(), 100);
  EXPECT_EQ(of({100, 60, 101, 102}).median(), 100.5);
  EXPECT_EQ(of({100, 60, 101}).spread(), (Spread{60, 101}));
  EXPECT_EQ(of({0, 0}).median(), 0);
  EXPECT_EQ(of({}).spread(), std::nullopt);
}

TEST(Repetitions, alternate_between_plans_until_all_are_settled) {
  std::vector<std::size_t> order;
  const auto repeat = [&](std::size_t plan) {
    order.push_back(plan);
    // The second plan is disturbed at first.
    const auto count = static_cast<double>(std::ranges::count(order, plan));
    return plan == 7 && count < 2 ? 80.0 : 100.0;
  };
  const std::vector<Repetitions> shown = repeat_in_alternation({4, 7}, repeat, [] { return false; });
  EXPECT_THAT(std::vector(order.begin(), order.begin() + 7), ElementsAre(4, 7, 4, 7, 4, 7, 7));
  EXPECT_EQ(shown[0].count(), 3U);
  EXPECT_TRUE(shown[1].are_settled());
  EXPECT_EQ(shown[1].median(), 100);
}

TEST(Repetitions, end_with_the_time_when_each_plan_has_three) {
  int calls = 0;
  const auto shown = repeat_in_alternation(
      {0, 1}, [&](std::size_t) { return 100.0 * ++calls; }, [] { return true; });
  EXPECT_EQ(shown[0].count(), 3U);
  EXPECT_EQ(shown[1].count(), 3U);
}

TEST(TrialResults, number_plans_with_the_same_name) {
  RunPlan two{.scheduler = "optfo", .stages = {{.ranks = {0}}, {.ranks = {2}}}}, three = two, one = two;
  three.replicas = 3;
  one.stages[1].ranks = {0};
  EXPECT_THAT(names_of({&two, &three, &two, &one}),
              ElementsAre("optfo on 2 ranks", "optfo on 2 ranks, 3 frames in an iteration",
                          "optfo on 2 ranks (2)", "optfo on 1 rank"));
}

TEST(TrialResults, replace_the_prediction_by_costs) {
  const std::vector<SharedPlan> plans = plans_with({1000, 900});
  RunPlan chosen = plans[1].summary;
  chosen.predicted_busy = {0.9, 1};
  note_trials(chosen, plans, {.figures = {{600}, {720}}, .chosen = 1, .rates = Spread{500, 730}});
  EXPECT_DOUBLE_EQ(chosen.predicted_hz, 720);
  EXPECT_EQ(chosen.costs_hz, 900);
  EXPECT_EQ(plan_from_text(to_text(chosen)).trial_hz, (Spread{500, 730}));
  EXPECT_DOUBLE_EQ(chosen.predicted_busy[0], 0.72);
  EXPECT_THAT(chosen.notes, Contains("plans tried: of_1000 on 2 ranks: 600 Hz (1 kHz by costs); of_900 on 2 "
                                     "ranks: 720 Hz (900 Hz by costs); chosen: of_900 on 2 ranks"));

  RunPlan unknown = plans[0].summary;
  note_trials(unknown, plans_with({1000}), {.figures = {{0}}});
  EXPECT_DOUBLE_EQ(unknown.predicted_hz, 1000);
  EXPECT_FALSE(unknown.costs_hz);
  EXPECT_THAT(unknown.notes, IsEmpty());
}

TEST(TrialResults, replace_the_latency_by_costs) {
  const std::vector<SharedPlan> plans = plans_with({1000, 900});
  RunPlan chosen = plans[1].summary;
  set_latencies({Time{0}, Time{300}}, chosen);
  note_trials(chosen, plans,
              {.figures = {{1000, Time{700}}, {900, Time{400}}},
               .chosen = 1,
               .latencies = {{}, Time{400}},
               .latency_spreads = {{}, Spread{380, 440}}});
  EXPECT_EQ(chosen.stages[1].latency_ns, 400);
  EXPECT_EQ(chosen.predicted_latency_ns, 400);
  EXPECT_EQ(chosen.stages[1].costs_latency_ns, 300);
  EXPECT_EQ(chosen.stages[0].costs_latency_ns, std::nullopt);
  EXPECT_EQ(plan_from_text(to_text(chosen)).stages[1].trial_latency_ns, (Spread{380, 440}));
  EXPECT_THAT(chosen.notes,
              Contains("plans tried: of_1000 on 2 ranks: 1 kHz (1 kHz by costs, latency 700 ns); of_900 on 2 "
                       "ranks: 900 Hz (900 Hz by costs, latency 400 ns); chosen: of_900 on 2 ranks"));
}

TEST(TrialResults, name_stages_whose_period_exceeds_a_repetition) {
  const std::vector<SharedPlan> plans = plans_with({1000});
  RunPlan chosen = plans[0].summary;
  chosen.stages[1].calls_a_frame = 1.0 / 4000;
  note_trials(chosen, plans, {.figures = {{900}}, .unseen_stages = {1}});
  EXPECT_THAT(chosen.notes, Contains(HasSubstr("too short for 'out', which processes one frame in 4000")));
}

/// Two ranks, of which the second has state, so its frames must begin with the first one.
TEST(TrialRuns, do_not_change_the_output) {
  const takt::test::TemporaryFolder folder;
  const std::string pipeline = folder.file("p.yaml", fmt::format(R"(
sources: {{s: {{type: synthetic, element: float32, axes: [time=64], pattern: noise, rate: 0 Hz, depth: 3000}}}}
tasks:
  work: {{kernel: spin, input: s, time: 200 us}}
  sums: {{kernel: statistics, input: work, frames: 4}}
sinks: {{o: {{type: raw, input: sums, path: {}}}}}
deployment: {{ranks: 2}}
)",
                                                                 (folder / "o.raw").string()));
  const auto run = [&](const char* trial, const char* rate = "0 Hz") {
    const takt::test::Result result =
        takt::test::takt({"run", pipeline, "--frames", "3000", "--trial", trial, "--overwrite", "--report",
                          folder / "r.json", "--set", fmt::format("sources.s.rate={}", rate)});
    EXPECT_EQ(result.exit_code, 0) << result.err;
    return nlohmann::json::parse(takt::test::read_file(folder / "r.json"));
  };
  const nlohmann::json without = run("0s");
  EXPECT_TRUE(without["frequency_hz"]["by_costs"].is_null());
  const std::string bytes = takt::test::read_file(folder / "o.raw");
  EXPECT_TRUE(without["latency_ns"]["by_costs"].is_null());
  EXPECT_TRUE(without["frequency_hz"]["trial"].is_null());
  // All frames have arrived before most are consumed: none is dropped.
  const nlohmann::json with = run("1s", "100 kHz");
  EXPECT_TRUE(with["frequency_hz"]["by_costs"].is_number());
  // On a busy computer too few frames have a latency.
  EXPECT_EQ(with["latency_ns"]["by_costs"].is_number(), with["latency_ns"]["trial"].is_object());
  EXPECT_LE(with["frequency_hz"]["trial"]["least"], with["frequency_hz"]["predicted"]);
  EXPECT_GE(with["frequency_hz"]["trial"]["most"], with["frequency_hz"]["predicted"]);
  EXPECT_EQ(with["frames"]["delivered"], 3000);
  EXPECT_TRUE(takt::test::read_file(folder / "o.raw") == bytes);
  const std::filesystem::directory_iterator files(folder / "");
  EXPECT_EQ(std::distance(files, {}), 3);
}

/// Frames of one source are twice as long, and it is on another rank.
TEST(TrialRuns, support_joined_sources) {
  const takt::test::TemporaryFolder folder;
  const std::string pipeline = folder.file("p.yaml", fmt::format(R"(
sources:
  west: {{type: synthetic, element: float32, axes: [time=64], pattern: noise, rate: 100 kHz, depth: 4000}}
  east: {{type: synthetic, element: float32, axes: [time=128], pattern: noise, rate: 50 kHz, depth: 4000}}
join: {{wait: 60 s}}
tasks:
  west_work: {{kernel: spin, input: west, time: 200 us}}
  east_work: {{kernel: spin, input: east, time: 200 us}}
  both: {{kernel: stack, inputs: [west_work, east_work], axis: beamlet}}
sinks: {{o: {{type: raw, input: both, path: {}}}}}
deployment: {{ranks: 2}}
)",
                                                                 (folder / "o.raw").string()));
  const auto run = [&](const char* trial) {
    const takt::test::Result result = takt::test::takt({"run", pipeline, "--frames", "1900", "--trial", trial,
                                                        "--overwrite", "--report", folder / "r.json"});
    EXPECT_EQ(result.exit_code, 0) << result.err;
    return nlohmann::json::parse(takt::test::read_file(folder / "r.json"));
  };
  const nlohmann::json without = run("0s");
  EXPECT_TRUE(without["frequency_hz"]["by_costs"].is_null());
  const std::string bytes = takt::test::read_file(folder / "o.raw");
  EXPECT_EQ(bytes.size(), 1900 * 2 * 128 * sizeof(float));
  const nlohmann::json with = run("1s");
  EXPECT_TRUE(with["frequency_hz"]["by_costs"].is_number());
  // On a busy computer too few frames have a latency.
  EXPECT_EQ(with["latency_ns"]["by_costs"].is_number(), with["latency_ns"]["trial"].is_object());
  EXPECT_EQ(with["frames"]["delivered"], 1900);
  EXPECT_TRUE(takt::test::read_file(folder / "o.raw") == bytes);
}

/// Two of 3 and 2 frames in series, one of 4 next to them. A decimation by 4 makes each call take four
/// frames.
TEST(TrialRuns, leave_out_iterations_that_asynchronous_tasks_hold_back) {
  const Pipeline pipeline = load(R"(sources: {s: {type: synthetic, axes: [time=64], rate: 1 kHz}}
tasks:
  a: {kernel: hold, input: s, frames: 3}
  b: {kernel: hold, input: a, frames: 2}
  c: {kernel: hold, input: s, frames: 4}
sinks: {o: {type: 'null', input: b}, p: {type: 'null', input: c}}
)");
  EXPECT_EQ(iterations_held(pipeline, 1), 5);
  EXPECT_EQ(iterations_held(pipeline, 2), 3);
  EXPECT_EQ(iterations_held(small_pipeline(), 1), 0);
  const Pipeline decimated = load(R"(sources: {s: {type: synthetic, axes: [time=64, channel=4], rate: 1 kHz}}
tasks:
  a: {kernel: integrate, input: s, factor: 256}
  b: {kernel: hold, input: a, frames: 2}
sinks: {o: {type: 'null', input: b}}
)");
  EXPECT_EQ(iterations_held(decimated, 1), 8);
}

/// A repetition must have iterations that are counted.
TEST(TrialRuns, fit_only_with_the_iterations_that_are_held_back) {
  const Pipeline holding = load(R"(sources: {s: {type: synthetic, axes: [time=64]}}
tasks: {a: {kernel: hold, input: s, frames: 40}}
sinks: {o: {type: 'null', input: a}}
)");
  EXPECT_TRUE(fits_trial(small_pipeline(), plan_with(1000), milliseconds(150)));
  EXPECT_FALSE(fits_trial(holding, plan_with(1000), milliseconds(150)));
  EXPECT_TRUE(fits_trial(holding, plan_with(1000), milliseconds(300)));
}

}  // namespace
}  // namespace takt::pipeline::test
