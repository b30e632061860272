#include "pipeline/launch/adapting.hpp"

#include <algorithm>
#include <utility>

#include <fmt/format.h>

#include "pipeline/constants.hpp"

namespace takt::pipeline {

/// On a host whose processors come and go, plans would always change: each must last longer than the former.
Time Adapting::interval() const {
  return (2 << std::min(changes_ + std::min(in_vain_, most_doublings / 2), most_doublings)) * window_;
}

Adapting::Step Adapting::look(std::int64_t now, const RunWatch& watch, const RunRecord& record,
                              bool is_to_end) {
  if (!watch.is_off_plan()) {
    off_plan_since_.reset();
    in_vain_ = 0;
  }
  if (is_to_end) replanning_.ask_to_stop();
  const bool is_wanted = replan_ && watch.is_off_plan() && !is_to_end;
  if (replanning_.is_under_way()) return follow(now, is_wanted, record);
  if (!is_wanted) return {};
  if (!off_plan_since_) off_plan_since_ = now;
  // Not before the reason has been reported (deviation_report.hpp).
  if (now - *off_plan_since_ < window_.count() / 2 || now - last_ns_ < interval().count()) return {};
  last_ns_ = now;
  observed_ = watch.observed();
  if (!observed_ || !record.plan) return {};
  replanning_.begin([this, current = SharedPlan{*record.plan, record.schedule}, observed = *observed_](
                        const std::stop_token& stop) { return replan_(current, observed, stop); });
  return {};
}

/// When a plan is ready, the deviation for which it was made may have ended.
Adapting::Step Adapting::follow(std::int64_t now, bool is_wanted, const RunRecord& record) {
  std::optional<Replanning::Outcome> outcome = replanning_.take();
  if (!outcome) return {};
  last_ns_ = now;
  if (!is_wanted) return {};
  if (outcome->plan) {
    ++changes_;
    in_vain_ = 0;
    return {std::move(outcome->plan), {}};
  }
  ++in_vain_;
  if (std::exchange(is_reported_, true)) return {};
  return {std::nullopt, why_none_is_better(*outcome, record)};
}

std::string Adapting::why_none_is_better(const Replanning::Outcome& outcome, const RunRecord& record) const {
  if (!outcome.failure.empty())
    return fmt::format("cannot make another plan: {}: the run keeps its plan", outcome.failure);
  const std::optional<double> required = record.plan->required_hz;
  if (required && observed_->capacity_hz >= *required)
    return fmt::format("the ranks can sustain {}, more than the required {}: the run keeps its plan",
                       takt::to_string(Frequency{observed_->capacity_hz}),
                       takt::to_string(Frequency{*required}));
  return "no plan is 10 % better: the run keeps its plan";
}

}  // namespace takt::pipeline
