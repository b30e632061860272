#pragma once
/// Chooses among several plans: the one rule for predicted and for measured plans.

#include <cstddef>
#include <optional>
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

[[nodiscard]] bool is_enough(const PlanGoal& goal, const PlanFigures& figures);

/// Returns the index of the best plan; `plans` are in the order of preference. It is the first sufficient
/// one, or a later sufficient one with clearly less latency if that is the goal. If none is sufficient, it is
/// the first one that is as fast as the fastest within the accuracy. O(plans).
[[nodiscard]] std::size_t best_plan_of(const PlanGoal& goal, const std::vector<PlanFigures>& plans);

}  // namespace takt::pipeline
