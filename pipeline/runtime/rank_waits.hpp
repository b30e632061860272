#pragma once
/// Waits for other ranks, and counts the time that they take.

#include <cstdint>

#include "core/system/clock.hpp"
#include "pipeline/runtime/counting/tally.hpp"
#include "pipeline/runtime/counting/timeline.hpp"
#include "pipeline/runtime/sources/waiting.hpp"

namespace takt::pipeline {

/// All waits of a rank for other ranks share one Patience: the time to poll depends on earlier waits.
class RankWaits {
 public:
  RankWaits(const WaitPolicy& policy, Timeline& timeline) : policy_(policy), timeline_(timeline) {}
  RankWaits(const RankWaits&) = delete;
  RankWaits& operator=(const RankWaits&) = delete;

  [[nodiscard]] const WaitPolicy& policy() const { return policy_; }

  struct Interval {
    std::int64_t start = 0, end = 0;
  };
  /// Waits until `is_over()`, at least for one poll. The time counts as `use` and in `tally()`, and the time
  /// after it as `next`. `progress()` lets MPI make progress and returns whether a message is under way.
  /// `sleep(latest)` sleeps until an event or that moment (now_ns).
  template <class TallyOf, class Progress, class IsOver, class Sleep>
  Interval until(Use use, Use next, const TallyOf& tally, const Progress& progress, const IsOver& is_over,
                 const Sleep& sleep, Arrivals* arrivals = nullptr) {
    const std::int64_t start = timeline_.enter(use);
    Wait wait(policy_, start, patience_.begin(start), arrivals);
    std::int64_t counted = start;
    do {
      wait.pause(progress(), [&](std::int64_t latest) {
        counted = count_long_wait(use, tally(), counted);
        sleep(latest);
      });
    } while (!is_over());
    const std::int64_t end = timeline_.enter(next);
    patience_.end(end);
    tally().add(static_cast<std::uint64_t>(end - counted));
    return {start, end};
  }

  /// Counts a long wait while it lasts, so that status reports show it. If it is long, adds the time since
  /// that moment to this use and to `tally`. Returns the moment until which the wait is counted.
  std::int64_t count_long_wait(Use use, Tally& tally, std::int64_t since_ns) {
    // Longer than waits for regular frames, shorter than the interval of status reports.
    constexpr std::int64_t worth_counting = 50'000'000;
    const std::int64_t now = now_ns();
    if (now - since_ns < worth_counting) return since_ns;
    timeline_.enter(use, now);
    tally.add(static_cast<std::uint64_t>(now - since_ns));
    return now;
  }

 private:
  WaitPolicy policy_;
  Timeline& timeline_;
  Patience patience_{policy_};
};

}  // namespace takt::pipeline
