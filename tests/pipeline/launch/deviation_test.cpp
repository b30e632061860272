/// Tests that a deviation reports the root cause and its consequences.

#include "pipeline/launch/deviation.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace takt::pipeline {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::StartsWith;
using ::testing::UnorderedElementsAre;

/// Returns a task of 1 ms as planned.
Deviation::SlowTask task(const char* name, int takes_us, double excess, double had = 1) {
  return {
      .name = name, .takes = Time{takes_us * 1000}, .planned = Time{1'000'000}, .had = had, .excess = excess};
}

TEST(Deviation, is_none_when_tasks_are_as_planned_or_slightly_slower) {
  EXPECT_FALSE(diagnosis_of({}));
  EXPECT_FALSE(diagnosis_of({.tasks = {task("a", 1200, 0.2)}}));
}

TEST(Deviation, names_the_task_with_the_largest_excess_and_counts_the_others) {
  const auto found = diagnosis_of(
      {.tasks = {task("a", 1500, 0.1), task("b", 1300, 0.3), task("c", 9000, 0.05), task("d", 1100, 0.4)}});
  ASSERT_TRUE(found);
  EXPECT_EQ(found->cause, "task b");
  EXPECT_THAT(found->told, UnorderedElementsAre("task a", "task b", "task c"));
  EXPECT_EQ(found->text,
            "task 'b' takes 1.3 ms per frame, planned 1 ms, 'a' 1.5 ms, planned 1 ms, and 1 more slow task");
  EXPECT_FALSE(found->misses_rate);
}

TEST(Deviation, explains_a_rank_by_a_slightly_slower_task) {
  const auto found = diagnosis_of(
      {.tasks = {task("a", 1200, 0.2)},
       .ranks = {{.rank = 1, .busy = 0.98, .planned = 0.8}, {.rank = 3, .busy = 0.99, .planned = 0.5}}});
  ASSERT_TRUE(found);
  EXPECT_EQ(found->cause, "task a");
  EXPECT_THAT(found->told, UnorderedElementsAre("task a", "rank 1", "rank 3"));
  EXPECT_THAT(found->text, AllOf(StartsWith("task 'a' takes 1.2 ms"), HasSubstr("; rank 3 is 99 % busy"),
                                 HasSubstr("bottleneck, as 1 other has")));
}

/// 3 times slower with 30 % of a processor: due to other processes. With 80 %: 1.25 due to them, 2.4 not.
TEST(Deviation, blames_other_processes_for_their_share) {
  const auto theirs =
      diagnosis_of({.tasks = {task("a", 3000, 0.5, 0.3), task("b", 1300, 0.1)}, .dropped = 7, .seconds = 5});
  ASSERT_TRUE(theirs);
  EXPECT_EQ(theirs->cause, processors_cause);
  EXPECT_THAT(theirs->told, UnorderedElementsAre(processors_cause, rate_cause));
  EXPECT_TRUE(theirs->misses_rate);
  EXPECT_THAT(theirs->text, AllOf(StartsWith("other processes compete for the CPU: task 'a' takes 3 ms"),
                                  HasSubstr("with 30 % of a processor"),
                                  HasSubstr("7 frames were dropped at the source in 5 s")));
  const auto its_own = diagnosis_of({.tasks = {task("a", 3000, 0.5, 0.8)}});
  ASSERT_TRUE(its_own);
  EXPECT_EQ(its_own->cause, "task a");
  // A busy rank without a slow task is slowed by other processes as well.
  const auto rank = diagnosis_of({.ranks = {{.rank = 0, .busy = 0.99, .planned = 0.5, .had = 0.5}}});
  ASSERT_TRUE(rank);
  EXPECT_EQ(rank->cause, processors_cause);
}

/// One in 100 frames at 100 Hz for 5 s, and one in 20.
TEST(Deviation, reports_every_dropped_frame_and_a_missed_rate_for_many) {
  const auto few = diagnosis_of({.output_rate = Frequency{99}, .dropped = 5, .seconds = 5});
  ASSERT_TRUE(few);
  EXPECT_THAT(few->text, HasSubstr("5 frames were dropped"));
  EXPECT_FALSE(few->misses_rate);
  const auto many = diagnosis_of({.output_rate = Frequency{95}, .dropped = 25, .seconds = 5});
  ASSERT_TRUE(many);
  EXPECT_TRUE(many->misses_rate);
}

TEST(Deviation, distinguishes_a_rate_at_risk_from_a_missed_one) {
  const auto soon = diagnosis_of(
      {.output_rate = Frequency{100}, .room = Frequency{101}, .required = Frequency{100}, .seconds = 5});
  ASSERT_TRUE(soon);
  EXPECT_EQ(soon->cause, rate_cause);
  EXPECT_EQ(soon->text, "the required 100 Hz is at risk: the ranks can sustain 101 Hz");
  const auto missed = diagnosis_of({.output_rate = Frequency{90},
                                    .room = Frequency{90},
                                    .required = Frequency{100},
                                    .is_missed = true,
                                    .seconds = 5});
  ASSERT_TRUE(missed);
  EXPECT_EQ(missed->text, "the output is 90 Hz, required 100 Hz");
}

}  // namespace
}  // namespace takt::pipeline
