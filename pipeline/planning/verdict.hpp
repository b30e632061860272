#pragma once
/// Chooses among several plans: the one rule for predicted and for measured plans.

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include "core/units.hpp"
#include "pipeline/config/pipeline.hpp"

namespace takt::pipeline {

/// Throughput of a plan, and the largest median latency of its sinks: by costs or by trial runs.
struct PlanFigures {
  /// Frames/s; 0: unknown.
  double hertz = 0;
  std::optional<Time> latency = {};
};

/// Requirements on a plan.
struct PlanGoal {
  /// Nothing: the highest throughput.
  std::optional<Frequency> enough = {};
  /// The required rate without the margin that `enough` has.
  std::optional<Frequency> rate = {};
  /// The longest latency; nothing: no limit.
  std::optional<Time> latency_limit = {};
  /// True: among the plans that reach `enough`, the one of least latency.
  bool wants_least_latency = false;
  /// Relative difference of rates below which two plans count as equal.
  double accuracy = 0;
};

/// Returns the goal of a pipeline for figures by costs: the rate with the margin, or the source's own rate if
/// the file sets no goal.
[[nodiscard]] PlanGoal goal_by_costs(const Pipeline& pipeline);
/// Returns the goal for figures by trial runs, which need less margin unless the user sets one.
[[nodiscard]] PlanGoal goal_by_trials(const Pipeline& pipeline);

/// Returns false if the latency is known and above the limit.
[[nodiscard]] bool is_in_time(const PlanGoal& goal, const PlanFigures& figures);
/// True if the goal has a rate, and the plan reaches it in time.
[[nodiscard]] bool is_enough(const PlanGoal& goal, const PlanFigures& figures);

/// Returns the index of the best plan; `plans` are in the order of preference. It is the first sufficient
/// one, or a later sufficient one with clearly less latency if that is the goal. If none is sufficient, it is
/// the fastest one that holds rate and limit of the latency without the margin; then the one of least latency
/// among those that only exceed that limit; otherwise the first one that is as fast as the fastest within the
/// accuracy, of plans within the limit if there are any. O(plans).
[[nodiscard]] std::size_t best_plan_of(const PlanGoal& goal, const std::vector<PlanFigures>& plans);

/// Reports that no plan holds the rate within the limit of the latency, and what fits: the least latency at
/// that rate, and the highest rate within that limit. Returns nothing if one does, or without a limit.
/// O(plans).
[[nodiscard]] std::optional<std::string> misfit_of(const PlanGoal& goal,
                                                   const std::vector<PlanFigures>& plans);

}  // namespace takt::pipeline
