/// Tests the report of a search for the sustained rate.

#include <gmock/gmock.h>
#include <nlohmann/json.hpp>

#include "core/pictures/text_fill.hpp"
#include "pipeline/pages/sustain_page.hpp"
#include "pipeline/sustain/sustained_rate.hpp"

namespace takt::pipeline {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::Not;
using ::testing::StartsWith;

/// Returns a result where 100 Hz held and 102 Hz did not.
SustainedRate found_100_hertz() {
  RateTrial holds{
      .offered_hz = 100,
      .sustained_hz = 99.9,
      .ingested = 300,
      .delivered = 300,
      .latency = {
          .p50 = Time{1'000'000}, .p90 = Time{2'000'000}, .p99 = Time{3'000'000}, .max = Time{4'000'000}}};
  RateTrial fails = holds;
  fails.offered_hz = 102;
  fails.dropped = 7;
  fails.fault = "7 dropped";
  RateTrial saturated = holds;
  saturated.offered_hz = 0;
  return {
      .plan = {.pipeline = "test", .scheduler = "optfo", .ranks = 2, .predicted_hz = 110, .required_hz = 50},
      .saturated = saturated,
      .rate = {.highest_hz = 100, .failed_hz = 102, .trials = 3, .is_complete = true},
      .trials = {fails, fails, holds},
      .curve = {holds}};
}

TEST(SustainReport, compares_the_rate_with_the_predicted_and_the_required_one) {
  const std::string text = to_text(found_100_hertz());
  EXPECT_THAT(text, AllOf(HasSubstr("test: 2 ranks, scheduled by optfo; trials of 3 s"),
                          HasSubstr("100 Hz: without loss in 3 trials in a row; 102 Hz did not hold"),
                          HasSubstr("110 Hz, 10.0"), HasSubstr("50 Hz: held"), HasSubstr("7 dropped")));
  EXPECT_THAT(text, StartsWith("held: 50 Hz; 100 Hz sustained without loss\n"));
  for (std::size_t begin = 0; begin < text.size();) {
    const std::size_t end = text.find('\n', begin);
    EXPECT_LE(letters_of(text.substr(begin, end - begin)), text_columns);
    begin = end + 1;
  }
}

TEST(SustainReport, states_that_the_required_rate_is_not_held_or_the_search_was_interrupted) {
  SustainedRate found = found_100_hertz();
  found.plan.required_hz = 101;
  EXPECT_EQ(found.holds_required(), false);
  EXPECT_THAT(to_text(found), HasSubstr("101 Hz: NOT HELD"));
  found.rate.is_complete = false;
  EXPECT_THAT(to_text(found), HasSubstr("at least 100 Hz: the search ended early"));
  found.rate.trials = found.search.most_trials = 60;
  EXPECT_THAT(to_text(found), HasSubstr("at least 100 Hz: the search used up its 60 trials"));
  found.rate.highest_hz.reset();
  EXPECT_EQ(found.holds_required(), false);
  EXPECT_THAT(to_text(found), HasSubstr("no rate held"));
  found.trials.back().was_interrupted = true;
  EXPECT_THAT(to_text(found), HasSubstr("the search ended before a rate held"));
  found.plan.required_hz.reset();
  EXPECT_EQ(found.holds_required(), std::nullopt);
}

TEST(SustainReport, states_that_other_processes_used_the_processors) {
  SustainedRate found = found_100_hertz();
  EXPECT_THAT(to_text(found), Not(HasSubstr("other processes")));
  found.trials[0].delayed = 0.4;
  found.trials[1].delayed = 0.02;
  EXPECT_THAT(to_text(found), HasSubstr("in 1 of 4 trials other processes"));
  EXPECT_EQ(nlohmann::json::parse(to_json(found))["trials"][0]["processor_delayed"], 0.4);
  EXPECT_THAT(to_csv(found), HasSubstr(",0.400,7 dropped,"));
}

TEST(SustainReport, has_machine_readable_forms) {
  const nlohmann::json root = nlohmann::json::parse(to_json(found_100_hertz()));
  EXPECT_EQ(root["sustained_hz"], 100);
  EXPECT_EQ(root["failed_hz"], 102);
  EXPECT_EQ(root["held"], true);
  EXPECT_EQ(root["trials"].size(), 3U);
  EXPECT_EQ(root["trials"][0]["fault"], "7 dropped");
  EXPECT_EQ(root["trials"][2]["latency_ns"]["p99"], 3'000'000);
  EXPECT_EQ(root["saturated"]["offered_hz"], 0);

  const std::string csv = to_csv(found_100_hertz());
  EXPECT_THAT(csv,
              StartsWith("part,offered_hz,sustained_hz,ingested,delivered,lost,dropped,incomplete,p50_ns"));
  EXPECT_THAT(csv,
              HasSubstr("\nsearch,102,99.9,300,300,0,7,0,1000000,2000000,3000000,4000000,,7 dropped,\n"));
  EXPECT_THAT(
      latency_curve_picture(found_100_hertz()),
      AllOf(StartsWith("<svg"), HasSubstr("<style>"), HasSubstr("offered frequency"),
            HasSubstr(" ms: holds</title>"), HasSubstr(" ms: 7 dropped</title>"),
            HasSubstr("<title>sustained: 100 Hz</title>"), HasSubstr("<title>predicted: 110 Hz</title>")));
}

TEST(SustainReport, has_the_limit_of_the_latency_as_a_line_and_in_the_verdict) {
  SustainedRate found = found_100_hertz();
  EXPECT_TRUE(nlohmann::json::parse(to_json(found))["required_latency_ns"].is_null());
  EXPECT_THAT(latency_curve_picture(found), Not(HasSubstr("p99 required")));
  found.trial.latency_limit = LatencyLimit{Quantile::p99, Time{3'500'000}};
  EXPECT_THAT(to_text(found),
              StartsWith("held: 50 Hz; 100 Hz sustained without loss and within 3.5 ms (p99)\n"));
  EXPECT_THAT(latency_curve_picture(found), HasSubstr("<title>p99 required: 3.5 ms</title>"));
  const nlohmann::json root = nlohmann::json::parse(to_json(found));
  EXPECT_EQ(root["required_latency_ns"], 3'500'000);
  EXPECT_EQ(root["latency_quantile"], "p99");
  // Late at a far lower rate.
  found.rate.highest_hz.reset();
  found.trials.back().is_late = true;
  found.trials.back().offered_hz = 10;
  EXPECT_THAT(to_text(found), HasSubstr("no rate: the latency is above its limit at 10 Hz, too"));
}

TEST(SustainReport, names_the_host_of_the_sender_and_a_sender_that_ends_the_search) {
  SustainedRate found = found_100_hertz();
  EXPECT_THAT(to_text(found), Not(HasSubstr("sender")));
  found.trial.emulator_host = "dish";
  found.trials.front().fault = "sender too slow";
  found.trials.front().is_senders_fault = true;
  EXPECT_THAT(to_text(found),
              AllOf(HasSubstr("by takt send on dish"), HasSubstr("the sender was the bottleneck")));
  EXPECT_THAT(to_csv(found),
              AllOf(HasSubstr(",fault,emulator_host\n"), HasSubstr(",sender too slow,dish\n")));
  EXPECT_THAT(latency_curve_picture(found), HasSubstr("sent by dish"));
  EXPECT_EQ(nlohmann::json::parse(to_json(found))["emulator_host"], "dish");
  // A rate that failed below the one that ends the search is not its end.
  found.trials.front().offered_hz = 90;
  EXPECT_THAT(to_text(found), Not(HasSubstr("may sustain more")));
}

}  // namespace
}  // namespace takt::pipeline
