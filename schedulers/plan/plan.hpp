#pragma once
/// Makes a schedule from a graph, a machine and a goal: the one place where plans are made.

#include <functional>
#include <optional>

#include "core/graphs/task_graph.hpp"
#include "logp/machine.hpp"
#include "schedulers/judge/comparison.hpp"
#include "schedulers/judge/evaluation.hpp"
#include "schedulers/plan/auto_choice.hpp"
#include "schedulers/plan/goal.hpp"

namespace takt::schedulers {

/// The throughput that a schedule will sustain, also with cores shared by processors.
struct Prediction {
  /// Time between frames, in ticks: the schedule's period, or the time that the cores of a node need for the
  /// work of a frame, if that is longer.
  double period = 0;
  /// Whether the cores are the bottleneck; otherwise the busiest processor is.
  bool cores_are_short = false;
  ProcessorId busiest;
  /// Occupancy of the busiest processor per frame.
  Time occupied{0};
};

struct Plan {
  /// The schedule with its figures and the checker's verdict.
  Evaluation evaluation;
  /// The objective of the choice: the goal's, or the frequency if no schedule sustains the rate.
  Objective objective = Objective::frequency;
  Prediction prediction;
  /// Whether the prediction sustains the goal's rate, and with the margin; true without a required rate.
  bool holds_rate = true;
  bool holds_margin = true;
  /// For the fewest processors: no schedule on fewer ones can sustain the rate.
  bool fewest_is_proven = false;
  /// If the objective needs a rate, and the schedule has several frames per iteration: the best with one
  /// frame that is fast enough.
  std::optional<Schedule> of_one_frame = {};
  /// The tried schedulers, if `auto` chose.
  std::optional<AutoChoice> choice;
};

/// Makes a plan. If the goal's rate is not sustained, the plan is the fastest one found, for up to 24 tasks
/// also by schedulers with a proof; explain_shortfall (shortfall.hpp) then reports the reason and remedies.
/// With noisy costs and an objective that needs the rate, a plan that is slower by no more than the noise
/// replaces it, if it sustains the rate without the margin whenever the fastest does. It must also have a
/// latency lower by more than the noise, or an equal one with fewer frames per iteration, or, for that
/// objective, fewer processors. Calls `report` as `auto` tries schedulers.
///
/// Throws ConfigError if the goal is inconsistent (goal.hpp), if graph and machine do not fit (check_fit),
/// or if the scheduler does not support them. A schedule that the checker rejects is returned with its
/// findings.
[[nodiscard]] Plan make_plan(const TaskGraph& graph, const logp::Machine& machine, const Goal& goal,
                             const std::function<void(const ComparisonProgress&)>& report = {});

/// Returns the plan of a given schedule from any source.
[[nodiscard]] Plan plan_of(const TaskGraph& graph, const logp::Machine& machine, const Goal& goal,
                           Schedule schedule);

/// Returns the throughput of the schedule on nodes with this many cores (empty: one per processor).
[[nodiscard]] Prediction predict(const logp::Machine& machine, const Schedule& schedule,
                                 std::optional<std::size_t> cores_per_node);

}  // namespace takt::schedulers
