/// Tests the final report of several streams.

#include "pipeline/streams/streams_report.hpp"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <nlohmann/json.hpp>

namespace takt::pipeline {
namespace {

using ::testing::AllOf;
using ::testing::ContainsRegex;
using ::testing::HasSubstr;
using ::testing::Not;
using ::testing::StartsWith;

StreamResult result_of(const char* name, double sustained_hz, bool held, const std::string& restarts) {
  StreamResult result;
  result.stream.name = name;
  result.stream.required_hz = result.stream.promised_hz = 100.4;
  result.end.report = fmt::format(
      R"({{"frames": {{"delivered": 7, "lost": 0, "dropped": 0}}, "frequency_hz": {{"sustained": {}}},
          "held": {}, "latency_ns": {{"p99": null}}, "ranks": [], "restarts": [{}]}})",
      sustained_hz, held, restarts);
  return result;
}

TEST(StreamsReport, states_that_a_stream_was_restarted) {
  const StreamsReport report = make_report(
      {result_of("calm", 101, true, ""), result_of("hurt", 101, true, R"({"reason": "rank 1 died"})")}, 1,
      Time{1});
  EXPECT_THAT(to_text(report), AllOf(HasSubstr("yes, restarted"), HasSubstr("'hurt' restarted 1 time"),
                                     ContainsRegex("rank 1\\s+died"), Not(HasSubstr("'calm' was"))));
  EXPECT_THAT(to_text(report), StartsWith("held: all 2 rates\n"));
  const auto json = nlohmann::json::parse(to_json(report));
  EXPECT_EQ(json["streams"][0]["restarts"], 0);
  EXPECT_EQ(json["streams"][1]["restarts"], 1);
}

TEST(StreamsReport, prints_rates_with_enough_digits_when_one_was_not_held) {
  const StreamsReport report = make_report({result_of("slow", 100.1, false, "")}, 1, Time{1});
  EXPECT_THAT(to_text(report), AllOf(HasSubstr("100.4 Hz"), HasSubstr("100.1 Hz"), HasSubstr("NO")));
  EXPECT_THAT(to_text(report), StartsWith("NOT HELD: slow\n"));
}

}  // namespace
}  // namespace takt::pipeline
