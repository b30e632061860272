/// Tests when a run is re-planned and when it switches to the new plan, on a simulated clock.

#include "pipeline/launch/adapting.hpp"

#include <atomic>
#include <optional>
#include <string>
#include <thread>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "pipeline/planning/candidates.hpp"
#include "tests/pipeline/config/load.hpp"
#include "tests/pipeline/launch/watched_run.hpp"

namespace takt::pipeline {
namespace {

using test::second;
using ::testing::ElementsAre;
using ::testing::IsEmpty;

constexpr Time window{5 * second};

PipelinePlan some_plan() {
  const Pipeline pipeline =
      test::load("sources: {s: {type: synthetic, axes: [time=4]}}\nsinks: {o: {type: null, input: s}}\n");
  return plan_pipeline(pipeline, std::vector<StageCost>(2, {.cost = Time{1000}}),
                       {logp::parse_machine("delay:P=1"), 1});
}

class AdaptingTest : public test::WatchedRun {
 protected:
  /// Seconds from the first check to each request for a plan and to each switch of plans, and notes.
  struct Seen {
    std::vector<double> asked, changed;
    std::vector<std::string> notes;
  };

  /// Checks five times per second for this number of seconds; planning takes no time.
  Seen after(int seconds) {
    Seen seen;
    for (int i = 0; i < 5 * seconds; ++i) {
      pass();
      (void)watch_.look(record_, now_);
      const int before = asked_;
      look(seen);
      if (!adapting_.is_planning()) continue;
      seen.asked.push_back(passed());
      while (adapting_.is_planning()) {
        std::this_thread::yield();
        look(seen);
      }
      EXPECT_EQ(asked_, before + 1);
    }
    return seen;
  }

  void look(Seen& seen) {
    const Adapting::Step step = adapting_.look(now_, watch_, record_, is_to_end_);
    if (step.plan) {
      seen.changed.push_back(passed());
      watch_.begin_again();
    }
    if (!step.note.empty()) seen.notes.push_back(step.note);
  }

  [[nodiscard]] double passed() const { return static_cast<double>(now_ - 100 * second) / second; }

  RunWatch watch_{window};
  bool is_better_ = false, is_to_end_ = false;
  std::atomic<int> asked_ = 0;
  std::vector<double> capacities_;
  Adapting adapting_{[this](const SharedPlan&, const Observed& observed, const std::stop_token&) {
                       capacities_.push_back(observed.capacity_hz);
                       ++asked_;
                       return is_better_ ? std::optional(some_plan()) : std::nullopt;
                     },
                     window};
};

TEST_F(AdaptingTest, does_not_replan_a_run_that_goes_as_planned) {
  const Seen seen = after(120);
  EXPECT_THAT(seen.asked, IsEmpty());
  EXPECT_THAT(seen.notes, IsEmpty());
}

/// From second 20 on a frame takes 12 ms: 83 of the 100 required frames/s.
TEST_F(AdaptingTest, plans_from_measured_times_and_switches) {
  (void)after(20);
  task_ns_ = 12'000'000;
  hertz_ = 80;
  is_better_ = true;
  const Seen seen = after(15);
  ASSERT_EQ(seen.changed.size(), 1U);
  EXPECT_GT(seen.changed[0], 20 + 2.5) << "half a window after the first look that saw it";
  EXPECT_LT(seen.changed[0], 20 + 10.0) << "within two windows";
  EXPECT_EQ(seen.changed, seen.asked);
  ASSERT_EQ(capacities_.size(), 1U);
  EXPECT_LT(capacities_[0], 500) << "some frames of the window took 12 ms";
  EXPECT_THAT(seen.notes, IsEmpty());
}

/// Two windows after the first unsuccessful plan, then four, then eight; one note.
TEST_F(AdaptingTest, plans_half_as_often_after_each_unsuccessful_plan) {
  task_ns_ = 12'000'000;
  hertz_ = 80;
  const Seen seen = after(300);
  ASSERT_GE(seen.asked.size(), 4U);
  EXPECT_NEAR(seen.asked[1] - seen.asked[0], 20, 0.5);
  EXPECT_NEAR(seen.asked[2] - seen.asked[1], 40, 0.5);
  EXPECT_NEAR(seen.asked[3] - seen.asked[2], 80, 0.5);
  EXPECT_THAT(seen.changed, IsEmpty());
  EXPECT_THAT(seen.notes, ElementsAre("no plan is 10 % better: the run keeps its plan"));
}

TEST_F(AdaptingTest, plans_again_soon_after_the_run_was_as_planned) {
  task_ns_ = 12'000'000;
  hertz_ = 80;
  const Seen first = after(60);
  ASSERT_FALSE(first.asked.empty());
  task_ns_ = 2'000'000;
  hertz_ = 100;
  EXPECT_THAT(after(60).asked, IsEmpty());
  task_ns_ = 12'000'000;
  hertz_ = 80;
  const double begin = passed();
  const Seen again = after(15);
  ASSERT_FALSE(again.asked.empty());
  EXPECT_LT(again.asked[0] - begin, 10.0);
}

TEST_F(AdaptingTest, plans_nothing_in_a_run_that_is_to_end) {
  is_to_end_ = true;
  task_ns_ = 12'000'000;
  hertz_ = 80;
  EXPECT_THAT(after(60).asked, IsEmpty());
}

}  // namespace
}  // namespace takt::pipeline
