/// Tests that a run reports each deviation from its plan once, and nothing else.

#include "pipeline/launch/run_watch.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/pipeline/launch/watched_run.hpp"

namespace takt::pipeline {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::SizeIs;

using test::second;

class RunWatchTest : public test::WatchedRun {
 protected:
  /// Checks five times per second for this number of seconds.
  std::vector<std::string> after(int seconds) {
    std::vector<std::string> warnings;
    for (int i = 0; i < 5 * seconds; ++i) {
      pass();
      for (const std::string& warning : watch_.look(record_, now_)) warnings.push_back(warning);
    }
    return warnings;
  }

  RunWatch watch_;
};

TEST_F(RunWatchTest, reports_the_measurements_of_a_window) {
  EXPECT_FALSE(watch_.observed());
  (void)after(20);
  ASSERT_TRUE(watch_.observed());
  EXPECT_FALSE(watch_.is_off_plan());
  EXPECT_EQ(watch_.observed()->costs[1], Time{2'000'000});
  EXPECT_FALSE(watch_.observed()->costs[0]) << "it has made no frame";
  // 100 frames/s in a fifth of the time.
  EXPECT_NEAR(watch_.observed()->capacity_hz, 500, 1e-6);
  task_ns_ = 4'000'000;
  (void)after(20);
  EXPECT_TRUE(watch_.is_off_plan());
  EXPECT_EQ(watch_.observed()->costs[1], Time{4'000'000});
  EXPECT_NEAR(watch_.observed()->capacity_hz, 250, 1e-6);
}

TEST_F(RunWatchTest, reports_nothing_for_a_run_that_goes_as_planned) {
  EXPECT_THAT(after(60), IsEmpty());
}

TEST_F(RunWatchTest, names_a_source_without_frames) {
  record_.ranks[0]->sources[0].counts["ingested"] = 0;
  EXPECT_THAT(after(9), IsEmpty());
  EXPECT_THAT(after(60),
              ElementsAre("source 'in': no frame for 10 s: nothing received: is the sender running, and "
                          "is this its destination?"));
}

TEST_F(RunWatchTest, reports_a_silent_source_but_not_a_silent_output) {
  record_.ranks[0]->sources[0].counts["ingested"] = 0;
  hertz_ = 0;
  EXPECT_THAT(after(60), ElementsAre(HasSubstr("source 'in': no frame for")));
}

TEST_F(RunWatchTest, judges_the_rate_from_the_first_frame_on) {
  SourceStatus& source = record_.ranks[0]->sources[0];
  source.counts["ingested"] = 0;
  hertz_ = 0;
  (void)after(7);
  source.counts["ingested"] = 1;
  hertz_ = 100;
  EXPECT_THAT(after(60), IsEmpty());
}

TEST_F(RunWatchTest, reports_packets_of_a_source_that_makes_no_frame_of_them) {
  SourceStatus& source = record_.ranks[0]->sources[0];
  source.counts["ingested"] = 0;
  source.details = {
      {"refused_header", "packets", 7}, {"packets_lost", "packets", 0}, {"socket_buffer", "bytes", 8}};
  EXPECT_THAT(after(60), ElementsAre("source 'in': no frame for 10 s: no complete frame (refused_header 7)"));
}

TEST_F(RunWatchTest, names_a_task_that_is_slower_than_planned_once) {
  task_ns_ = 4'000'000;
  EXPECT_THAT(after(60), ElementsAre("task 'work' takes 4 ms per frame, planned 2 ms"));
}

/// 4 ms for 2 ms of work; a load that is switched on and off again is reported once.
TEST_F(RunWatchTest, does_not_blame_a_task_for_the_cpu_use_of_other_processes) {
  for (int i = 0; i < 3; ++i) {
    task_ns_ = 4'000'000;
    used_ns_ = delayed_ns_ = 2'000'000;
    if (i == 0)
      EXPECT_THAT(
          after(30),
          ElementsAre("other processes compete for the CPU: task 'work' takes 4 ms per frame, planned "
                      "2 ms, with 50 % of a processor"));
    else
      EXPECT_THAT(after(30), IsEmpty());
    task_ns_ = used_ns_;
    delayed_ns_ = 0;
    EXPECT_THAT(after(30), IsEmpty());
  }
}

/// A task may ask another process, or a device, for each frame.
TEST_F(RunWatchTest, blames_no_process_for_a_task_that_waits_itself) {
  task_ns_ = 4'000'000;
  used_ns_ = 40'000;
  EXPECT_THAT(after(60), ElementsAre("task 'work' takes 4 ms per frame, planned 2 ms"));
}

/// 9.9 ms instead of 2, of which 8.9 are work: the task, with its rank, and later the rate.
TEST_F(RunWatchTest, reports_all_consequences_of_a_slow_task_with_it) {
  task_ns_ = 9'900'000;
  used_ns_ = 8'900'000;
  delayed_ns_ = 1'000'000;
  EXPECT_THAT(after(60),
              ElementsAre("task 'work' takes 9.9 ms per frame, planned 2 ms; rank 0 is 99 % busy, with 90 % "
                          "of a processor, planned 20 % at this rate: it is now the bottleneck; the required "
                          "100 Hz is at risk: the ranks can sustain 101 Hz"));
  hertz_ = 80;
  task_ns_ = 12'400'000;
  dropped_hz_ = 20;
  EXPECT_THAT(after(60), IsEmpty()) << "it was told";
}

TEST_F(RunWatchTest, reports_nothing_twice_when_the_plan_changes) {
  task_ns_ = 4'000'000;
  EXPECT_THAT(after(30), SizeIs(1));
  watch_.begin_again();
  EXPECT_THAT(after(9), IsEmpty());
  EXPECT_FALSE(watch_.observed()) << "it has its time to begin";
  EXPECT_THAT(after(30), IsEmpty());
  EXPECT_TRUE(watch_.is_off_plan());
}

TEST_F(RunWatchTest, waits_for_the_start_of_the_run_and_a_whole_window) {
  task_ns_ = 4'000'000;
  EXPECT_THAT(after(4), IsEmpty());
  task_ns_ = 2'000'000;
  EXPECT_THAT(after(30), IsEmpty());
  // One second of five is not enough.
  task_ns_ = 3'000'000;
  EXPECT_THAT(after(1), IsEmpty());
  task_ns_ = 2'000'000;
  EXPECT_THAT(after(30), IsEmpty());
}

TEST_F(RunWatchTest, ignores_a_slow_task_without_consequences) {
  record_.plan->stages[1].cost_ns = 10'000;
  task_ns_ = 100'000;
  EXPECT_THAT(after(60), IsEmpty());
}

TEST_F(RunWatchTest, names_a_rank_that_has_become_the_bottleneck) {
  // The task is as planned: the rest of the time has another use.
  record_.plan->stages[1].cost_ns = 9'900'000;
  task_ns_ = 9'900'000;
  record_.plan->required_hz.reset();
  EXPECT_THAT(after(60),
              ElementsAre("rank 0 is 99 % busy, planned 20 % at this rate: it is now the bottleneck"));
}

TEST_F(RunWatchTest, reports_a_missed_rate_and_dropped_frames) {
  hertz_ = 90;
  dropped_hz_ = 10;
  EXPECT_THAT(after(60), ElementsAre("the output is 90 Hz, required 100 Hz; the pipeline is too slow: 50 "
                                     "frames were dropped at the source in 5 s"));
}

/// 10 of 100 required frames/s: the ranks, which could sustain 500, do not deviate from their plan.
TEST_F(RunWatchTest, blames_a_source_below_the_required_rate) {
  EXPECT_THAT(after(20), IsEmpty());
  hertz_ = 10;
  std::vector<std::string> said;
  for (int i = 0; i < 60; ++i) {
    for (const std::string& text : after(1)) said.push_back(text);
    EXPECT_FALSE(watch_.is_off_plan()) << i;
  }
  EXPECT_THAT(said, ElementsAre("source 'in' delivers 10 Hz, 100 Hz are required: its rank is starved "
                                "98 % of the time"));
  ASSERT_TRUE(watch_.observed());
  EXPECT_NEAR(watch_.observed()->capacity_hz, 500, 1e-6);
}

/// A third of the time of each infrequent frame, other processes have the core; 333 frames/s would be
/// possible.
TEST_F(RunWatchTest, blames_no_other_process_for_a_slow_source) {
  EXPECT_THAT(after(20), IsEmpty());
  hertz_ = 10;
  task_ns_ = 3'000'000;
  used_ns_ = 2'000'000;
  delayed_ns_ = 1'000'000;
  EXPECT_THAT(after(60), ElementsAre(HasSubstr("source 'in' delivers 10 Hz, 100 Hz are required")));
  EXPECT_FALSE(watch_.is_off_plan());
  // A task that would not sustain the required rate.
  task_ns_ = 40'000'000;
  EXPECT_THAT(after(60), ElementsAre(HasSubstr("task 'work' takes ")));
}

/// Frames of two sources are joined: both deliver 10 frames/s, and the rank waits for the last one.
TEST_F(RunWatchTest, blames_the_awaited_one_of_several_sources) {
  record_.plan->stages.push_back({"late", "synthetic", "source", {}, {0}, 1'000, "int8[1]"});
  record_.ranks[0]->sources.push_back({.stage = 3, .counts = {{"ingested", 1}}});
  EXPECT_THAT(after(20), IsEmpty());
  hertz_ = 10;
  EXPECT_THAT(after(60), ElementsAre("source 'late' delivers 10 Hz, 100 Hz are required: its rank is "
                                     "starved 98 % of the time"));
  EXPECT_FALSE(watch_.is_off_plan());
}

/// Neither source alone causes enough waiting to explain the missed rate.
TEST_F(RunWatchTest, blames_sources_that_are_late_alternately) {
  record_.plan->stages.push_back({"late", "synthetic", "source", {}, {0}, 1'000, "int8[1]"});
  record_.ranks[0]->sources.push_back({.stage = 3, .counts = {{"ingested", 1}}});
  hertz_ = 10;
  std::vector<std::string> said;
  for (int i = 0; i < 60; ++i) {
    for (const std::string& text : after(1)) said.push_back(text);
    // In two of five seconds, most of the wait for the last source is for the first one.
    SourceStatus& first = record_.ranks[0]->sources[0];
    SourceStatus& last = record_.ranks[0]->sources[1];
    const std::uint64_t moved = i % 5 < 2 ? second * 9 / 10 : 0;
    first.waits["starved"] += moved;
    last.waits["starved"] -= moved;
  }
  EXPECT_THAT(said, ElementsAre(HasSubstr("source 'late' delivers 10 Hz")));
  EXPECT_FALSE(watch_.is_off_plan());
}

TEST_F(RunWatchTest, ignores_a_pause_of_a_source_shorter_than_a_window) {
  EXPECT_THAT(after(20), IsEmpty());
  hertz_ = 0;
  EXPECT_THAT(after(3), IsEmpty());
  EXPECT_FALSE(watch_.is_off_plan());
  hertz_ = 100;
  EXPECT_THAT(after(60), IsEmpty());
}

TEST_F(RunWatchTest, blames_ranks_that_consume_less_than_required) {
  // The source's rank waits for another one, and is as fast as before otherwise.
  hertz_ = 50;
  for_others_ = 1;
  EXPECT_THAT(after(60), ElementsAre("the output is 50 Hz, required 100 Hz"));
  EXPECT_TRUE(watch_.is_off_plan());
}

/// The source pauses half of the time; in the other half the output is 90 frames/s.
TEST_F(RunWatchTest, blames_ranks_that_are_too_slow_while_a_source_delivers_enough) {
  hertz_ = 45;
  for_others_ = 1 - 0.5 / 0.91;
  EXPECT_THAT(after(60), ElementsAre("the output is 45 Hz, required 100 Hz"));
}

TEST_F(RunWatchTest, reports_nothing_while_a_run_ends) {
  EXPECT_THAT(after(20), IsEmpty());
  record_.ranks[0]->phase = Phase::draining;
  hertz_ = 5;
  EXPECT_THAT(after(20), IsEmpty());
}

/// The rank waits for the end from the start on.
TEST_F(RunWatchTest, watches_a_run_with_a_rank_without_tasks) {
  record_.ranks.push_back(RankStatus{.rank = 1, .phase = Phase::waiting_for_end});
  task_ns_ = 4'000'000;
  EXPECT_THAT(after(60), ElementsAre("task 'work' takes 4 ms per frame, planned 2 ms"));
}

TEST_F(RunWatchTest, reports_nothing_before_all_ranks_have_reported) {
  task_ns_ = 4'000'000;
  record_.ranks.emplace_back();
  EXPECT_THAT(after(60), IsEmpty());
}

}  // namespace
}  // namespace takt::pipeline
