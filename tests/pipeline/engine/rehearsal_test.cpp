/// Which plans are rehearsed, which of them is chosen, and that a rehearsal leaves nothing behind.

#include "pipeline/engine/rehearsal.hpp"

#include <filesystem>
#include <iterator>

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <nlohmann/json.hpp>

#include "pipeline/engine/processor_share.hpp"
#include "pipeline/engine/rehearsal_turns.hpp"
#include "tests/pipeline/config/load.hpp"
#include "tests/support/program.hpp"

namespace takt::pipeline::test {
namespace {

using std::chrono::milliseconds;
using ::testing::Contains;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

std::vector<SharedPlan> plans_with(std::initializer_list<double> hertz) {
  std::vector<SharedPlan> plans;
  for (const double each : hertz)
    plans.push_back({{.scheduler = fmt::format("of_{}", each),
                      .stages = {{.name = "in", .ranks = {0}}, {.name = "out", .ranks = {1}}},
                      .predicted_hz = each},
                     {}});
  return plans;
}

Pipeline small_pipeline(int frames = 0) {
  return load("sources: {s: {type: synthetic, axes: [time=4], frames: " + std::to_string(frames) +
              "}}\n"
              "tasks: {a: {kernel: pass, input: s}}\nsinks: {o: {type: 'null', input: a}}\n");
}

TEST(Rehearsal, is_for_runs_that_last_ten_times_as_long) {
  const Pipeline pipeline = small_pipeline();
  const auto is_worth = [&](const StreamLimits& limits, Time duration = milliseconds(100)) {
    return is_worth_rehearsing(pipeline, plans_with({1000, 900}), limits, duration);
  };
  EXPECT_TRUE(is_worth({}));
  EXPECT_FALSE(is_worth({}, Time{0}));
  // Two plans of 100 ms each.
  EXPECT_TRUE(is_worth({.frames = {}, .duration = milliseconds(2000)}));
  EXPECT_FALSE(is_worth({.frames = {}, .duration = milliseconds(1999)}));
  EXPECT_TRUE(is_worth({.frames = 2001, .duration = {}}));
  EXPECT_FALSE(is_worth({.frames = 1999, .duration = {}}));
  // Frames that come more slowly than they are taken.
  const Pipeline slow = load(
      "sources: {s: {type: synthetic, axes: [time=4], rate: 100 Hz}}\n"
      "tasks: {a: {kernel: pass, input: s}}\nsinks: {o: {type: 'null', input: a}}\n");
  for (const auto& [frames, expected] : {std::pair(199, false), {201, true}})
    EXPECT_EQ(is_worth_rehearsing(slow, plans_with({1000, 900}), {.frames = frames, .duration = {}},
                                  milliseconds(100)),
              expected);
  // What the source itself gives.
  for (const auto& [frames, expected] : {std::pair(1999, false), {2001, true}})
    EXPECT_EQ(is_worth_rehearsing(small_pipeline(frames), plans_with({1000, 900}), {}, milliseconds(100)),
              expected);
}

TEST(Rehearsal, is_not_for_plans_of_which_a_few_rounds_take_too_long) {
  const Pipeline pipeline = small_pipeline();
  EXPECT_TRUE(is_worth_rehearsing(pipeline, plans_with({49}), {}, milliseconds(100)));
  EXPECT_FALSE(is_worth_rehearsing(pipeline, plans_with({47}), {}, milliseconds(100)));
  std::vector<SharedPlan> several = plans_with({97});
  several.front().summary.replicas = 2;
  EXPECT_TRUE(is_worth_rehearsing(pipeline, several, {}, milliseconds(100)));
  several.front().summary.replicas = 3;
  EXPECT_FALSE(is_worth_rehearsing(pipeline, several, {}, milliseconds(100)));
}

TEST(Rehearsal, prefers_plans_that_can_be_tried_to_one_of_many_frames) {
  struct Case {
    const char* source_rate;
    const char* settings = "";
    StreamLimits limits = {};
    std::uint32_t replicas = 29;
    Time duration = milliseconds(100);
    double first_hz = 150;
  };
  const auto left = [](const Case& each) {
    const Pipeline pipeline =
        load(fmt::format("sources: {{s: {{type: synthetic, axes: [time=4], rate: {}}}}}\n"
                         "tasks: {{a: {{kernel: pass, input: s}}}}\n"
                         "sinks: {{o: {{type: 'null', input: a}}}}\n{}",
                         each.source_rate, each.settings));
    std::vector<SharedPlan> plans = plans_with({each.first_hz, 120, 140});
    plans[0].summary.replicas = each.replicas;
    leave_out_long_rounds(pipeline, plans, each.limits, each.duration);
    return plans.size();
  };
  EXPECT_EQ(left({"100 Hz"}), 2U);
  // None of the others promises a tenth more than the rate.
  EXPECT_EQ(left({"130 Hz"}), 3U);
  // No rate is asked for: another one is nearly as fast, or is not.
  EXPECT_EQ(left({"0 Hz"}), 2U);
  EXPECT_EQ(left({.source_rate = "0 Hz", .first_hz = 170}), 3U);
  // Whoever asks for a margin, or for few ranks, gets them by costs.
  EXPECT_EQ(left({"100 Hz", "rate: 100 Hz\nobjective: {name: latency, margin: 1.3}\n"}), 3U);
  EXPECT_EQ(left({"100 Hz", "rate: 100 Hz\nobjective: processors\n"}), 3U);
  // Nothing is tried in so short a run, nor in no time; and there is time for all.
  EXPECT_EQ(left({"100 Hz", "", {.frames = 99, .duration = {}}}), 3U);
  EXPECT_EQ(left({"100 Hz", "", {}, 29, Time{0}}), 3U);
  EXPECT_EQ(left({"100 Hz", "", {}, 29, milliseconds(1000)}), 3U);
  EXPECT_EQ(left({"100 Hz", "", {}, 2}), 3U);
}

TEST(Rehearsal, takes_the_first_plan_unless_another_is_clearly_faster) {
  EXPECT_EQ(choose_rehearsed({100}), 0U);
  EXPECT_EQ(choose_rehearsed({100, 102}), 0U);
  EXPECT_EQ(choose_rehearsed({100, 90, 104}), 2U);
  EXPECT_EQ(choose_rehearsed({0, 90, 104}), 0U);
  EXPECT_EQ(choose_rehearsed({90, 0, 104}), 2U);
}

TEST(Rehearsal, takes_the_first_plan_that_sustains_what_is_enough) {
  const RateToHold to_hold{.enough = {100}, .ample = {120}};
  EXPECT_EQ(choose_rehearsed({100, 200}, to_hold), 0U);
  EXPECT_EQ(choose_rehearsed({99, 200, 300}, to_hold), 1U);
  EXPECT_EQ(choose_rehearsed({80, 0, 99}, to_hold), 2U);
  EXPECT_EQ(choose_rehearsed({98, 99}, to_hold), 0U);
}

TEST(Rehearsal, takes_another_that_sustains_what_is_enough_where_its_frames_take_clearly_less) {
  const auto choose = [](const std::vector<double>& hertz, const std::vector<std::optional<Time>>& latency) {
    std::vector<SinkLatencies> latencies;
    for (const auto& each : latency) latencies.push_back({{}, each, each ? Time{10} : std::optional<Time>()});
    return choose_rehearsed(hertz, RateToHold{.enough = {100}, .ample = {120}}, latencies);
  };
  EXPECT_EQ(choose({100, 100, 100}, {Time{1000}, Time{899}, Time{850}}), 1U);
  EXPECT_EQ(choose({100, 100, 100}, {Time{1000}, Time{899}, Time{800}}), 2U);
  EXPECT_EQ(choose({100, 100}, {Time{1000}, Time{901}}), 0U);
  // What it sustains comes first, and an unknown latency is not less.
  EXPECT_EQ(choose({100, 99}, {Time{1000}, Time{10}}), 0U);
  EXPECT_EQ(choose({99, 100}, {Time{10}, Time{1000}}), 1U);
  EXPECT_EQ(choose({100, 100}, {Time{1000}, {}}), 0U);
  EXPECT_EQ(choose({100, 100}, {{}, Time{1000}}), 0U);
  // Room for what varies is not given away, but for more than was asked for.
  EXPECT_EQ(choose({119, 118}, {Time{1000}, Time{500}}), 0U);
  EXPECT_EQ(choose({150, 119}, {Time{1000}, Time{500}}), 0U);
  EXPECT_EQ(choose({150, 120}, {Time{1000}, Time{500}}), 1U);
  // Where none sustains it, the fastest one.
  EXPECT_EQ(choose({80, 90}, {Time{10}, Time{1000}}), 1U);
}

/// Stages: a source and two sinks, with what a frame takes to these by costs.
RunPlan with_sinks(Time seldom, Time often) {
  RunPlan plan;
  plan.stages = {
      {.name = "in", .kind = "source"}, {.name = "seldom", .kind = "sink"}, {.name = "out", .kind = "sink"}};
  set_latencies({Time{0}, seldom, often}, plan);
  return plan;
}

TEST(Rehearsal, knows_by_costs_how_much_later_a_frame_is_at_a_sink_that_hardly_one_came_to) {
  const RunPlan plan = with_sinks(Time{320}, Time{300});
  EXPECT_EQ(with_rare_sinks(plan, {{}, {}, Time{400}}), (SinkLatencies{{}, Time{420}, Time{400}}));
  EXPECT_EQ(with_rare_sinks(plan, {{}, Time{350}, Time{400}}), (SinkLatencies{{}, Time{350}, Time{400}}));
  EXPECT_EQ(with_rare_sinks(plan, {{}, {}, {}}), (SinkLatencies{{}, {}, {}}));
  EXPECT_EQ(with_rare_sinks(with_sinks(Time{20}, Time{300}), {{}, {}, Time{100}}),
            (SinkLatencies{{}, Time{0}, Time{100}}));
  RunPlan with_work = with_sinks(Time{20}, Time{300});
  with_work.stages[0].cost_ns = 8;
  with_work.stages[0].receiving_ns = 3;
  with_work.stages[1].cost_ns = 7;
  with_work.stages[1].inputs = {0};
  EXPECT_EQ(with_rare_sinks(with_work, {{}, {}, Time{100}}), (SinkLatencies{{}, Time{12}, Time{100}}));
}

TEST(Rehearsal, numbers_plans_that_nothing_tells_apart) {
  RunPlan two{.scheduler = "optfo", .stages = {{.ranks = {0}}, {.ranks = {2}}}}, three = two, one = two;
  three.replicas = 3;
  one.stages[1].ranks = {0};
  EXPECT_THAT(names_of({&two, &three, &two, &one}),
              ::testing::ElementsAre("optfo on 2 ranks", "optfo on 2 ranks, 3 frames at a time",
                                     "optfo on 2 ranks (2)", "optfo on 1 rank"));
}

TEST(Rehearsal, replaces_the_prediction_and_says_what_the_costs_promise) {
  const std::vector<SharedPlan> plans = plans_with({1000, 900});
  RunPlan chosen = plans[1].summary;
  chosen.predicted_busy = {0.9, 1};
  note_rehearsal(chosen, plans,
                 {.hertz = {600, 720}, .chosen = 1, .hand_over_ns = 310, .rate_spread = Spread{500, 730}});
  EXPECT_DOUBLE_EQ(chosen.predicted_hz, 720);
  EXPECT_EQ(chosen.costs_hz, 900);
  EXPECT_EQ(plan_from_text(to_text(chosen)).hand_over_ns, 310);
  EXPECT_EQ(plan_from_text(to_text(chosen)).rehearsed_hz, (Spread{500, 730}));
  EXPECT_DOUBLE_EQ(chosen.predicted_busy[0], 0.72);
  EXPECT_THAT(chosen.notes, Contains("plans tried: of_1000 on 2 ranks: 600 Hz (1 kHz by costs); of_900 on 2 "
                                     "ranks: 720 Hz (900 Hz by costs); chosen: of_900 on 2 ranks"));

  RunPlan unknown = plans[0].summary;
  note_rehearsal(unknown, plans_with({1000}), {.hertz = {0}});
  EXPECT_DOUBLE_EQ(unknown.predicted_hz, 1000);
  EXPECT_FALSE(unknown.costs_hz);
  EXPECT_THAT(unknown.notes, IsEmpty());
}

/// Of a source, a sink that hardly a frame comes to, and one more.
SinkLatencies latencies(std::optional<Time> seldom, Time often) {
  return {{}, seldom, often};
}

TEST(LatencyTurns, are_two_where_they_agree) {
  LatencyTurns turns;
  EXPECT_TRUE(turns.wants_another());
  turns.add(latencies({}, Time{1000}));
  EXPECT_TRUE(turns.wants_another());
  turns.add(latencies(Time{10}, Time{1100}));
  EXPECT_FALSE(turns.wants_another());
  EXPECT_EQ(turns.settled(), latencies(Time{10}, Time{1050}));
}

TEST(LatencyTurns, are_six_where_they_differ_and_their_median_counts) {
  LatencyTurns turns;
  for (const int each : {1000, 1500, 1200, 1300, 4000}) {
    turns.add(latencies({}, Time{each}));
    EXPECT_TRUE(turns.wants_another());
  }
  turns.add(latencies({}, Time{1100}));
  EXPECT_FALSE(turns.wants_another());
  EXPECT_EQ(turns.settled(), latencies({}, Time{1250}));
  EXPECT_EQ(turns.spreads(), (std::vector<std::optional<Spread>>{{}, {}, Spread{1000, 4000}}));
}

TEST(LatencyTurns, are_no_more_than_there_is_time_for) {
  LatencyTurns turns(3);
  for (const int each : {1000, 1500, 1100}) {
    EXPECT_TRUE(turns.wants_another());
    turns.add(latencies({}, Time{each}));
  }
  EXPECT_FALSE(turns.wants_another());
}

TEST(LatencyTurns, in_which_no_frame_came_are_not_repeated) {
  LatencyTurns turns;
  for (int turn = 0; turn < 2; ++turn) turns.add({{}, {}});
  EXPECT_FALSE(turns.wants_another());
  EXPECT_EQ(longest_latency(turns.settled()), std::nullopt);
}

TEST(Rehearsal, replaces_the_latency_that_costs_promise) {
  const std::vector<SharedPlan> plans = plans_with({1000, 900});
  RunPlan chosen = plans[1].summary;
  chosen.stages = with_sinks(Time{320}, Time{300}).stages;
  note_rehearsal(chosen, plans,
                 {.hertz = {1000, 900},
                  .latencies = {{}, {{}, Time{420}, Time{400}}},
                  .chosen = 1,
                  .latency_spreads = {{}, {}, Spread{380, 440}}});
  EXPECT_EQ(chosen.stages[2].latency_ns, 400);
  EXPECT_EQ(chosen.stages[1].latency_ns, 420);
  EXPECT_EQ(chosen.predicted_latency_ns, 420);
  EXPECT_EQ(chosen.stages[2].costs_latency_ns, 300);
  EXPECT_EQ(chosen.stages[1].costs_latency_ns, 320);
  EXPECT_EQ(chosen.stages[0].costs_latency_ns, std::nullopt);
  EXPECT_EQ(plan_from_text(to_text(chosen)).stages[2].costs_latency_ns, 300);
  EXPECT_EQ(plan_from_text(to_text(chosen)).stages[2].rehearsed_latency_ns, (Spread{380, 440}));
  EXPECT_EQ(chosen.stages[1].rehearsed_latency_ns, std::nullopt);
  // Where latencies decide they are told.
  RunPlan quicker = plans[1].summary;
  quicker.stages = {{.name = "in", .kind = "source"}, {.name = "out", .kind = "sink"}};
  note_rehearsal(quicker, plans,
                 {.hertz = {1000, 900}, .latencies = {{{}, Time{700}}, {{}, Time{400}}}, .chosen = 1});
  EXPECT_THAT(
      quicker.notes,
      Contains("plans tried: of_1000 on 2 ranks: 1 kHz (1 kHz by costs, a frame takes 700 ns); of_900 "
               "on 2 ranks: 900 Hz (900 Hz by costs, a frame takes 400 ns); chosen: of_900 on 2 ranks"));
}

TEST(Rehearsal, tries_what_promises_little_where_the_others_keep_no_promise) {
  // By costs one rank reaches 100 Hz and two 200: two are seen to reach 190, or 120.
  EXPECT_FALSE(may_be_faster(100, 190));
  EXPECT_TRUE(may_be_faster(100, 120));
  const std::vector<SharedPlan> plans = plans_with({200, 100});
  RunPlan chosen = plans[0].summary;
  note_rehearsal(chosen, plans, {.hertz = {190, 0}});
  EXPECT_DOUBLE_EQ(chosen.predicted_hz, 190);
  EXPECT_THAT(chosen.notes, IsEmpty());
}

TEST(ProcessorShare, takes_from_the_prediction_what_the_host_takes) {
  RunPlan plan = plans_with({1000}).front().summary;
  apply_processor_share(plan, 0.99);
  EXPECT_DOUBLE_EQ(plan.predicted_hz, 1000);
  EXPECT_THAT(plan.notes, IsEmpty());
  apply_processor_share(plan, 0.9);
  EXPECT_DOUBLE_EQ(plan.predicted_hz, 900);
  EXPECT_THAT(plan.notes, Contains(HasSubstr("90.0 % of the time while that was looked at: the prediction is "
                                             "that part of the 1 kHz")));
}

double settled(double promised, Turns kind, std::vector<double> rates, std::size_t expected_turns) {
  RehearsalTurns turns(promised, kind);
  std::size_t count = 0;
  for (const double hertz : rates) {
    if (count >= 2 && !turns.are_doubtful()) break;
    turns.add(hertz);
    ++count;
  }
  EXPECT_EQ(count, expected_turns);
  return turns.settled();
}

TEST(Rehearsal, goes_on_until_its_turns_agree) {
  const std::vector<double> steady{100, 102, 1, 1, 1, 1}, slow_at_first{60, 62, 99, 97, 1, 1},
      slow_for_long{60, 62, 61, 98, 99, 1}, slow_indeed{80, 82, 81, 80, 83, 1},
      one_disturbed{100, 70, 50, 1, 1, 1, 1, 1, 1}, on_one_core_for_long{60, 62, 61, 60, 63, 61, 101, 99, 1};
  EXPECT_DOUBLE_EQ(settled(105, Turns::alone, steady, 2), 101);
  EXPECT_DOUBLE_EQ(settled(105, Turns::alone, slow_at_first, 4), 98);
  EXPECT_DOUBLE_EQ(settled(105, Turns::alone, slow_for_long, 5), 98.5);
  EXPECT_DOUBLE_EQ(settled(105, Turns::alone, slow_indeed, 5), 81);
  EXPECT_DOUBLE_EQ(settled(105, Turns::alone, on_one_core_for_long, 8), 100);
  // Nothing is faster than it is: the other turns were disturbed.
  EXPECT_DOUBLE_EQ(settled(105, Turns::alone, one_disturbed, 8), 100);
  // Ranks that share processors scatter both ways.
  EXPECT_DOUBLE_EQ(settled(105, Turns::crowded, slow_at_first, 2), 61);
  EXPECT_DOUBLE_EQ(settled(105, Turns::crowded, one_disturbed, 3), 70);
  EXPECT_DOUBLE_EQ(settled(105, Turns::alone, {0, 0, 0}, 2), 0);
  // A stream that ended before the fourth turn.
  EXPECT_DOUBLE_EQ(settled(105, Turns::uneven, {100, 50, 100, 0, 0, 1}, 5), 75);
}

/// By hand: 100 and 101 differ by a standard error of 0.5 %; 100, 106, 94 and 100 by 2.4 %, and with 101 and
/// 99 by 1.6 %, with 100 once more by 1.4 %.
TEST(Rehearsal, has_more_turns_of_the_plan_that_is_taken_until_its_mean_is_known) {
  const auto turns_of = [](Turns kind, const std::vector<double>& rates) {
    RehearsalTurns turns(100, kind);
    std::size_t count = 0;
    while (count < 2 || turns.are_rough()) turns.add(rates.at(count++));
    return count;
  };
  EXPECT_EQ(turns_of(Turns::alone, {100, 101}), 2U);
  EXPECT_EQ(turns_of(Turns::alone, {100, 106, 94, 100, 101, 99, 100}), 7U);
  EXPECT_EQ(turns_of(Turns::alone, {100, 110, 90, 100, 110, 90, 100, 110, 90}), 8U);
  EXPECT_EQ(turns_of(Turns::crowded, {100, 106}), 2U);
}

/// A host moves the processors apart between the second and the third turn.
TEST(Rehearsal, counts_the_turns_of_the_state_in_which_the_machine_is_at_its_end) {
  RehearsalTurns turns(105, Turns::alone);
  turns.add(100, 310);
  turns.add(101, 320);
  EXPECT_FALSE(turns.are_doubtful());
  turns.add(90, 880);
  EXPECT_TRUE(turns.are_doubtful() && turns.are_rough());
  turns.add(91, 870);
  EXPECT_FALSE(turns.are_doubtful() || turns.are_rough());
  EXPECT_DOUBLE_EQ(turns.settled(), 90.5);
  EXPECT_EQ(turns.hand_over_ns(), 870);
  // Those of ranks that share processors say nothing of it.
  RehearsalTurns crowded(110, Turns::crowded);
  for (const double hand_over : {310., 880.}) crowded.add(100, hand_over);
  EXPECT_FALSE(crowded.are_doubtful());
}

/// A machine that has been idle: of eight turns the last five count.
TEST(Rehearsal, counts_the_last_turns_of_those_that_agree) {
  RehearsalTurns turns(105, Turns::alone);
  for (const double hertz : {85., 87., 60., 92., 98., 100., 101., 99.}) turns.add(hertz);
  EXPECT_DOUBLE_EQ(turns.settled(), 99);
  EXPECT_EQ(turns.spread(), (Spread{60, 101}));
  EXPECT_EQ(RehearsalTurns(105, Turns::alone).spread(), std::nullopt);
}

/// Four ranks come up on two processors, or on two hosts of two.
TEST(Rehearsal, knows_which_plans_make_ranks_take_turns) {
  const RunPlan two{.stages = {{.name = "s", .ranks = {0}}, {.name = "a", .ranks = {0, 2}}}};
  const RunPlan three{.stages = {{.name = "s", .ranks = {0}}, {.name = "a", .ranks = {1, 2}}}};
  const std::vector<int> one_node(4, 0), two_nodes{0, 0, 2, 2}, processors(4, 2);
  EXPECT_FALSE(takes_turns(two, one_node, processors));
  EXPECT_TRUE(takes_turns(three, one_node, processors));
  EXPECT_FALSE(takes_turns(three, two_nodes, processors));
  EXPECT_TRUE(takes_turns(three, two_nodes, {1, 1, 2, 2}));
}

/// A host that has others at work for a moment, or for the whole look.
TEST(ProcessorShare, is_that_of_the_calmer_moments) {
  EXPECT_DOUBLE_EQ(calm_share({1, 0.7, 0.5, 0.98}), 0.99);
  EXPECT_DOUBLE_EQ(calm_share({0.5, 0.49, 0.51, 0.5}), 0.5);
  EXPECT_DOUBLE_EQ(calm_share({0.95, 0.95, 0.95, 0.95}), 0.95);
}

/// Two ranks of which the second one keeps state, so that its frames must begin with the first.
TEST(Rehearsal, leaves_the_output_as_it_is_without_one) {
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
  const auto run = [&](const char* rehearsal, const char* rate = "0 Hz") {
    const takt::test::Result result =
        takt::test::takt({"run", pipeline, "--frames", "3000", "--rehearsal", rehearsal, "--overwrite",
                          "--report", folder / "r.json", "--set", fmt::format("sources.s.rate={}", rate)});
    EXPECT_EQ(result.exit_code, 0) << result.err;
    return nlohmann::json::parse(takt::test::read_file(folder / "r.json"));
  };
  const nlohmann::json without = run("0s");
  EXPECT_TRUE(without["frequency_hz"]["by_costs"].is_null());
  const std::string bytes = takt::test::read_file(folder / "o.raw");
  EXPECT_TRUE(without["latency_ns"]["by_costs"].is_null());
  EXPECT_TRUE(without["frequency_hz"]["rehearsed"].is_null());
  // All frames have come before most of them are taken: none is dropped.
  const nlohmann::json with = run("25ms", "100 kHz");
  EXPECT_TRUE(with["frequency_hz"]["by_costs"].is_number());
  EXPECT_TRUE(with["latency_ns"]["by_costs"].is_number());
  EXPECT_LE(with["frequency_hz"]["rehearsed"]["least"], with["frequency_hz"]["predicted"]);
  EXPECT_GE(with["frequency_hz"]["rehearsed"]["most"], with["frequency_hz"]["predicted"]);
  EXPECT_EQ(with["frames"]["delivered"], 3000);
  EXPECT_TRUE(takt::test::read_file(folder / "o.raw") == bytes);
  const std::filesystem::directory_iterator files(folder / "");
  EXPECT_EQ(std::distance(files, {}), 3);
}

/// One whose frames are twice as long, on another rank.
TEST(Rehearsal, is_of_joined_sources_too) {
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
  const auto run = [&](const char* rehearsal) {
    const takt::test::Result result =
        takt::test::takt({"run", pipeline, "--frames", "1900", "--rehearsal", rehearsal, "--overwrite",
                          "--report", folder / "r.json"});
    EXPECT_EQ(result.exit_code, 0) << result.err;
    return nlohmann::json::parse(takt::test::read_file(folder / "r.json"));
  };
  const nlohmann::json without = run("0s");
  EXPECT_TRUE(without["frequency_hz"]["by_costs"].is_null());
  const std::string bytes = takt::test::read_file(folder / "o.raw");
  EXPECT_EQ(bytes.size(), 1900 * 2 * 128 * sizeof(float));
  const nlohmann::json with = run("25ms");
  EXPECT_TRUE(with["frequency_hz"]["by_costs"].is_number());
  EXPECT_TRUE(with["latency_ns"]["by_costs"].is_number());
  EXPECT_EQ(with["frames"]["delivered"], 1900);
  EXPECT_TRUE(takt::test::read_file(folder / "o.raw") == bytes);
}

}  // namespace
}  // namespace takt::pipeline::test
