/// Tests that a run that does not end is detected, and only that.

#include "pipeline/launch/drain_watch.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace takt::pipeline {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;

constexpr Time standstill{10};

/// A rank that works on a frame of its only task.
RunRecord record_at_work() {
  RunRecord record;
  record.ranks.emplace_back(RankStatus{.host = "a",
                                       .pid = 7,
                                       .has_begun = true,
                                       .phase = Phase::running,
                                       .task = "fft",
                                       .stages = {{.stage = 0, .counts = {{"runs", 3}}}}});
  return record;
}

TEST(DrainWatch, reports_a_run_that_is_to_end_after_a_standstill) {
  DrainWatch watch(standstill, {}, 0);
  const RunRecord record = record_at_work();
  EXPECT_EQ(watch.look(record, true, 1), "");
  EXPECT_EQ(watch.look(record, true, 11), "");
  EXPECT_THAT(watch.look(record, true, 12),
              AllOf(HasSubstr("the run does not end: no progress for 10 ns"),
                    HasSubstr("rank 0 (host a, pid 7)"), HasSubstr("last seen running task 'fft'")));
}

TEST(DrainWatch, accepts_a_run_that_makes_progress_or_is_not_to_end) {
  DrainWatch watch(standstill, {}, 0);
  RunRecord record = record_at_work();
  for (std::int64_t now = 5; now < 100; now += 5) {
    ++record.ranks[0]->stages[0].counts["runs"];
    EXPECT_EQ(watch.look(record, true, now), "");
  }
  EXPECT_EQ(watch.look(record, false, 200), "");
  EXPECT_EQ(watch.look(record, true, 205), "");
}

TEST(DrainWatch, accepts_ranks_without_a_stream_failed_ones_and_no_limit) {
  RunRecord record = record_at_work();
  DrainWatch without_limit(Time{0}, {}, 0);
  EXPECT_EQ(without_limit.look(record, true, 1000), "");
  DrainWatch watch(standstill, {}, 0);
  (void)watch.look(record, true, 1);
  record.ranks[0]->failure = "No space left on device";
  EXPECT_EQ(watch.look(record, true, 100), "");
  record.ranks[0]->failure.clear();
  record.ranks[0]->has_begun = false;
  EXPECT_EQ(watch.look(record, true, 200), "");
}

TEST(DrainWatch, counts_the_time_of_the_stream_from_the_first_running_rank) {
  DrainWatch watch(standstill, Time{50}, 0);
  const RunRecord record = record_at_work();
  EXPECT_EQ(watch.look(record, false, 100), "");
  EXPECT_EQ(watch.look(record, false, 150), "");
  EXPECT_EQ(watch.look(record, false, 155), "");
  EXPECT_THAT(watch.look(record, false, 161), HasSubstr("no progress"));
}

}  // namespace
}  // namespace takt::pipeline
