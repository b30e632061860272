/// Does the watchdog end what does not come back, and nothing else?

#include "pipeline/watching/watchdog.hpp"

#include <gmock/gmock.h>

namespace takt::pipeline {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::Optional;

constexpr std::int64_t ms = 1'000'000;

/// Looks ten times a second, on a clock of its own.
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

TEST_F(WatchdogTest, holds_each_kind_of_work_to_its_own_deadline) {
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

TEST_F(WatchdogTest, waits_for_a_task_that_is_slow_at_times) {
  task_.usual = Time(50 * ms);
  EXPECT_EQ(look_for(5000 * ms, work(Phase::running, Deadline::frame)), std::nullopt);
  EXPECT_THAT(look_for(1000 * ms, work(Phase::running, Deadline::frame)),
              Optional(HasSubstr("99 % of its frames took at most 50 ms")));
}

TEST_F(WatchdogTest, holds_a_phase_without_a_task_to_its_deadline_and_leaves_waiting_ones_alone) {
  EXPECT_EQ(look_for(60'000 * ms, {.phase = Phase::waiting_for_set_up, .begun = 1}), std::nullopt);
  EXPECT_EQ(look_for(60'000 * ms, {.phase = Phase::none, .begun = 2}), std::nullopt);
  EXPECT_THAT(look_for(9000 * ms, {.phase = Phase::starting_mpi, .begun = 3}),
              Optional(HasSubstr("the process hangs: starting MPI since")));
}

TEST_F(WatchdogTest, does_not_count_waits_for_other_programs) {
  EXPECT_EQ(look_for(60'000 * ms, work(Phase::running, Deadline::frame), {"a reader", "a reader"}),
            std::nullopt);
  // A kernel hangs whatever another thread of the rank waits for.
  EXPECT_TRUE(look_for(5000 * ms, work(Phase::running, Deadline::frame, 2), {{}, "a reader"}));
  task_.is_kernel = false;
  EXPECT_EQ(look_for(5000 * ms, work(Phase::running, Deadline::frame, 3), {{}, "a reader"}), std::nullopt);
}

TEST_F(WatchdogTest, does_not_count_time_in_which_the_process_was_stopped) {
  EXPECT_EQ(look_for(800 * ms, work(Phase::running, Deadline::frame)), std::nullopt);
  now_ += 60'000 * ms;
  EXPECT_EQ(look_for(100 * ms, work(Phase::running, Deadline::frame)), std::nullopt);
}

TEST_F(WatchdogTest, ends_a_rest_that_has_no_end_though_each_call_comes_back) {
  Activity activity = work(Phase::draining, Deadline::frame);
  activity.finishing = "fft";
  activity.finishing_since_ns = now_;
  std::optional<std::string> finding;
  for (int i = 0; i < 31 && !finding; ++i, ++activity.begun) finding = look_for(100 * ms, activity);
  EXPECT_THAT(finding, Optional(HasSubstr("task 'fft' does not end its flush: draining")));
  EXPECT_EQ(now_ - activity.finishing_since_ns, 3100 * ms);
}

TEST_F(WatchdogTest, ends_a_rest_that_goes_on_long_after_the_user_asked_to_stop) {
  Activity activity = work(Phase::draining, Deadline::frame);
  activity.finishing = "fft";
  activity.finishing_since_ns = now_;
  const auto look_once_more = [&] { return ++activity.begun, look_for(100 * ms, activity); };
  watchdog_ = Watchdog({.set_up = Time(6000 * ms), .frame = Time(1000 * ms), .end = Time(60'000 * ms)}, now_);
  for (int i = 0; i < 200; ++i) ASSERT_EQ(look_once_more(), std::nullopt);
  // The rest before that does not count.
  asked_ = now_;
  for (int i = 0; i < 50; ++i) ASSERT_EQ(look_once_more(), std::nullopt);
  EXPECT_THAT(look_once_more(), Optional(AllOf(HasSubstr("task 'fft' does not end its flush"),
                                               HasSubstr("for 25.1 s while the run ends"))));
  // What gives few frames a second may want longer for some.
  task_.usual = Time(100 * ms);
  for (int i = 0; i < 49; ++i) ASSERT_EQ(look_once_more(), std::nullopt);
  EXPECT_TRUE(look_once_more());
}

TEST_F(WatchdogTest, ends_work_that_was_under_way_as_the_user_asked_to_stop) {
  const Activity set_up = work(Phase::setting_up, Deadline::set_up);
  EXPECT_EQ(look_for(200 * ms, set_up), std::nullopt);
  asked_ = now_;
  EXPECT_EQ(look_for(2000 * ms, set_up), std::nullopt);
  EXPECT_THAT(look_for(100 * ms, set_up),
              Optional(HasSubstr("did not return at the end of the run: setting up since")));
  // What was begun later has its time: it may be what the end of the run needs.
  EXPECT_EQ(look_for(2900 * ms, work(Phase::closing, Deadline::end, 2)), std::nullopt);
}

TEST_F(WatchdogTest, lets_a_task_that_was_as_slow_before_come_to_its_end) {
  EXPECT_EQ(look_for(1500 * ms, work(Phase::setting_up, Deadline::set_up, 1)), std::nullopt);
  EXPECT_EQ(look_for(100 * ms, work(Phase::setting_up, Deadline::set_up, 2)), std::nullopt);
  asked_ = now_;
  EXPECT_EQ(look_for(2600 * ms, work(Phase::setting_up, Deadline::set_up, 2)), std::nullopt);
  EXPECT_THAT(look_for(1000 * ms, work(Phase::setting_up, Deadline::set_up, 2)),
              Optional(HasSubstr("did not return at the end of the run")));
}

}  // namespace
}  // namespace takt::pipeline
