#pragma once
/// Which of several plans to take: the one rule for predicted and for measured plans.

#include <cstddef>
#include <optional>
#include <vector>

#include "core/units.hpp"
#include "pipeline/config/pipeline.hpp"

namespace takt::pipeline {

/// What a plan sustains, and the longest median latency of its sinks: by costs or by trial runs.
struct PlanFigures {
  /// Frames/s; 0: unknown.
  double hertz = 0;
  std::optional<Time> latency = {};
};

/// What a plan must reach.
struct PlanGoal {
  /// Nothing: the highest throughput.
  std::optional<Frequency> enough = {};
  /// Of the plans that reach it, that with the least latency.
  bool wants_least_latency = false;
  /// Ratio of rates below which two plans are alike.
  double accuracy = 0;
};

/// The goal of a pipeline for figures by costs: the rate with the margin. A source with a rate of its own has
/// that one where the file leaves the goal open.
[[nodiscard]] PlanGoal goal_by_costs(const Pipeline& pipeline);
/// The goal for figures by trial runs, which need less margin unless the user names one.
[[nodiscard]] PlanGoal goal_by_trials(const Pipeline& pipeline);

[[nodiscard]] bool is_enough(const PlanGoal& goal, const PlanFigures& figures);

/// The index of the plan to take; plans are in the order of preference. The first one that is enough, or a
/// later one that is enough with clearly less latency, where that counts. If none is enough, the first one
/// that is as fast as the fastest within the accuracy. O(plans).
[[nodiscard]] std::size_t best_plan_of(const PlanGoal& goal, const std::vector<PlanFigures>& plans);

}  // namespace takt::pipeline
