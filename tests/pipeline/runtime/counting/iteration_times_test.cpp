/// Tests the rate that follows from the end times of iterations.

#include "pipeline/runtime/counting/iteration_times.hpp"

#include <gmock/gmock.h>

namespace takt::pipeline::test {
namespace {

using ::testing::Optional;

/// The source runs ahead until `window` iterations are in flight, while iterations end every 40 ns. Then one
/// begins as another ends, every 25 ns; the remaining ones at the end take 10 ns each.
IterationTimes filled_and_drained(int rounds, int window) {
  IterationTimes times;
  std::int64_t now = 1000;
  for (int i = 0; i < window && i < rounds; ++i) times.ingested_ns.push_back(now + 20 * i);
  for (int i = 0; i < rounds; ++i) {
    const bool fills = now + 40 < times.ingested_ns.back() && i < window;
    const bool drains = static_cast<int>(times.ingested_ns.size()) == rounds && i + window > rounds;
    now += fills ? 40 : drains ? 10 : 25;
    times.ended_ns.push_back(now);
    if (static_cast<int>(times.ingested_ns.size()) < rounds) times.ingested_ns.push_back(now + 1);
  }
  return times;
}

TEST(IterationTimes, show_the_rate_of_a_full_pipeline) {
  for (const int window : {1, 2, 5, 12})
    for (const int rounds : {40, 100}) {
      SCOPED_TRACE(testing::Message() << window << " of " << rounds);
      EXPECT_THAT(steady_rate(filled_and_drained(rounds, window), 3, 5), Optional(1e9 / 25));
    }
}

TEST(IterationTimes, show_nothing_for_a_pipeline_that_was_never_full_for_long) {
  EXPECT_EQ(steady_rate(filled_and_drained(14, 12), 3, 5), std::nullopt);
  EXPECT_EQ(steady_rate({}, 3, 5), std::nullopt);
  EXPECT_EQ(steady_rate({.ended_ns = {1, 2, 3}, .ingested_ns = {0, 0, 0}}, 0, 1), std::nullopt);
}

/// A kernel that combines frames has output in every fourth iteration.
TEST(IterationTimes, count_iterations_without_output) {
  IterationTimes times = filled_and_drained(100, 4);
  for (std::size_t i = 0; i < 100; ++i)
    if (i % 4 != 3) times.ingested_ns[i] = 0;
  const std::optional<double> rate = steady_rate(times, 3, 5);
  ASSERT_TRUE(rate);
  EXPECT_NEAR(*rate, 1e9 / 25, 1e9 / 25 / 20);
}

/// The last iterations, which wait for a frame that never arrived, have no known start.
TEST(IterationTimes, count_no_iterations_after_the_last_one_with_output) {
  IterationTimes times = filled_and_drained(100, 4);
  for (std::size_t i = 0; i < 100; ++i)
    if (i % 4 != 1) times.ingested_ns[i] = 0;
  EXPECT_THAT(steady_rate(times, 3, 5), Optional(::testing::DoubleNear(1e9 / 25, 1e9 / 25 / 20)));
}

/// Every tenth iteration takes ten times as long: 35 or 44 iterations contain three or four such.
TEST(IterationTimes, show_whole_hyperperiods) {
  for (const std::size_t rounds : {36, 41, 44}) {
    IterationTimes times;
    std::int64_t now = 1000;
    for (std::size_t i = 0; i < rounds; ++i) {
      times.ingested_ns.push_back(now);
      now += i % 10 == 9 ? 100 : 10;
      times.ended_ns.push_back(now);
    }
    EXPECT_THAT(steady_rate(times, 3, 5, 10), Optional(::testing::DoubleEq(1e9 * 10 / 190))) << rounds;
    EXPECT_THAT(mean_rate(times, 3, 10), Optional(::testing::DoubleEq(1e9 * 10 / 190))) << rounds;
    EXPECT_EQ(steady_rate(times, 3, 5, 50), std::nullopt);
    EXPECT_TRUE(mean_rate(times, 3, 50));
  }
}

TEST(IterationTimes, show_the_mean_of_a_pipeline_that_fills_and_drains) {
  const IterationTimes times{.ended_ns = {100, 200, 400, 500}, .ingested_ns = {10, 20, 30, 40}};
  EXPECT_THAT(mean_rate(times, 1), Optional(1e9 * 2 / 300));
  EXPECT_EQ(mean_rate(times, 3), std::nullopt);
}

TEST(RankRate, survives_the_transfer_to_rank_0) {
  for (const RankRate& rate : {RankRate{}, RankRate{123.25, false, 4e6, 2, 8, 0.5}}) {
    const RankRate read = rank_rate_from_text(to_text(rate));
    EXPECT_EQ(read.hertz, rate.hertz);
    EXPECT_EQ(read.is_steady, rate.is_steady);
    EXPECT_EQ(read.processor_ns, rate.processor_ns);
    EXPECT_EQ(read.node, rate.node);
    EXPECT_EQ(read.cores, rate.cores);
    EXPECT_EQ(read.claimed, rate.claimed);
  }
}

/// Four ranks of 5 ms each on two processors can run 100 iterations/s, on four processors 200.
TEST(RankRate, is_limited_by_few_processors_or_without_a_steady_rate) {
  std::vector<RankRate> ranks(4, {.processor_ns = 5e6, .cores = 2});
  EXPECT_DOUBLE_EQ(rate_of(ranks), 0);
  ranks[3].hertz = 140;
  EXPECT_DOUBLE_EQ(rate_of(ranks), 100);
  for (RankRate& rank : ranks) rank.cores = 4;
  EXPECT_DOUBLE_EQ(rate_of(ranks), 140);
  ranks[3].hertz = 240;
  EXPECT_DOUBLE_EQ(rate_of(ranks), 240);
  ranks[3].is_steady = false;
  EXPECT_DOUBLE_EQ(rate_of(ranks), 200);
}

/// One processor suffices for the one working rank, which is not oversubscribed.
TEST(RankRate, is_not_limited_by_processors_of_ranks_without_tasks) {
  std::vector<RankRate> ranks(3);
  ranks[0] = {.hertz = 220, .processor_ns = 5e6};
  EXPECT_DOUBLE_EQ(rate_of(ranks), 220);
  ranks[1].processor_ns = 1;
  EXPECT_NEAR(rate_of(ranks), 200, 1e-3);
}

/// One rank claims two of the three frames of an iteration, the other one only one, but twice as often.
TEST(RankRate, is_the_sum_of_ranks_that_schedule_themselves) {
  std::vector<RankRate> ranks{{.hertz = 30, .claimed = 2.0 / 3}, {.hertz = 60, .claimed = 1.0 / 3}};
  EXPECT_DOUBLE_EQ(rate_of(ranks), 40);
  ranks[0].hertz = 15;
  EXPECT_DOUBLE_EQ(rate_of(ranks), 30);
  ranks[1].is_steady = false;
  ranks[1].processor_ns = 50e6;
  EXPECT_DOUBLE_EQ(rate_of(ranks), 20);
}

/// Two of four replicas had more processor time, and the others catch up.
TEST(RankRate, is_the_mean_of_oversubscribed_ranks_and_else_the_slowest_rate) {
  std::vector<RankRate> ranks(4, {.hertz = 80, .processor_ns = 5e6, .cores = 2});
  ranks[1].hertz = ranks[2].hertz = 110;
  EXPECT_DOUBLE_EQ(rate_of(ranks), 95);
  for (RankRate& rank : ranks) rank.cores = 4;
  EXPECT_DOUBLE_EQ(rate_of(ranks), 80);
  // Two nodes of two processors each: no rank is oversubscribed.
  for (RankRate& rank : ranks) rank.cores = 2;
  ranks[2].node = ranks[3].node = 1;
  EXPECT_DOUBLE_EQ(rate_of(ranks), 80);
  // With two processors on one node and one on the other, the second node is oversubscribed: 95 there.
  ranks[2].cores = ranks[3].cores = 1;
  EXPECT_DOUBLE_EQ(rate_of(ranks), 80);
  ranks[0].hertz = 120;
  EXPECT_DOUBLE_EQ(rate_of(ranks), 95);
}

}  // namespace
}  // namespace takt::pipeline::test
