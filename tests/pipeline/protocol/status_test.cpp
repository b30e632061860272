/// Tests that status messages of a rank, genuine or forged, cannot harm the receiver.

#include "pipeline/protocol/status.hpp"

#include <gtest/gtest.h>

#include "core/error.hpp"

namespace takt::pipeline {
namespace {

RankStatus full_status() {
  RankStatus status{
      .rank = 1, .host = "a", .pid = 7, .phase = Phase::running, .task = "fft", .counts = {{"compute", 5}}};
  status.waits = {{0, {{"starved", 3}, {"blocked", 4}}}};
  status.stages.push_back({.stage = 1, .counts = {{"runs", 100}, {"given", 99}, {"work", 1000}}});
  status.stages.back().counts.histogram("time") = {{10, 100}};
  status.sources.push_back({.stage = 0,
                            .counts = {{"ingested", 101}},
                            .details = {{"packets", "", 12}},
                            .warnings = {"small buffer"}});
  status.sinks.push_back({.stage = 2,
                          .counts = {{"passed", 100}, {"delivered", 100}, {"first_ns", 5}, {"last_ns", 6}},
                          .location = "/tmp/out"});
  status.sinks.back().counts.histogram("latency") = {{10, 100}};
  return status;
}

TEST(RankStatus, is_unchanged_after_conversion_to_text) {
  const std::string text = to_text(full_status());
  EXPECT_EQ(text.find('\n'), std::string::npos);
  EXPECT_EQ(to_text(status_from_text(text)), text);
}

TEST(RankStatus, is_refused_when_invalid) {
  for (const char* text : {"", "{}", "[]", "7", "{\"rank\": 1}", "\xff\xfe", "{\"rank\": \"one\"}"})
    EXPECT_THROW((void)status_from_text(text), ConfigError) << text;
}

TEST(SinksOf, combine_the_counters_of_all_ranks) {
  RankStatus one = full_status(), two = full_status();
  one.sinks = {{.stage = 2,
                .counts = {{"passed", 60},
                           {"delivered", 60},
                           {"most_combined", 1},
                           {"timed", 60},
                           {"first_ns", 50},
                           {"last_ns", 90}},
                .location = "a",
                .counters = {{"left_out", "frames", 3}},
                .warnings = {"slow"}},
               {.stage = 4, .counts = {{"passed", 7}}}};
  one.sinks[0].counts.histogram("latency") = {{10, 60}};
  two.sinks = {{.stage = 2,
                .counts = {{"passed", 40},
                           {"delivered", 41},
                           {"most_combined", 2},
                           {"timed", 40},
                           {"first_ns", 40},
                           {"last_ns", 95}},
                .location = "a",
                .counters = {{"left_out", "frames", 4}, {"bytes", "", 5}},
                .warnings = {"slow", "full"}}};
  two.sinks[0].counts.histogram("latency") = {{11, 40}};
  const std::vector<SinkStatus> sinks = sinks_of({one, std::nullopt, two});
  ASSERT_EQ(sinks.size(), 2U);
  EXPECT_EQ(sinks[0].stage, 2U);
  EXPECT_EQ(sinks[0].counts["passed"], 100U);
  EXPECT_EQ(sinks[0].counts["delivered"], 101U);
  EXPECT_EQ(sinks[0].counts["most_combined"], 2U);
  EXPECT_EQ(sinks[0].counts["timed"], 100U);
  EXPECT_EQ(sinks[0].counts["first_ns"], 40U);
  EXPECT_EQ(sinks[0].counts["last_ns"], 95U);
  EXPECT_EQ(sinks[0].counts.histogram("latency").size(), 2U);
  ASSERT_EQ(sinks[0].counters.size(), 2U);
  EXPECT_EQ(sinks[0].counters[0].value, 7U);
  EXPECT_EQ(sinks[0].counters[1].value, 5U);
  EXPECT_EQ(sinks[0].warnings, (std::vector<std::string>{"slow", "full"}));
  EXPECT_EQ(sinks[1].stage, 4U);
  EXPECT_EQ(sinks[1].counts["passed"], 7U);
}

TEST(SourcesOf, are_in_the_order_of_the_stages_on_any_ranks) {
  const auto rank_with = [](std::size_t stage, std::uint64_t ingested, const char* warning) {
    RankStatus rank;
    rank.sources.push_back({.stage = stage, .counts = {{"ingested", ingested}}, .warnings = {warning}});
    return rank;
  };
  const auto sources = sources_of({rank_with(2, 5, "slow"), std::nullopt, rank_with(0, 7, "slow"),
                                   rank_with(2, 6, "slow"), rank_with(2, 1, "small")});
  ASSERT_EQ(sources.size(), 2U);
  EXPECT_EQ(sources[0].stage, 0U);
  EXPECT_EQ(sources[0].counts["ingested"], 7U);
  EXPECT_EQ(sources[1].stage, 2U);
  EXPECT_EQ(sources[1].counts["ingested"], 12U);
  EXPECT_EQ(sources[1].warnings, (std::vector<std::string>{"slow", "small"}));
}

/// A sink without a complete iteration has no time of the first one.
TEST(SinksOf, begin_with_the_first_existing_frame) {
  RankStatus one = full_status(), two = full_status();
  one.sinks = {{.stage = 2}};
  two.sinks = {{.stage = 2, .counts = {{"first_ns", 40}}}};
  EXPECT_EQ(sinks_of({one, two}).front().counts["first_ns"], 40U);
  EXPECT_EQ(sinks_of({two, one}).front().counts["first_ns"], 40U);
}

}  // namespace
}  // namespace takt::pipeline
