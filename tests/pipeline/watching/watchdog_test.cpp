/// Tests that the watchdog ends hanging tasks, and nothing else.

#include "pipeline/watching/watchdog.hpp"

#include <gmock/gmock.h>

namespace takt::pipeline {
namespace watching_watchdog_test {

using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::Optional;

constexpr std::int64_t ms = 1'000'000;

/// Checks ten times per second, on a simulated clock.
class WatchdogTest : public ::testing::Test {
 protected:
  std::optional<std::string> look_for(std::int64_t duration, const Activity& activity,
                                      const AwaitedOutside& awaited = {}) {
    std::optional<std::string> finding;
    for (const std::int64_t end = now_ + duration; now_ < end && !finding;) {
      now_ += 100 * ms;
      finding = watchdog_.look({activity, now_, awaited, asked_}, [this](std::string_view) { return task_; });
    }
    return finding;
  }
  static Activity work(Phase phase, Deadline deadline, std::uint64_t begun = 1) {
    return {.phase = phase, .task = "fft", .deadline = deadline, .frame = 7, .begun = begun};
  }

  std::int64_t now_ = 1'000'000 * ms;
  Watchdog watchdog_{{.set_up = Time(6000 * ms), .frame = Time(1000 * ms), .end = Time(3000 * ms)}, now_};
  Watchdog::Task task_;
  std::optional<std::int64_t> asked_;
};

TEST_F(WatchdogTest, applies_a_separate_deadline_to_each_kind_of_work) {
  EXPECT_EQ(look_for(900 * ms, work(Phase::running, Deadline::frame, 1)), std::nullopt);
  EXPECT_EQ(look_for(5900 * ms, work(Phase::setting_up, Deadline::set_up, 2)), std::nullopt);
  EXPECT_EQ(look_for(2900 * ms, work(Phase::closing, Deadline::end, 3)), std::nullopt);
  EXPECT_THAT(look_for(5000 * ms, work(Phase::running, Deadline::frame, 4)),
              Optional(HasSubstr("task 'fft' hangs: running at frame 7 since 1.1 s; for a slower task, raise "
                                 "'deployment: {deadline: ...}'")));
  EXPECT_THAT(look_for(9000 * ms, work(Phase::loading, Deadline::set_up, 5)),
              Optional(HasSubstr("task 'fft' hangs: loading since 6.1 s")));
  EXPECT_THAT(look_for(9000 * ms, work(Phase::closing, Deadline::end, 6)),
              Optional(HasSubstr("{end_deadline: ...}")));
}

TEST_F(WatchdogTest, waits_for_a_task_that_is_occasionally_slow) {
  task_.usual = Time(50 * ms);
  EXPECT_EQ(look_for(5000 * ms, work(Phase::running, Deadline::frame)), std::nullopt);
  EXPECT_THAT(look_for(1000 * ms, work(Phase::running, Deadline::frame)),
              Optional(HasSubstr("99 % of its frames took at most 50 ms")));
}

TEST_F(WatchdogTest, applies_deadlines_to_phases_without_a_task_but_not_to_waits) {
  EXPECT_EQ(look_for(60'000 * ms, {.phase = Phase::waiting_for_set_up, .begun = 1}), std::nullopt);
  EXPECT_EQ(look_for(60'000 * ms, {.phase = Phase::none, .begun = 2}), std::nullopt);
  EXPECT_THAT(look_for(9000 * ms, {.phase = Phase::starting_mpi, .begun = 3}),
              Optional(HasSubstr("the process hangs: starting MPI since")));
}

TEST_F(WatchdogTest, ignores_waits_for_other_programs) {
  EXPECT_EQ(look_for(60'000 * ms, work(Phase::running, Deadline::frame), {"a reader", "a reader"}),
            std::nullopt);
  // A kernel hangs regardless of the wait of another thread of the rank.
  EXPECT_TRUE(look_for(5000 * ms, work(Phase::running, Deadline::frame, 2), {{}, "a reader"}));
  task_.is_kernel = false;
  EXPECT_EQ(look_for(5000 * ms, work(Phase::running, Deadline::frame, 3), {{}, "a reader"}), std::nullopt);
}

TEST_F(WatchdogTest, ignores_time_in_which_the_process_was_stopped) {
  EXPECT_EQ(look_for(800 * ms, work(Phase::running, Deadline::frame)), std::nullopt);
  now_ += 60'000 * ms;
  EXPECT_EQ(look_for(100 * ms, work(Phase::running, Deadline::frame)), std::nullopt);
}

TEST_F(WatchdogTest, ends_an_endless_flush_although_each_call_returns) {
  Activity activity = work(Phase::draining, Deadline::frame);
  activity.finishing = "fft";
  activity.finishing_since_ns = now_;
  std::optional<std::string> finding;
  for (int i = 0; i < 31 && !finding; ++i, ++activity.begun) finding = look_for(100 * ms, activity);
  EXPECT_THAT(finding, Optional(HasSubstr("task 'fft' does not end its flush: draining")));
  EXPECT_EQ(now_ - activity.finishing_since_ns, 3100 * ms);
}

TEST_F(WatchdogTest, ends_a_long_flush_after_a_request_to_stop) {
  Activity activity = work(Phase::draining, Deadline::frame);
  activity.finishing = "fft";
  activity.finishing_since_ns = now_;
  const auto look_again = [&] { return ++activity.begun, look_for(100 * ms, activity); };
  watchdog_ = Watchdog({.set_up = Time(6000 * ms), .frame = Time(1000 * ms), .end = Time(60'000 * ms)}, now_);
  for (int i = 0; i < 200; ++i) ASSERT_EQ(look_again(), std::nullopt);
  // The flush before the request does not count.
  asked_ = now_;
  for (int i = 0; i < 50; ++i) ASSERT_EQ(look_again(), std::nullopt);
  EXPECT_THAT(look_again(), Optional(AllOf(HasSubstr("task 'fft' does not end its flush"),
                                           HasSubstr("for 25.1 s while the run ends"))));
  // A task with few frames/s may need longer for some of them.
  task_.usual = Time(100 * ms);
  for (int i = 0; i < 49; ++i) ASSERT_EQ(look_again(), std::nullopt);
  EXPECT_TRUE(look_again());
}

TEST_F(WatchdogTest, ends_work_in_progress_at_a_request_to_stop) {
  const Activity set_up = work(Phase::setting_up, Deadline::set_up);
  EXPECT_EQ(look_for(200 * ms, set_up), std::nullopt);
  asked_ = now_;
  EXPECT_EQ(look_for(2000 * ms, set_up), std::nullopt);
  EXPECT_THAT(look_for(100 * ms, set_up),
              Optional(HasSubstr("did not return at the end of the run: setting up since")));
  // Later work has its own deadline, since the end of the run may need it.
  EXPECT_EQ(look_for(2900 * ms, work(Phase::closing, Deadline::end, 2)), std::nullopt);
}

TEST_F(WatchdogTest, lets_a_task_that_was_equally_slow_before_end) {
  EXPECT_EQ(look_for(1500 * ms, work(Phase::setting_up, Deadline::set_up, 1)), std::nullopt);
  EXPECT_EQ(look_for(100 * ms, work(Phase::setting_up, Deadline::set_up, 2)), std::nullopt);
  asked_ = now_;
  EXPECT_EQ(look_for(2600 * ms, work(Phase::setting_up, Deadline::set_up, 2)), std::nullopt);
  EXPECT_THAT(look_for(1000 * ms, work(Phase::setting_up, Deadline::set_up, 2)),
              Optional(HasSubstr("did not return at the end of the run")));
}

}  // namespace watching_watchdog_test
}  // namespace takt::pipeline
