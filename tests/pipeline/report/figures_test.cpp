/// Do the report and the metrics keep the keys, names and values that programs read?

#include <sstream>

#include <gmock/gmock.h>
#include <nlohmann/json.hpp>

#include "pipeline/live/live_update.hpp"
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

RankStatus first_rank() {
  RankStatus rank{.rank = 0, .host = "a", .pid = 77, .final = true};
  rank.compute_ns = 1'000'000'000;
  rank.message_ns = 200'000'000;
  rank.starved_ns = 8'500'000'000;
  rank.blocked_ns = 100'000'000;
  rank.other_ns = 300'000'000;
  rank.rest_ns = 50'000'000;
  rank.watched_ns = 10'000'000'000;
  rank.used_ns = 4'000'000'000;
  rank.delayed_ns = 250'000'000;
  rank.resident = 1 << 20;
  rank.waits = {{1, 500'000'000, 100'000'000}};
  rank.stages.push_back({0, 103, 103, 103'000'000, times_of(103, 400'000), 0});
  rank.stages.push_back({1, 103, 103, 206'000'000, times_of(103, 900'000), 7});
  rank.sources.push_back({0,
                          {103, 3, 2, 1, {{"late_packets", "packets", 4}, {"queue_high_water", "frames", 9}}},
                          {"small buffer"}});
  rank.sources.back().awaited_ns = 7'000'000'000;
  return rank;
}

RankStatus second_rank() {
  RankStatus rank{.rank = 1, .host = "b", .pid = 78, .final = true};
  rank.compute_ns = 4'000'000'000;
  rank.message_ns = 700'000'000;
  rank.starved_ns = 4'000'000'000;
  rank.blocked_ns = 1'000'000'000;
  rank.other_ns = 300'000'000;
  rank.waits = {{0, 3'000'000'000, 1'000'000'000}};
  rank.stages.push_back({2, 101, 0, 30'300'000, times_of(101, 100'000), 0});
  rank.stages.push_back({3, 100, 0, 20'000'000, times_of(100, 50'000), 0});
  rank.sinks.push_back({2,
                        101,
                        101,
                        1,
                        5,
                        101,
                        1'000'000'000,
                        11'000'000'000,
                        times_of(101, 1'000'000),
                        "/tmp/out",
                        {{"held_back", "frames", 2}, {"bytes", "bytes", 4096}},
                        {"slow"}});
  rank.sinks.push_back(
      {3, 101, 100, 1, 0, 101, 1'000'000'000, 11'100'000'000, times_of(101, 900'000), "/tmp/copy", {}, {}});
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

/// What was there is there as it was; more may be there.
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
