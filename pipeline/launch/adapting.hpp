#pragma once
/// Decides when a run that deviates from its plan is re-planned, and whether it adopts the new plan.

#include <cstdint>
#include <functional>
#include <optional>
#include <stop_token>
#include <string>

#include "pipeline/launch/replanning.hpp"
#include "pipeline/launch/run_watch.hpp"
#include "pipeline/protocol/run_record.hpp"

namespace takt::pipeline {

/// Returns another plan for a run with these observations (adapted_plan); nothing if none is better. Ends
/// soon after a stop request.
using Replan = std::function<std::optional<PipelinePlan>(const SharedPlan& current, const Observed& observed,
                                                         const std::stop_token& stop)>;

/// Re-plans during the run: at most every second window. The interval doubles after each change and each
/// unsuccessful attempt.
class Adapting {
 public:
  /// Next action.
  struct Step {
    /// The plan to adopt.
    std::optional<PipelinePlan> plan;
    /// Message for the user; empty: none.
    std::string note;
  };

  Adapting(Replan replan, Time window) : replan_(std::move(replan)), window_(window) {}

  /// Call several times a second, after `watch.look`. Starts and adopts nothing once the run is to end.
  Step look(std::int64_t now, const RunWatch& watch, const RunRecord& record, bool is_to_end);
  /// Returns true if a plan is being made, or was made since the last look.
  [[nodiscard]] bool is_planning() const { return replanning_.is_under_way(); }

 private:
  [[nodiscard]] Time interval() const;
  Step follow(std::int64_t now, bool is_wanted, const RunRecord& record);
  [[nodiscard]] std::string why_none_is_better(const Replanning::Outcome& outcome,
                                               const RunRecord& record) const;

  Replan replan_;
  Time window_;
  /// When the last plan was requested or became ready.
  std::int64_t last_ns_ = 0;
  /// Start of the current deviation, present in every check since then.
  std::optional<std::int64_t> off_plan_since_;
  /// Number of changes of plan, and of consecutive attempts without a better plan.
  int changes_ = 0, in_vain_ = 0;
  bool is_reported_ = false;
  /// The observations for the plan in progress.
  std::optional<Observed> observed_;
  /// The last member: its thread reads the others.
  Replanning replanning_;
};

}  // namespace takt::pipeline
