/// Tests that status messages of a rank, genuine or forged, cannot harm the receiver.

#include "pipeline/protocol/status.hpp"

#include <gtest/gtest.h>

#include "core/error.hpp"

namespace takt::pipeline {
namespace {

RankStatus full_status() {
  RankStatus status{
      .rank = 1, .host = "a", .pid = 7, .phase = Phase::running, .task = "fft", .compute_ns = 5};
  status.waits = {{0, 3, 4}};
  status.stages.push_back({.stage = 1, .runs = 100, .given = 99, .total_ns = 1000, .time = {{10, 100}}});
  status.sources.push_back({0, {.ingested = 101, .details = {{"packets", "", 12}}}, {"small buffer"}});
  status.sinks.push_back({2, 100, 100, 1, 0, 100, 5, 6, {{10, 100}}, "/tmp/out", {}});
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
                .passed = 60,
                .delivered = 60,
                .most_combined = 1,
                .timed = 60,
                .first_ns = 50,
                .last_ns = 90,
                .latency = {{10, 60}},
                .location = "a",
                .counters = {{"left_out", "frames", 3}},
                .warnings = {"slow"}},
               {.stage = 4, .passed = 7}};
  two.sinks = {{.stage = 2,
                .passed = 40,
                .delivered = 41,
                .most_combined = 2,
                .timed = 40,
                .first_ns = 40,
                .last_ns = 95,
                .latency = {{11, 40}},
                .location = "a",
                .counters = {{"left_out", "frames", 4}, {"bytes", "", 5}},
                .warnings = {"slow", "full"}}};
  const std::vector<SinkStatus> sinks = sinks_of({one, std::nullopt, two});
  ASSERT_EQ(sinks.size(), 2U);
  EXPECT_EQ(sinks[0].stage, 2U);
  EXPECT_EQ(sinks[0].passed, 100U);
  EXPECT_EQ(sinks[0].delivered, 101U);
  EXPECT_EQ(sinks[0].most_combined, 2U);
  EXPECT_EQ(sinks[0].timed, 100U);
  EXPECT_EQ(sinks[0].first_ns, 40U);
  EXPECT_EQ(sinks[0].last_ns, 95U);
  EXPECT_EQ(sinks[0].latency.size(), 2U);
  ASSERT_EQ(sinks[0].counters.size(), 2U);
  EXPECT_EQ(sinks[0].counters[0].value, 7U);
  EXPECT_EQ(sinks[0].counters[1].value, 5U);
  EXPECT_EQ(sinks[0].warnings, (std::vector<std::string>{"slow", "full"}));
  EXPECT_EQ(sinks[1].stage, 4U);
  EXPECT_EQ(sinks[1].passed, 7U);
}

TEST(SourcesOf, are_in_the_order_of_the_stages_on_any_ranks) {
  const auto rank_with = [](std::size_t stage, std::uint64_t ingested, const char* warning) {
    RankStatus rank;
    rank.sources.push_back(
        {.stage = stage, .counters = {.ingested = ingested}, .warnings = {warning}, .lost_in_outage = {}});
    return rank;
  };
  const auto sources = sources_of({rank_with(2, 5, "slow"), std::nullopt, rank_with(0, 7, "slow"),
                                   rank_with(2, 6, "slow"), rank_with(2, 1, "small")});
  ASSERT_EQ(sources.size(), 2U);
  EXPECT_EQ(sources[0].stage, 0U);
  EXPECT_EQ(sources[0].counters.ingested, 7U);
  EXPECT_EQ(sources[1].stage, 2U);
  EXPECT_EQ(sources[1].counters.ingested, 12U);
  EXPECT_EQ(sources[1].warnings, (std::vector<std::string>{"slow", "small"}));
}

/// A sink without a complete iteration has no time of the first one.
TEST(SinksOf, begin_with_the_first_existing_frame) {
  RankStatus one = full_status(), two = full_status();
  one.sinks = {{.stage = 2, .first_ns = 0}};
  two.sinks = {{.stage = 2, .first_ns = 40}};
  EXPECT_EQ(sinks_of({one, two}).front().first_ns, 40U);
  EXPECT_EQ(sinks_of({two, one}).front().first_ns, 40U);
}

}  // namespace
}  // namespace takt::pipeline
