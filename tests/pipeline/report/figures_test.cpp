/// Do the report and the metrics keep the keys, names and values that programs read?

#include <set>
#include <sstream>

#include <gmock/gmock.h>
#include <nlohmann/json.hpp>

#include "core/error.hpp"
#include "pipeline/live/metrics.hpp"
#include "pipeline/protocol/histogram.hpp"
#include "pipeline/report/report.hpp"
#include "tests/support/program.hpp"

namespace takt::pipeline {
namespace {

using nlohmann::json;
using ::testing::HasSubstr;

Buckets times_of(std::uint64_t count, std::int64_t ns) {
  Histogram histogram;
  for (std::uint64_t i = 0; i < count; ++i) histogram.record(Time(ns * static_cast<std::int64_t>(i % 7 + 1)));
  return histogram.buckets();
}

RunPlan full_plan() {
  RunPlan plan{.pipeline = "full",
               .scheduler = "optfo",
               .objective = "frequency",
               .ranks = 3,
               .replicas = 2,
               .stages = {{"sky", "udp", "source", {}, {0}, 1'000'000, "int8[1]"},
                          {"fft", "fft", "kernel", {0}, {0, 1}, 2'000'000, "int8[1]"},
                          {"file", "raw", "sink", {1}, {1}, 300'000, ""},
                          {"copy", "raw", "sink", {1}, {1}, 300'000, ""}},
               .predicted_hz = 40,
               .costs_hz = 38.5,
               .trial_hz = {{39, 41}},
               .limit = "rank 1 is occupied for 25 ms per frame",
               .required_hz = 10,
               .predicted_busy = {0.5, 1.0, 0.0}};
  plan.stages[0].queue_frames = 8;
  plan.stages[1].group = 2;
  plan.stages[2].latency_ns = 3'000'000;
  plan.stages[2].costs_latency_ns = 2'900'000;
  plan.stages[2].trial_latency_ns = {2'800'000, 3'200'000};
  plan.notes = {"a note of the plan"};
  return plan;
}

StageStatus stage_of(std::size_t stage, Counts<Scope::task> counts, Buckets times) {
  counts.histogram("time") = std::move(times);
  return {stage, std::move(counts)};
}

SinkStatus sink_of(std::size_t stage, Counts<Scope::sink> counts, Buckets latency, std::string location) {
  counts.histogram("latency") = std::move(latency);
  return {stage, std::move(counts), std::move(location), {}, {}};
}

RankStatus first_rank() {
  RankStatus rank{.rank = 0, .host = "a", .pid = 77, .final = true};
  rank.counts = {{"compute", 1'000'000'000},  {"message", 200'000'000}, {"starved", 8'500'000'000},
                 {"blocked", 100'000'000},    {"other", 300'000'000},   {"rest", 50'000'000},
                 {"watched", 10'000'000'000}, {"used", 4'000'000'000},  {"delayed", 250'000'000},
                 {"resident", 1 << 20}};
  rank.waits = {{1, {{"starved", 500'000'000}, {"blocked", 100'000'000}}}};
  rank.stages = {stage_of(0, {{"runs", 103}, {"given", 103}, {"work", 103'000'000}}, times_of(103, 400'000)),
                 stage_of(1, {{"runs", 103}, {"given", 103}, {"work", 206'000'000}, {"overstated", 7}},
                          times_of(103, 900'000))};
  rank.sources.push_back({.stage = 0,
                          .counts = {{"ingested", 103}, {"lost", 3}, {"dropped", 2}, {"incomplete", 1}},
                          .waits = {{"starved", 7'000'000'000}},
                          .details = {{"late_packets", "packets", 4}, {"queue_high_water", "frames", 9}},
                          .warnings = {"small buffer"}});
  return rank;
}

RankStatus second_rank() {
  RankStatus rank{.rank = 1, .host = "b", .pid = 78, .final = true};
  rank.counts = {{"compute", 4'000'000'000},
                 {"message", 700'000'000},
                 {"starved", 4'000'000'000},
                 {"blocked", 1'000'000'000},
                 {"other", 300'000'000}};
  rank.waits = {{0, {{"starved", 3'000'000'000}, {"blocked", 1'000'000'000}}}};
  rank.stages = {stage_of(2, {{"runs", 101}, {"work", 30'300'000}}, times_of(101, 100'000)),
                 stage_of(3, {{"runs", 100}, {"work", 20'000'000}}, times_of(100, 50'000))};
  const Counts<Scope::sink> file{
      {"passed", 101}, {"delivered", 101},          {"most_combined", 1},       {"rest", 5},
      {"timed", 101},  {"first_ns", 1'000'000'000}, {"last_ns", 11'000'000'000}};
  Counts<Scope::sink> copy = file;
  copy["delivered"] = 100;
  copy["rest"] = 0;
  copy["last_ns"] = 11'100'000'000;
  rank.sinks = {sink_of(2, file, times_of(101, 1'000'000), "/tmp/out"),
                sink_of(3, copy, times_of(101, 900'000), "/tmp/copy")};
  rank.sinks[0].counters = {{"held_back", "frames", 2}, {"bytes", "bytes", 4096}};
  rank.sinks[0].warnings = {"slow"};
  return rank;
}

/// Two ranks that have reported and one that has not, with a value in every figure.
RunRecord full_record() {
  RunRecord record;
  record.plan = full_plan();
  record.ranks = {first_rank(), second_rank(), std::nullopt};
  record.changes = {{.parameter = "fft.window", .value = "hann", .old_value = "none", .frame = 5}};
  record.warnings = {"a warning"};
  record.log = {"a line"};
  return record;
}

/// A run that was restarted and has failed since.
RunRecord failed_record() {
  RunRecord record = full_record();
  record.outages = {
      {.utc_ns = 1'000'000'000, .reason = "rank 1 died", .frame = 5, .lost = 6, .hosts = {"c"}}};
  record.failure = "rank 1 died again";
  return record;
}

std::string golden(const std::string& name) {
  return takt::test::read_file(std::string(TAKT_SOURCE_DIR) + "/tests/pipeline/report/golden/" + name);
}

/// Expects that all earlier keys keep their values; new keys may be added.
void expect_holds(const json& now, const json& before, const std::string& path) {
  if (before.is_object()) {
    ASSERT_TRUE(now.is_object()) << path;
    for (const auto& [key, value] : before.items()) {
      ASSERT_TRUE(now.contains(key)) << path << '/' << key;
      expect_holds(now[key], value, path + '/' + key);
    }
  } else if (before.is_array()) {
    ASSERT_TRUE(now.is_array() && now.size() == before.size()) << path;
    for (std::size_t i = 0; i < before.size(); ++i)
      expect_holds(now[i], before[i], path + '/' + std::to_string(i));
  } else if (before.is_number_float()) {
    ASSERT_TRUE(now.is_number_float()) << path;
    EXPECT_DOUBLE_EQ(now.get<double>(), before.get<double>()) << path;
  } else {
    EXPECT_EQ(now.type(), before.type()) << path;
    EXPECT_EQ(now, before) << path;
  }
}

TEST(Figures, are_described_and_have_names_and_keys_of_their_own) {
  std::set<std::pair<Scope, std::string_view>> names;
  std::set<std::string> keys;
  for (const Figure& figure : figure_table) {
    SCOPED_TRACE(figure.name);
    EXPECT_TRUE(names.emplace(figure.scope, figure.name).second);
    EXPECT_FALSE(figure.help.empty());
    EXPECT_EQ(figure.help.find('|'), std::string_view::npos);
    if (figure.key.empty()) continue;
    EXPECT_TRUE(keys.insert(std::string(place_of(figure.scope)) + std::string(figure.key)).second);
  }
}

TEST(Figures, of_another_program_are_refused) {
  std::string text = to_text(first_rank());
  text.replace(text.find("\"compute\""), 9, "\"another\"");
  EXPECT_THROW((void)status_from_text(text), ConfigError);
}

TEST(Figures, keep_their_keys_and_values_in_the_report) {
  expect_holds(json::parse(to_json(make_report(full_record()))), json::parse(golden("report.json")), "full");
  expect_holds(json::parse(to_json(make_report(failed_record()))), json::parse(golden("failed.json")),
               "failed");
  expect_holds(json::parse(to_json(make_report(RunRecord{}))), json::parse(golden("empty.json")), "empty");
}

TEST(Figures, keep_their_names_types_and_labels_in_the_metrics) {
  const std::string metrics = '\n' + to_prometheus(full_record());
  std::istringstream lines(golden("metrics.txt"));
  for (std::string line; std::getline(lines, line);)
    if (!line.starts_with("# HELP")) {
      EXPECT_THAT(metrics, HasSubstr('\n' + line + '\n'));
    }
}

}  // namespace
}  // namespace takt::pipeline
