#pragma once
/// The best of several frequency schedules.

#include "core/schedule.hpp"
#include "schedulers/scheduler.hpp"

namespace takt::schedulers {

/// The best schedule so far: by the period, then few frames in an iteration, few processors, and a short
/// makespan. If costs are not exact, more frames must improve the period by the accuracy of the costs.
class BestSchedule {
 public:
  /// Reports it to the listener of the options, which are borrowed.
  BestSchedule(Schedule schedule, const Options& options);

  /// Keeps and reports the schedule if it is better.
  void add(Schedule schedule);
  [[nodiscard]] const ScheduleMetrics& metrics() const { return metrics_; }
  [[nodiscard]] const Schedule& schedule() const { return schedule_; }
  [[nodiscard]] Schedule take() && { return std::move(schedule_); }

 private:
  [[nodiscard]] bool is_better(const Schedule& schedule, const ScheduleMetrics& metrics) const;

  const Options* options_;
  Schedule schedule_;
  ScheduleMetrics metrics_;
};

}  // namespace takt::schedulers
