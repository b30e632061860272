#include "schedulers/frequency/best_schedule.hpp"

#include <tuple>
#include <utility>

namespace takt::schedulers {

BestSchedule::BestSchedule(Schedule schedule, const Options& options)
    : options_(&options), schedule_(std::move(schedule)), metrics_(measure(schedule_)) {
  options.tell(schedule_);
}

void BestSchedule::add(Schedule schedule) {
  ScheduleMetrics metrics = measure(schedule);
  if (!is_better(schedule, metrics)) return;
  schedule_ = std::move(schedule);
  metrics_ = std::move(metrics);
  options_->tell(schedule_);
}

bool BestSchedule::is_better(const Schedule& schedule, const ScheduleMetrics& metrics) const {
  const ScheduleMetrics &a = metrics, &b = metrics_;
  const auto frames = [](const Schedule& each) {
    return std::pair(each.repetition.has_value(), each.replicas);
  };
  /// Whether more frames in turn improve the period by the accuracy of the costs.
  const auto is_worth_more_frames = [&](const ScheduleMetrics& more, const ScheduleMetrics& fewer) {
    return more.period() * (1 + options_->cost_noise) <= fewer.period();
  };
  if (options_->cost_noise > 0) {
    if (frames(schedule) > frames(schedule_)) return is_worth_more_frames(a, b);
    if (frames(schedule) < frames(schedule_)) return !is_worth_more_frames(b, a);
  }
  return std::tuple(a.exact_period(), frames(schedule), a.processors_used, a.makespan) <
         std::tuple(b.exact_period(), frames(schedule_), b.processors_used, b.makespan);
}

}  // namespace takt::schedulers
