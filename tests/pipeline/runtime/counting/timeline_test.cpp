#include "pipeline/runtime/counting/timeline.hpp"

#include <numeric>

#include <gtest/gtest.h>

namespace takt::pipeline {
namespace {

TEST(Timeline, assigns_each_nanosecond_to_one_use) {
  UseTallies totals;
  Timeline timeline(totals);
  timeline.start();
  const std::int64_t start = timeline.since();
  timeline.enter(Use::compute, start + 5);
  timeline.enter(Use::other, start + 25);
  timeline.enter(Use::blocked, start + 28);
  timeline.enter(Use::other, start + 40);
  EXPECT_EQ(totals[static_cast<std::size_t>(Use::compute)].value(), 20U);
  EXPECT_EQ(totals[static_cast<std::size_t>(Use::blocked)].value(), 12U);
  EXPECT_EQ(totals[static_cast<std::size_t>(Use::other)].value(), 8U);
}

TEST(Timeline, a_use_after_the_loop_begins_where_the_loop_began) {
  UseTallies totals;
  Timeline timeline(totals);
  timeline.start();
  const std::int64_t end = timeline.enter(Use::other);
  EXPECT_EQ(timeline.follow(Use::compute), end);
  EXPECT_EQ(timeline.use(), Use::compute);
  EXPECT_EQ(timeline.since(), end);
}

TEST(Timeline, a_use_after_a_wait_excludes_the_wait) {
  UseTallies totals;
  Timeline timeline(totals);
  timeline.start();
  const std::int64_t start = timeline.enter(Use::starved);
  const std::int64_t next = timeline.follow(Use::compute);
  EXPECT_EQ(totals[static_cast<std::size_t>(Use::starved)].value(), static_cast<std::uint64_t>(next - start));
}

std::uint64_t sum(const UseTallies& totals) {
  std::uint64_t sum = 0;
  for (const sensors::Tally& use : totals) sum += use.value();
  return sum;
}

/// Runs short iterations of two steps, some with a wait. Returns how many had sampled timing.
std::size_t run_rounds(Timeline& timeline, std::size_t rounds, std::int64_t waits_ns) {
  std::size_t untimed = 0;
  for (std::size_t round = 0; round < rounds; ++round) {
    if (timeline.begin_iteration(2, true)) ++untimed;
    timeline.follow(Use::compute);
    timeline.enter(Use::other);
    if (waits_ns > 0 && round % 100 == 99) {
      const std::int64_t start = timeline.enter(Use::blocked);
      timeline.enter(Use::other, start + waits_ns);
    }
    timeline.follow(Use::message);
    timeline.enter(Use::other);
  }
  return untimed;
}

TEST(Timeline, samples_most_short_iterations_and_still_assigns_each_nanosecond_to_one_use) {
  UseTallies totals;
  Timeline timeline(totals);
  timeline.start();
  const std::int64_t start = timeline.since();
  constexpr std::size_t rounds = 20'000;
  const std::size_t untimed = run_rounds(timeline, rounds, 0);
  const std::int64_t end = timeline.enter(Use::starved);
  EXPECT_EQ(sum(totals), static_cast<std::uint64_t>(end - start));
  EXPECT_GT(untimed, rounds / 2);
  EXPECT_LT(untimed, rounds);
  for (const Use use : {Use::compute, Use::message}) {
    EXPECT_GT(totals[static_cast<std::size_t>(use)].value(), 0U);
  }
}

TEST(Timeline, returns_a_clock_reading_once_without_ending_a_use) {
  UseTallies totals;
  Timeline timeline(totals);
  timeline.start();
  while (!timeline.begin_iteration(2, true)) {
    timeline.follow(Use::compute);
    timeline.enter(Use::other);
  }
  (void)timeline.take_reading();
  EXPECT_FALSE(timeline.take_reading());
  const std::int64_t since = timeline.since();
  const std::int64_t look = timeline.read_clock();
  EXPECT_GE(look, since);
  EXPECT_EQ(timeline.since(), since);
  EXPECT_EQ(timeline.take_reading(), look);
  EXPECT_FALSE(timeline.take_reading());
  const std::int64_t entered = timeline.enter(Use::starved);
  EXPECT_EQ(timeline.take_reading(), entered);
}

TEST(Timeline, counts_waits_in_untimed_iterations_exactly) {
  UseTallies totals;
  Timeline timeline(totals);
  timeline.start();
  // The wait ends at a time in the future of the clock.
  constexpr std::int64_t wait_ns = 1;
  EXPECT_GT(run_rounds(timeline, 20'000, wait_ns), 0U);
  EXPECT_EQ(totals[static_cast<std::size_t>(Use::blocked)].value(), 200U * wait_ns);
}

TEST(Timeline, times_all_iterations_of_long_steps) {
  UseTallies totals;
  Timeline timeline(totals);
  timeline.start();
  for (int round = 0; round < 100; ++round) {
    EXPECT_FALSE(timeline.begin_iteration(1, true));
    const std::int64_t start = timeline.follow(Use::compute);
    while (now_ns() - start < 5'000) {
    }
    timeline.enter(Use::other);
  }
}

TEST(Timeline, times_all_iterations_when_sampling_is_off_or_events_are_recorded) {
  UseTallies totals;
  Timeline timeline(totals);
  timeline.start();
  for (int round = 0; round < 200; ++round) EXPECT_FALSE(timeline.begin_iteration(2, false));
}

}  // namespace
}  // namespace takt::pipeline
