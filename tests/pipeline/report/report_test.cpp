#include "pipeline/report/report.hpp"

#include <sstream>

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <gmock/gmock.h>
#include <nlohmann/json.hpp>

#include "core/pictures/text_fill.hpp"
#include "pipeline/live/live_update.hpp"
#include "pipeline/live/metrics.hpp"
#include "pipeline/report/report_verdict.hpp"
#include "pipeline/report/run_progress.hpp"

namespace takt::pipeline {
namespace {

using nlohmann::json;
using ::testing::AllOf;
using ::testing::Contains;
using ::testing::ContainsRegex;
using ::testing::DoubleNear;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Not;
using ::testing::SizeIs;
using ::testing::StartsWith;

/// Two ranks: a source on rank 0, a sink on rank 1; 101 frames in 10 s.
RunRecord record_of_two_ranks() {
  RunRecord record;
  record.plan = RunPlan{.pipeline = "test",
                        .scheduler = "basic_fo",
                        .ranks = 2,
                        .stages = {{"in", "synthetic", "source", {}, {0}, 1'000'000, "int8[1]"},
                                   {"out", "null", "sink", {0}, {1}, 2'000'000, "int8[1]"}},
                        .predicted_hz = 40,
                        .limit = "rank 1 is occupied for 25 ms per frame",
                        .required_hz = 10,
                        .predicted_busy = {0.5, 1.0}};
  RankStatus first{.rank = 0,
                   .host = "a",
                   .final = true,
                   .counts = {{"compute", 1'000'000'000}, {"starved", 9'000'000'000}}};
  first.stages.push_back({.stage = 0, .counts = {{"runs", 101}, {"given", 101}}});
  first.sources.push_back({.stage = 0,
                           .counts = {{"ingested", 101}, {"lost", 3}, {"incomplete", 2}},
                           .waits = {{"starved", 8'500'000'000}}});
  RankStatus second{.rank = 1,
                    .host = "a",
                    .final = true,
                    .phase = Phase::running,
                    .task = "fft",
                    .counts = {{"compute", 4'000'000'000},
                               {"message", 700'000'000},
                               {"starved", 4'000'000'000},
                               {"blocked", 1'000'000'000},
                               {"other", 300'000'000}},
                    .waits = {{0, {{"starved", 3'000'000'000}, {"blocked", 1'000'000'000}}}}};
  second.stages.push_back({.stage = 1, .counts = {{"runs", 101}}});
  second.sinks.push_back({.stage = 1,
                          .counts = {{"passed", 101},
                                     {"delivered", 101},
                                     {"most_combined", 1},
                                     {"timed", 101},
                                     {"first_ns", 1'000'000'000},
                                     {"last_ns", 11'000'000'000}},
                          .location = "/tmp/out"});
  second.sinks.back().counts.histogram("latency") = {{10, 101}};
  record.ranks = {first, second};
  return record;
}

/// Returns the text in one line, with single blanks.
std::string in_one_line(const std::string& text) {
  std::string line;
  for (const char letter : plain_blanks(text)) {
    const bool is_blank = letter == ' ' || letter == '\n';
    if (!is_blank || !line.ends_with(' ')) line += is_blank ? ' ' : letter;
  }
  return line;
}

/// Returns the report's notes, one after another.
std::string notes_of(const RunRecord& record) {
  return fmt::format("{}", fmt::join(make_report(record).notes, " | "));
}

TEST(Report, counts_the_fate_of_every_frame) {
  RunRecord record = record_of_two_ranks();
  record.ranks[0]->sources[0].counts["ingested"] = 105;
  record.ranks[0]->sources[0].counts["dropped"] = 7;
  const Report report = make_report(record);
  EXPECT_EQ(report.figures.count("ingested"), 105U);
  EXPECT_EQ(report.figures.count("delivered"), 101U);
  EXPECT_EQ(report.figures.count("lost"), 3U);
  // 7 at the source, and 4 that were taken in and never came out.
  EXPECT_EQ(report.figures.count("dropped"), 11U);
}

TEST(Report, of_an_active_run_fits_one_screen) {
  RunRecord record = record_of_two_ranks();
  for (std::size_t i = 2; i < 40; ++i) {
    record.plan->stages.insert(
        record.plan->stages.end() - 1,
        {fmt::format("a_task_with_a_rather_long_name_{}", i), "fft", "kernel", {0}, {0}, 1'000});
    record.ranks[0]->stages.push_back(
        {.stage = i - 1, .counts = {{"runs", 101}, {"given", 101}, {"work", i * 1000}}});
  }
  record.ranks[1]->stages.front().stage = 39;
  record.ranks[1]->sinks.front().stage = 39;
  for (int rank = 2; rank < 64; ++rank)
    record.ranks.push_back(
        RankStatus{.rank = rank, .host = "a-host-with-a-name-of-many-letters.example.org"});
  record.plan->ranks = 64;
  const std::string text = to_short_text(make_report(record));
  EXPECT_LE(std::ranges::count(text, '\n'), 22) << text;
  std::istringstream lines(text);
  for (std::string line; std::getline(lines, line);) EXPECT_LE(line.size(), 80U) << line;
  EXPECT_THAT(text, AllOf(HasSubstr("and 58 less busy ranks"), HasSubstr("and 34 less busy tasks"),
                          HasSubstr("101 ingested"), HasSubstr("10 Hz sustained")));
}

/// All frames of the record take 10 ns.
TEST(Report, states_whether_the_required_latency_was_held) {
  RunRecord record = record_of_two_ranks();
  EXPECT_EQ(make_report(record).holds_latency(), std::nullopt);
  EXPECT_TRUE(json::parse(to_json(make_report(record)))["latency_held"].is_null());
  // Without drops, so that the rate is held.
  record.ranks[0]->sources[0].counts["lost"] = 0;
  record.plan->required_latency_ns = 10;
  record.plan->latency_quantile = "p99";
  const Report held = make_report(record);
  EXPECT_EQ(held.holds_latency(), true);
  EXPECT_THAT(to_text(held), HasSubstr("held: 10 Hz, latency p99 10 ns, 10 ns required"));
  EXPECT_THAT(held.shortcomings(1), Not(Contains(HasSubstr("latency"))));
  const json figures = json::parse(to_json(held));
  EXPECT_EQ(figures["latency_held"], true);
  EXPECT_EQ(figures["latency_ns"]["required"], 10);
  EXPECT_EQ(figures["latency_ns"]["required_share"], 0.99);

  // A tenth of the frames takes 30 ns.
  record.ranks[1]->sinks.back().counts.histogram("latency") = {{10, 90}, {30, 11}};
  record.plan->required_latency_ns = 20;
  const Report missed = make_report(record);
  EXPECT_EQ(missed.held(), true);
  EXPECT_EQ(missed.holds_latency(), false);
  EXPECT_THAT(to_text(missed),
              AllOf(HasSubstr("NOT HELD: latency p99 30 ns, 20 ns required: the median is 10 ns"),
                    Not(HasSubstr("held: 10 Hz"))));
  EXPECT_THAT(missed.shortcomings(1), Contains("required latency 20 ns (p99), measured 30 ns"));
  EXPECT_EQ(json::parse(to_json(missed))["latency_held"], false);
  record.plan->latency_quantile = "p50";
  EXPECT_EQ(make_report(record).holds_latency(), true);
  record.plan->latency_quantile = "max";
  EXPECT_EQ(make_report(record).holds_latency(), false);

  // Both are missed: one verdict with both causes.
  record.plan->required_hz = 20;
  EXPECT_THAT(in_one_line(to_text(make_report(record))),
              ContainsRegex("NOT HELD: source 'in' delivers 10 Hz.*; latency max 30 ns, 20 ns required"));
  record.ranks[1]->sinks.back().counts.histogram("latency").clear();
  EXPECT_EQ(make_report(record).holds_latency(), std::nullopt);
  EXPECT_THAT(make_report(record).shortcomings(1), Contains(HasSubstr("but no frame reached a sink")));
}

TEST(Report, has_the_age_of_live_data_and_the_latency_of_each_channel) {
  RunRecord record = record_of_two_ranks();
  EXPECT_TRUE(json::parse(to_json(make_report(record)))["sources"][0]["data_age_ns"]["p50"].is_null());
  EXPECT_THAT(to_text(make_report(record)), Not(HasSubstr("data age")));
  SourceStatus& source = record.ranks[0]->sources[0];
  source.counts.histogram("age") = {{20, 3}, {40, 1}};
  source.details = {{"records_received", "records", 5},
                    {"channel_records[NL.A..BHZ]", "records", 4},
                    {"channel_latency[NL.A..BHZ]", "ns", 8'000},
                    {"channel_latency_high_water[NL.A..BHZ]", "ns", 5'000},
                    {"channel_records[NL.B..BHZ]", "records", 1},
                    {"channel_latency[NL.B..BHZ]", "ns", 3'000},
                    {"channel_latency_high_water[NL.B..BHZ]", "ns", 3'000}};
  const Report report = make_report(record);
  const json figures = json::parse(to_json(report))["sources"][0];
  EXPECT_EQ(figures["data_age_ns"], (json{{"p50", 20}, {"p99", 40}, {"max", 40}}));
  EXPECT_EQ(figures["counters"], (json{{"records_received", 5}}));
  EXPECT_EQ(figures["channels"],
            json::parse(R"([{"channel": "NL.A..BHZ", "records": 4, "latency_ns": {"mean": 2000, "max": 5000}},
                            {"channel": "NL.B..BHZ", "records": 1, "latency_ns": {"mean": 3000, "max": 3000}}])"));
  EXPECT_EQ(report.sources[0].mean_age, Time{25});
  EXPECT_THAT(in_one_line(to_text(report)),
              HasSubstr("p50 20 ns, p99 40 ns, max 40 ns; of 2 channels 'NL.B..BHZ' "
                        "is the latest: mean 3 us, longest 3 us"));
  EXPECT_THAT(to_text(report, true), ContainsRegex("NL.A..BHZ +4 +2 us +5 us"));
  EXPECT_THAT(
      to_prometheus(record),
      AllOf(HasSubstr("takt_source_data_age_seconds_count{source=\"in\"} 4\n"),
            HasSubstr("takt_channel_records_total{source=\"in\",channel=\"NL.A..BHZ\"} 4\n"),
            HasSubstr("takt_channel_latency_seconds_total{source=\"in\",channel=\"NL.A..BHZ\"} 8e-06\n"),
            HasSubstr("takt_channel_latency_longest_seconds{source=\"in\",channel=\"NL.B..BHZ\"} 3e-06\n"),
            Not(HasSubstr("event=\"channel_"))));
  EXPECT_EQ(json::parse(live_update(record, 1))["ages"],
            json::parse(R"([["in", "all", "4", "25 ns", "40 ns"], ["in", "NL.A..BHZ", "4", "2 us", "5 us"],
                            ["in", "NL.B..BHZ", "1", "3 us", "3 us"]])"));
}

TEST(Report, sustained_frequency_is_intervals_over_time) {
  // 101 frames have 100 intervals; 10 s from first to last.
  EXPECT_THAT(*make_report(record_of_two_ranks()).figures["sustained"], DoubleNear(10.0, 1e-9));
}

/// The first frame is 2 s late; those that waited for it come out with it, at 12.5 Hz.
TEST(Report, a_late_first_frame_does_not_raise_the_sustained_frequency_above_the_offered_one) {
  RunRecord record = record_of_two_ranks();
  record.ranks[1]->sinks[0].counts["first_ns"] = 3'000'000'000;
  record.ranks[0]->sources[0].waits["first_ns"] = 900'000'000;
  record.ranks[0]->sources[0].waits["last_ns"] = 10'900'000'000;
  EXPECT_THAT(*make_report(record).figures["sustained"], DoubleNear(12.5, 1e-9))
      << "the source waits for the pipeline, too";
  record.plan->stages[0].has_own_pace = true;
  EXPECT_THAT(*make_report(record).figures["sustained"], DoubleNear(10.0, 1e-9));
}

/// Output that tasks flush at the end of the stream is not part of the cost of a frame.
TEST(Report, work_after_the_end_of_the_stream_does_not_count_towards_capacity) {
  RunRecord record = record_of_two_ranks();
  EXPECT_THAT(*make_report(record).figures["capacity"], DoubleNear(101 / 5.0, 1e-9));
  record.ranks[1]->counts["compute"] += 20'000'000'000;
  record.ranks[1]->counts["rest"] = 20'000'000'000;
  EXPECT_THAT(*make_report(record).figures["capacity"], DoubleNear(101 / 5.0, 1e-9));
}

TEST(Report, notes_a_sustained_rate_far_above_the_prediction) {
  RunRecord record = record_of_two_ranks();
  record.plan->predicted_hz = 9;
  EXPECT_THAT(notes_of(record), Not(HasSubstr("times the predicted rate")));
  record.plan->predicted_hz = 4;
  EXPECT_THAT(notes_of(record),
              HasSubstr("sustained 10 Hz, 2.5 times the predicted rate: predicted from the costs"));
  record.plan->trial_hz = {{4, 5}};
  EXPECT_THAT(notes_of(record),
              HasSubstr("2.5 times the predicted rate: the trial run used synthetic frames"));
  record.plan_changes = 1;
  EXPECT_THAT(notes_of(record), Not(HasSubstr("times the predicted rate")));
}

TEST(Report, an_incomplete_last_frame_is_delivered_but_does_not_count_for_the_rate) {
  // The 102nd frame is late, since the source has recognised the end of its input only then.
  RunRecord record = record_of_two_ranks();
  record.ranks[0]->sources[0].counts["ingested"] = 102;
  record.ranks[0]->stages[0].counts["given"] = record.ranks[1]->stages[0].counts["runs"] = 102;
  record.ranks[1]->sinks[0].counts["passed"] = record.ranks[1]->sinks[0].counts["delivered"] = 102;
  const Report report = make_report(record);
  EXPECT_EQ(report.figures.count("delivered"), 102U);
  EXPECT_EQ(report.figures.count("dropped"), 0U);
  EXPECT_THAT(*report.figures["sustained"], DoubleNear(10.0, 1e-9));
  EXPECT_EQ(report.held(), true);
}

TEST(Report, of_too_few_iterations_has_no_frequency) {
  RunRecord record = record_of_two_ranks();
  record.plan->replicas = 40;
  const Report report = make_report(record);
  EXPECT_FALSE(report.figures["sustained"]);
  EXPECT_FALSE(report.held());
  EXPECT_THAT(to_text(report, true), HasSubstr("- sustained (too few frames)"));
  // 101 frames are two iterations of 33 after the first one.
  record.plan->replicas = 33;
  EXPECT_TRUE(make_report(record).figures["sustained"]);
}

TEST(Report, has_the_same_planned_utilisation_in_text_and_json) {
  RunRecord record = record_of_two_ranks();
  EXPECT_EQ(json::parse(to_json(make_report(record)))["ranks"][0]["planned_utilisation"], 0.125);
  // Half of it at the predicted 40 Hz, an eighth at the required 10 Hz.
  EXPECT_THAT(to_text(make_report(record), true), ContainsRegex("10\\.0 % +12\\.5 %"));
  record.ranks[1]->sinks[0].counts["passed"] = record.ranks[1]->sinks[0].counts["delivered"] = 0;
  record.ranks[0]->sources[0].counts["ingested"] = 0;
  EXPECT_TRUE(json::parse(to_json(make_report(record)))["ranks"][0]["planned_utilisation"].is_null());
  EXPECT_THAT(to_text(make_report(record), true), ::testing::Not(HasSubstr("planned 12.5")));
}

TEST(Report, of_an_active_run_does_not_count_frames_in_flight_as_dropped) {
  RunRecord record = record_of_two_ranks();
  record.ranks[0]->sources[0].counts["ingested"] = 105;
  record.ranks[0]->sources[0].counts["dropped"] = 7;
  record.ranks[1]->final = false;
  EXPECT_THAT(progress_line(record), HasSubstr("105 in, 101 out, 3 lost, 7 dropped"));
}

TEST(Report, of_an_active_run_fits_narrow_terminals_with_whole_numbers) {
  RunRecord record = record_of_two_ranks();
  record.ranks[1]->phase = Phase::running;
  record.ranks[1]->task = "a task of a name that is long";
  record.plan->stages[1].name = std::string(30, 'x') + "\u00e9" + std::string(30, 'y');
  const auto lines = [&](std::size_t width) {
    std::istringstream text(progress_table(record, width));
    std::vector<std::string> found;
    for (std::string line; std::getline(text, line);) {
      EXPECT_LE(letters_of(line), width) << line;
      found.push_back(line);
    }
    return found;
  };
  EXPECT_THAT(lines(79), Contains(HasSubstr("blocked  doing")));
  EXPECT_THAT(lines(79), Contains(AllOf(HasSubstr("xxx\u2026"), HasSubstr("yyy"))));
  EXPECT_THAT(lines(79), Contains(ContainsRegex("^task .* frames +planned +mean +p99$")));
  // Any width includes the use and the activity of ranks, and the frames and mean time of tasks.
  EXPECT_THAT(lines(39), Contains(ContainsRegex("^rank +busy.* doing$")));
  EXPECT_THAT(lines(39), Contains(ContainsRegex("^task .* frames .*mean")));
  EXPECT_THAT(lines(39), Contains(HasSubstr("name that")).Times(0));
}

TEST(Report, with_names_that_are_not_utf8_is_written) {
  RunRecord record = record_of_two_ranks();
  record.ranks[1]->sinks[0].location = "/tmp/\xff";
  record.plan->pipeline = "\xfe";
  EXPECT_EQ(json::parse(to_json(make_report(record)))["pipeline"], "\xef\xbf\xbd");
  EXPECT_EQ(status_from_text(to_text(*record.ranks[1])).rank, 1);
  EXPECT_EQ(plan_from_text(to_text(*record.plan)).pipeline, "\xef\xbf\xbd");
}

TEST(Report, capacity_follows_from_the_busiest_rank) {
  // Rank 1 worked 5 s for 101 frames.
  EXPECT_THAT(*make_report(record_of_two_ranks()).figures["capacity"], DoubleNear(101.0 / 5.0, 1e-9));
  // It did sustain 10 Hz, whatever the first frames cost.
  RunRecord expensive = record_of_two_ranks();
  expensive.ranks[1]->counts["compute"] = 20'000'000'000;
  EXPECT_EQ(make_report(expensive).figures["capacity"], make_report(expensive).figures["sustained"]);
}

TEST(Report, a_required_rate_is_held_only_without_drops) {
  RunRecord record = record_of_two_ranks();
  EXPECT_EQ(make_report(record).held(), true);
  record.ranks[0]->sources[0].counts["dropped"] = 1;
  EXPECT_EQ(make_report(record).held(), false);
  record = record_of_two_ranks();
  record.plan->required_hz = 10.2;
  EXPECT_EQ(make_report(record).held(), false);
}

TEST(Report, states_why_a_rate_was_not_held) {
  RunRecord record = record_of_two_ranks();
  record.ranks[0]->sources[0].counts["dropped"] = 2;
  // The same rate, to nine digits.
  record.plan->required_hz = *make_report(record).figures["sustained"];
  EXPECT_EQ(make_report(record).why_not_held(), "2 frames dropped");
  EXPECT_THAT(to_text(make_report(record), true), HasSubstr("NOT HELD: 2 frames"));
  record.ranks[0]->sources[0].counts["dropped"] = 0;
  record.plan->required_hz = *record.plan->required_hz * 1.02;
  EXPECT_EQ(make_report(record).why_not_held(), "1.96\u00a0% too slow");
  record.plan->required_hz = *make_report(record).figures["sustained"];
  record.outages.push_back({.utc_ns = 0, .reason = "rank 1 died", .frame = 5});
  EXPECT_THAT(to_text(make_report(record), true), HasSubstr("held: 10 Hz since the last restart"));
}

/// First the result and its cause, then the advice.
TEST(Report, begins_with_the_verdict) {
  RunRecord record = record_of_two_ranks();
  const auto first_line = [&] {
    const std::string text = to_text(make_report(record));
    return text.substr(1, text.find("\n\n") - 1);
  };
  record.plan->required_hz = 10;
  EXPECT_THAT(first_line(), StartsWith("held: 10 Hz\n"));
  record.plan->required_hz.reset();
  EXPECT_THAT(first_line(), StartsWith("101 frames delivered at 10 Hz\n"));
  // The queue was too short.
  record.plan->required_hz = 10;
  record.plan->stages[0].queue_frames = 8;
  record.ranks[0]->sources[0].counts["dropped"] = 34;
  EXPECT_THAT(first_line(),
              StartsWith("NOT HELD: 34 frames dropped: the queue of 'in' (8 frames, 800 ms) was full:\nraise "
                         "'depth'\n"));
  // The source gives less, for which rank 0 waits.
  record.ranks[0]->sources[0].counts["dropped"] = 0;
  record.plan->required_hz = 15;
  EXPECT_THAT(first_line(),
              HasSubstr("NOT HELD: source 'in' delivers 10 Hz: raise its rate, or lower 'rate'"));
  // Other processes have the core.
  record.ranks[0]->sources[0].waits["starved"] = 0;
  record.ranks[1]->counts["watched"] = 1000;
  record.ranks[1]->counts["delayed"] = 590;
  EXPECT_THAT(first_line(), AllOf(HasSubstr("10 Hz sustained, 15 Hz required"), HasSubstr("rank 1 waited 59"),
                                  HasSubstr("that other processes used")));
  // A task is too slow by its plan, with or without other processes.
  record.plan->stages[1].cost_ns = 80'000'000;
  EXPECT_THAT(first_line(), HasSubstr("'out' takes 80 ms per frame, more"));
  EXPECT_THAT(first_line(), Not(HasSubstr("other processes")));
  record.changes = {{.parameter = "out.time", .value = "80 ms", .old_value = "2 ms", .frame = 5}};
  EXPECT_THAT(first_line(), HasSubstr("'out.time' is 80 ms (was 2 ms)"));
  record.changes.clear();
  record.plan->stages[1].cost_ns = 2'000'000;
  record.ranks[1]->counts["delayed"] = 0;
  // Half of the frames that are missing were lost before the pipeline.
  record.ranks[0]->sources[0].counts["lost"] = 40;
  EXPECT_THAT(first_line(),
              AllOf(HasSubstr("40 frames lost before the pipeline"), HasSubstr("check the network")));
  record.ranks[0]->sources[0].counts["lost"] = 3;
  EXPECT_THAT(first_line(), HasSubstr("rank 1 is "));
  record.failure = "rank 1 died\nmore";
  EXPECT_THAT(first_line(), StartsWith("FAILED: rank 1 died\n"));
}

/// The status at the change is of second 4.
TEST(Report, states_whether_the_plan_after_a_change_held_the_rate) {
  RunRecord record = record_of_two_ranks();
  record.plan->required_hz = 11;
  const auto verdict = [&] { return verdict_text(make_report(record)); };
  EXPECT_THAT(verdict(), Not(HasSubstr("change of plan")));
  record.plan_changes = 1;
  record.ranks_at_change = record.ranks;
  Counts<Scope::sink>& then = record.ranks_at_change[1]->sinks[0].counts;
  then["last_ns"] = 5'000'000'000;
  // 76 frames in the last 6 s.
  then["timed"] = 25;
  EXPECT_THAT(verdict(), AllOf(StartsWith("NOT HELD: "), HasSubstr("change of plan held: 11 Hz")));
  record.ranks[0]->sources[0].counts["dropped"] = 9;
  record.ranks_at_change[0]->sources[0].counts["dropped"] = 2;
  EXPECT_THAT(verdict(), HasSubstr("since the change of plan 7 frames dropped: not held"));
  record.ranks_at_change[0]->sources[0].counts["dropped"] = 9;
  EXPECT_THAT(verdict(), HasSubstr("change of plan held: 11 Hz"));
  // 60 frames.
  then["timed"] = 41;
  EXPECT_THAT(verdict(), HasSubstr("since the change of plan 10 Hz sustained: not held"));
  then["timed"] = 100;
  EXPECT_THAT(verdict(), HasSubstr("too few frames since the change of plan"));
}

TEST(Report, notes_nothing_that_the_verdict_names) {
  RunRecord record = record_of_two_ranks();
  record.plan->required_hz = 50;
  record.ranks[0]->sources[0].counts["dropped"] = 34;
  const Report report = make_report(record);
  EXPECT_THAT(report.further_shortcomings(0.9), ElementsAre("3 frames lost"));
  EXPECT_THAT(report.shortcomings(0.9), SizeIs(3));
  EXPECT_THAT(report.notes, Not(Contains(HasSubstr("is above the predicted"))));
  // A run that holds a rate above the prediction.
  record.ranks[0]->sources[0].counts["dropped"] = 0;
  record.plan->required_hz = 10;
  record.plan->predicted_hz = 9;
  EXPECT_THAT(make_report(record).notes, Contains(HasSubstr("is above the predicted")));
}

TEST(Report, has_tables_of_tasks_and_ranks_in_verbose_mode) {
  const Report report = make_report(record_of_two_ranks());
  EXPECT_THAT(to_text(report), Not(HasSubstr("waits")));
  EXPECT_THAT(to_text(report, true), HasSubstr("waits"));
}

TEST(Report, states_that_a_sink_that_died_may_have_written_more) {
  RunRecord record = record_of_two_ranks();
  EXPECT_THAT(to_text(make_report(record), true), Not(HasSubstr("ended without a final report")));
  record.failure = "its host is gone";
  record.ranks[1]->final = false;
  EXPECT_THAT(to_text(make_report(record), true),
              AllOf(HasSubstr("rank 1 ended without a final report"), HasSubstr("ingested, at least ")));
  EXPECT_THAT(to_json(make_report(record)), HasSubstr("\"is_least\": true"));
}

TEST(Report, lists_shortcomings_for_strict) {
  RunRecord record = record_of_two_ranks();
  record.ranks[0]->sources[0].counts["lost"] = 0;
  // The ranks could have done 20.2 Hz; 40 were predicted.
  EXPECT_THAT(make_report(record).shortcomings(0.4),
              ElementsAre("predicted 40 Hz, estimated limit 20.2 Hz, 50\u00a0% less"));
  EXPECT_THAT(make_report(record).shortcomings(0.6), IsEmpty());
  Report disturbed = make_report(record);
  disturbed.ranks[0].figures["delayed"] = 0.02;
  disturbed.ranks[1].figures["delayed"] = 0.4;
  EXPECT_THAT(disturbed.shortcomings(0.4),
              ElementsAre(HasSubstr(
                  "less; for 40\u00a0% of the time rank 1 was ready while other processes used its core")));
  record.ranks[0]->sources[0].counts["dropped"] = 1;
  record.ranks[0]->sources[0].counts["lost"] = 3;
  record.plan->required_hz = 20;
  EXPECT_THAT(make_report(record).shortcomings(0.6),
              ElementsAre("1 frame dropped: the queue of 'in' was full", "3 frames lost",
                          "required 20 Hz, sustained 10 Hz: 50\u00a0% too "
                          "slow, 1 frame dropped"));
}

TEST(Report, lists_a_truncated_stream_as_a_shortcoming) {
  RunRecord record = record_of_two_ranks();
  record.ranks[0]->sources[0].counts["lost"] = 0;
  record.ranks[0]->sources[0].details = {{"streams_cut", "times", 0}};
  EXPECT_THAT(make_report(record).shortcomings(0.6), IsEmpty());
  record.ranks[0]->sources[0].details = {{"streams_cut", "times", 1}};
  EXPECT_THAT(make_report(record).shortcomings(0.6),
              ElementsAre(HasSubstr("ended without its sender's end mark")));
}

/// Both ranks are busy half of the time, but cannot be faster.
TEST(Report, judges_ranks_that_wait_for_each_other_by_the_sustained_rate) {
  RunRecord record = record_of_two_ranks();
  record.ranks[0]->sources[0].counts["lost"] = 0;
  record.plan->predicted_hz = 15;
  EXPECT_THAT(make_report(record).shortcomings(0.1), IsEmpty());
  EXPECT_THAT(to_text(make_report(record), true), HasSubstr("estimated limit 20.2 Hz"));
  record.ranks[0]->sources[0].waits["starved"] = 100'000'000;
  EXPECT_THAT(make_report(record).shortcomings(0.1),
              ElementsAre("predicted 15 Hz, sustained 10 Hz, 33\u00a0% less"));
  EXPECT_THAT(to_text(make_report(record), true),
              HasSubstr("no limit: ranks waited for each other, not for the source"));
  // In an interrupted run, the sustained rate includes the interruption.
  record.outages.push_back({});
  record.ranks[0]->counts["compute"] = 100'000'000;
  EXPECT_THAT(make_report(record).shortcomings(0.1), IsEmpty());
}

TEST(Report, lists_a_required_rate_with_too_few_frames_as_a_shortcoming) {
  RunRecord record = record_of_two_ranks();
  record.ranks[0]->sources[0].counts = {{"ingested", 1}};
  record.ranks[0]->stages[0].counts["given"] = record.ranks[1]->stages[0].counts["runs"] = 1;
  record.ranks[1]->sinks[0].counts["passed"] = record.ranks[1]->sinks[0].counts["delivered"] = 1;
  record.ranks[1]->sinks[0].counts["timed"] = 1;
  EXPECT_EQ(make_report(record).held(), std::nullopt);
  EXPECT_THAT(make_report(record).shortcomings(0.1),
              ElementsAre("required 10 Hz, but only 1 frame reached the sinks, too few to measure a rate"));
  record.plan->required_hz.reset();
  EXPECT_THAT(make_report(record).shortcomings(0.1), IsEmpty());
}

/// The prediction is that of the last plan, the sustained rate that of all
/// plans, and the first frames of a run are expensive.
TEST(Report, does_not_judge_the_prediction_of_a_run_that_was_short_or_changed_its_plan) {
  RunRecord record = record_of_two_ranks();
  record.ranks[0]->sources[0].counts["lost"] = 0;
  EXPECT_THAT(make_report(record).shortcomings(0.1), SizeIs(1));
  record.plan_changes = 1;
  EXPECT_THAT(make_report(record).shortcomings(0.1), IsEmpty());
  record.plan_changes = 0;
  record.plan->replicas = 6;
  record.plan->required_hz.reset();
  EXPECT_THAT(make_report(record).shortcomings(0.1), IsEmpty());
}

TEST(Report, does_not_judge_a_prediction_by_almost_idle_ranks) {
  // Busy for 5 s of 10: 20.2 Hz could have been sustained, 40 Hz were predicted.
  RunRecord record = record_of_two_ranks();
  constexpr const char* unconfirmed = "cannot confirm the predicted";
  EXPECT_THAT(notes_of(record), Not(HasSubstr(unconfirmed)));
  // Busy for 0.5 s of 10, so twenty times the rate is possible; 1 kHz was predicted.
  RankStatus& second = *record.ranks[1];
  second.counts["compute"] = 400'000'000;
  second.counts["message"] = 70'000'000;
  second.counts["other"] = 30'000'000;
  second.counts["starved"] = 8'500'000'000;
  record.ranks[0]->counts["compute"] = 100'000'000;
  record.ranks[0]->counts["starved"] = record.ranks[0]->sources[0].waits["starved"] = 9'900'000'000;
  record.ranks[0]->sources[0].counts["lost"] = 0;
  record.plan->predicted_hz = 1000;
  EXPECT_THAT(make_report(record).shortcomings(0.1), IsEmpty());
  EXPECT_THAT(notes_of(record), HasSubstr("cannot confirm the predicted 1 kHz; `takt sustain` can"));
  EXPECT_THAT(notes_of(record), HasSubstr("The ranks were 5.0"));
  // A difference of a fifth is no deviation.
  second.counts["compute"] = 1'900'000'000;
  second.counts["starved"] = 7'000'000'000;
  record.plan->predicted_hz = 100;
  EXPECT_THAT(make_report(record).shortcomings(0.1), IsEmpty());
  second.counts["compute"] = 400'000'000;
  second.counts["starved"] = 8'500'000'000;
  // The capacity equals the prediction.
  record.plan->predicted_hz = 202;
  EXPECT_THAT(notes_of(record), Not(HasSubstr(unconfirmed)));
  // Ranks that wait for each other, and not for the source, are the cause.
  record.plan->predicted_hz = 1000;
  record.ranks[0]->counts["starved"] = record.ranks[0]->sources[0].waits["starved"] = 0;
  record.ranks[0]->counts["blocked"] = 9'900'000'000;
  second.waits = {{0, {{"starved", 8'500'000'000}}}};
  EXPECT_THAT(make_report(record).shortcomings(0.1), SizeIs(1));
  EXPECT_THAT(notes_of(record), Not(HasSubstr(unconfirmed)));
}

TEST(Report, has_the_latency_of_each_sink_and_the_longest_of_all) {
  RunRecord record = record_of_two_ranks();
  RunPlan& plan = *record.plan;
  for (const char* name : {"late", "infrequent", "never"})
    plan.stages.push_back({name, "null", "sink", {0}, {1}, 1000});
  set_latencies({Time{0}, Time{100}, Time{400}, Time{9000}, Time{9000}}, plan);
  EXPECT_EQ(plan.predicted_latency_ns, 9000);
  plan.stages[1].costs_latency_ns = 90;
  plan.stages[2].costs_latency_ns = 380;
  plan.stages[2].trial_latency_ns = {390, 520};
  const auto buckets_of = [](std::initializer_list<std::pair<int, int>> times) {
    Histogram histogram;
    for (const auto& [count, ns] : times) histogram.record(Time{ns}, static_cast<std::uint64_t>(count));
    return histogram.buckets();
  };
  RankStatus& second = *record.ranks[1];
  second.sinks[0].counts.histogram("latency") = buckets_of({{100, 100}, {1, 100'000}});
  second.sinks.push_back(second.sinks[0]);
  second.sinks[1].stage = 2;
  second.sinks[1].counts.histogram("latency") = buckets_of({{101, 410}});
  // What a frame or two take is no figure of the whole.
  second.sinks.push_back({.stage = 3, .counts = {{"passed", 101}}});
  second.sinks[2].counts.histogram("latency") = buckets_of({{2, 1'000'000}});
  second.sinks.push_back({.stage = 4, .counts = {{"passed", 101}}});

  const Report report = make_report(record);
  ASSERT_THAT(report.outputs, SizeIs(4));
  EXPECT_EQ(report.outputs[0].latency.p50, report.outputs[0].latency.p90);
  EXPECT_LT(report.outputs[0].latency.p50, report.outputs[1].latency.p50);
  EXPECT_EQ(report.latency.p50, report.outputs[1].latency.p50);
  EXPECT_EQ(report.latency.max, report.outputs[0].latency.max);
  EXPECT_EQ(report.predicted_latency.median, Time{400});
  EXPECT_EQ(report.predicted_latency.by_costs, Time{380});
  const std::string text = to_text(report, true);
  EXPECT_THAT(text, HasSubstr("the slowest one per frame"));
  EXPECT_THAT(text, ContainsRegex("  late  +p50 411 ns, p90 411 ns, p99 411 ns, max 411 ns; 400 ns "
                                  "predicted\n +\\(390 ns to 520 ns in repetitions\\)"));
  const json outputs = json::parse(to_json(report))["outputs"];
  EXPECT_EQ(outputs[1]["latency_ns"]["predicted"], 400);
  EXPECT_EQ(outputs[1]["latency_ns"]["by_costs"], 380);
  EXPECT_EQ(outputs[1]["latency_ns"]["trial"], json::parse(R"({"least": 390, "most": 520})"));
  EXPECT_TRUE(outputs[2]["latency_ns"]["by_costs"].is_null());
  EXPECT_TRUE(outputs[0]["latency_ns"]["trial"].is_null());
  EXPECT_TRUE(outputs[3]["latency_ns"]["p50"].is_null());
}

TEST(Report, has_shares_of_a_rank_that_add_up_and_names_its_waits) {
  const Report report = make_report(record_of_two_ranks());
  for (const Report::Rank& rank : report.ranks)
    EXPECT_THAT(rank.busy() + rank.figures.value("starved") + rank.figures.value("blocked"),
                DoubleNear(1, 1e-9));
  const std::string text = to_text(report, true);
  // Of the 90 % of starvation of rank 0, 85 were for its source; of the 40 % of rank 1, 30 for rank 0.
  EXPECT_THAT(text, ContainsRegex("85\\.0 % for the source"));
  EXPECT_THAT(text, ContainsRegex("30\\.0 % for"));
  EXPECT_THAT(text, ContainsRegex("5\\.0 % for other ranks"));
  const json ranks = json::parse(to_json(report))["ranks"];
  EXPECT_EQ(ranks[1]["waits"], json::parse(R"([{"rank": 0, "starved": 0.3, "blocked": 0.1}])"));
  EXPECT_EQ(ranks[0]["source_waits"], json::parse(R"([{"source": "in", "starved": 0.85}])"));
  EXPECT_EQ(ranks[1]["source_waits"], json::array());
}

TEST(Report, consumed_frames_are_not_delivered) {
  // Only the first five frames reached the sink.
  RunRecord record = record_of_two_ranks();
  record.ranks[1]->sinks[0].counts["delivered"] = 5;
  Report report = make_report(record);
  EXPECT_EQ(report.figures.count("delivered"), 5U);
  EXPECT_EQ(report.figures.count("absorbed"), 96U);
  EXPECT_EQ(report.held(), false);
  EXPECT_THAT(to_text(report, true), HasSubstr("5 delivered, 3 lost, 0 dropped, 96 consumed by kernels"));
  // Ten frames of ten each, and the beginning of the next one.
  record.ranks[1]->sinks[0].counts["delivered"] = 100;
  record.ranks[1]->sinks[0].counts["most_combined"] = 10;
  report = make_report(record);
  EXPECT_EQ(report.figures.count("absorbed"), 1U);
  EXPECT_EQ(report.held(), true);
}

TEST(Report, does_not_count_frames_in_flight_as_dropped) {
  RunRecord record = record_of_two_ranks();
  record.ranks[0]->sources[0].counts["ingested"] = 103;
  record.ranks[1]->final = false;
  // Of a result of a thousand frames nothing was received yet.
  record.ranks[1]->sinks[0].counts["delivered"] = record.ranks[1]->sinks[0].counts["most_combined"] = 0;
  Report report = make_report(record);
  EXPECT_EQ(report.figures.count("dropped"), 0U);
  EXPECT_EQ(report.figures.count("under_way"), 2U);
  EXPECT_EQ(report.held(), true);
  // Ranks without a final report have lost them.
  record.failure = "rank 1 died";
  report = make_report(record);
  EXPECT_EQ(report.figures.count("dropped"), 2U);
  EXPECT_EQ(report.figures.count("under_way"), 0U);
  EXPECT_EQ(report.held(), false);
}

TEST(Report, compares_produced_with_received_frames) {
  RunRecord record = record_of_two_ranks();
  EXPECT_THAT(make_report(record).miscounts, IsEmpty());
  record.ranks[1]->stages[0].counts["runs"] = 100;
  EXPECT_THAT(make_report(record).miscounts, ElementsAre("'in' produced 101 frames, 'out' received 100"));
  EXPECT_EQ(make_report(record).held(), false);
  // When a run is aborted, frames are in flight.
  record.failure = "rank 1 died";
  EXPECT_THAT(make_report(record).miscounts, IsEmpty());
}

TEST(Report, names_a_kernel_whose_frames_stand_for_more_than_it_received) {
  RunRecord record = record_of_two_ranks();
  EXPECT_THAT(make_report(record).overstatements, IsEmpty());
  record.ranks[1]->stages[0].counts["overstated"] = 7;
  const Report report = make_report(record);
  EXPECT_THAT(report.overstatements,
              ElementsAre(HasSubstr("produced frames that stand for 7 more than it received")));
  EXPECT_EQ(report.held(), false);
  EXPECT_THAT(to_text(report, true), HasSubstr("a fault of its kernel"));
}

TEST(Report, has_the_fixed_form_as_json) {
  const json report = json::parse(to_json(make_report(record_of_two_ranks())));
  for (const char* key : {"ingested", "delivered", "lost", "dropped"})
    EXPECT_TRUE(report["frames"].contains(key)) << key;
  for (const char* key : {"sustained", "predicted", "required"})
    EXPECT_TRUE(report["frequency_hz"].contains(key)) << key;
  for (const char* key : {"p50", "p90", "p99", "max"}) EXPECT_TRUE(report["latency_ns"].contains(key)) << key;
  EXPECT_EQ(report["ranks"].size(), 2U);
  EXPECT_THAT(report["ranks"][1]["utilisation"].get<double>(), DoubleNear(0.5, 1e-9));
  EXPECT_EQ(report["tasks"][0]["name"], "in");
  EXPECT_TRUE(report["failure"].is_null());
}

TEST(Report, of_a_run_without_frames_has_no_figures) {
  RunRecord record = record_of_two_ranks();
  record.ranks = {std::nullopt, std::nullopt};
  const json report = json::parse(to_json(make_report(record)));
  EXPECT_TRUE(report["frequency_hz"]["sustained"].is_null());
  EXPECT_TRUE(report["latency_ns"]["p50"].is_null());
  EXPECT_THAT(to_text(make_report(record), true), HasSubstr("- sustained"));
}

TEST(Status, survives_the_transfer_from_rank_to_launcher) {
  const RankStatus status = *record_of_two_ranks().ranks[1];
  const RankStatus again = status_from_text(to_text(status));
  EXPECT_EQ(again.rank, 1);
  EXPECT_EQ(again.counts["starved"], status.counts["starved"]);
  EXPECT_EQ(again.waits.size(), status.waits.size());
  ASSERT_EQ(again.sinks.size(), 1U);
  EXPECT_EQ(again.sinks[0].counts.histogram("latency"), status.sinks[0].counts.histogram("latency"));
  EXPECT_EQ(again.activity(), "running task 'fft'");
  const RunPlan plan = plan_from_text(to_text(*record_of_two_ranks().plan));
  EXPECT_EQ(plan.required_hz, 10.0);
  EXPECT_EQ(plan.stages[1].inputs, std::vector<std::size_t>{0});
}

}  // namespace
}  // namespace takt::pipeline
