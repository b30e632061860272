#pragma once
/// From a graph, a machine and a goal to a schedule: the one place where plans are made.

#include <functional>
#include <optional>

#include "core/graphs/task_graph.hpp"
#include "logp/machine.hpp"
#include "schedulers/judge/comparison.hpp"
#include "schedulers/judge/evaluation.hpp"
#include "schedulers/plan/auto_choice.hpp"
#include "schedulers/plan/goal.hpp"

namespace takt::schedulers {

/// What a schedule will sustain, also where processors share cores.
struct Prediction {
  /// Time between frames, in ticks: the schedule's period, or what the cores of a node need for the work of a
  /// frame where that is more.
  double period = 0;
  /// Whether that is more; otherwise the busiest processor is what limits it.
  bool cores_are_short = false;
  ProcessorId busiest;
  /// How long that one is occupied by a frame.
  Time occupied{0};
};

struct Plan {
  /// The schedule with its figures and the checker's verdict.
  Evaluation evaluation;
  /// What it was chosen for: the goal's objective, or the frequency where no schedule holds the rate.
  Objective objective = Objective::frequency;
  Prediction prediction;
  /// Whether the prediction holds the goal's rate, and with the margin; true where none is required.
  bool holds_rate = true;
  bool holds_margin = true;
  /// For the fewest processors: no schedule on fewer ones can hold the rate.
  bool fewest_is_proven = false;
  /// Where the objective needs a rate, and the schedule has several frames in a repetition: the best with one
  /// that is as fast as was asked for.
  std::optional<Schedule> of_one_frame = {};
  /// Where `auto` chose the scheduler: which were tried.
  std::optional<AutoChoice> choice;
};

/// Makes a plan. Where the goal's rate is not held the plan is the fastest one found, of up to 24 tasks also
/// by those who search for a proof: explain_shortfall (shortfall.hpp) says why, and what would help. Where
/// costs are known with some noise, and an objective needs the rate, it is another one that is slower by no
/// more than that, holds the rate without the margin if the fastest does, and has less latency by more than
/// the noise, or as little with fewer frames in a repetition, or needs fewer processors where these count.
/// `report` is called as `auto` tries schedulers.
///
/// Throws ConfigError when the goal's parts do not go together (goal.hpp), when graph and machine do not
/// (check_fit), or when the scheduler cannot serve them. A schedule that the checker finds invalid is in the
/// plan, with the findings.
[[nodiscard]] Plan make_plan(const TaskGraph& graph, const logp::Machine& machine, const Goal& goal,
                             const std::function<void(const ComparisonProgress&)>& report = {});

/// The plan that consists of a given schedule, made by whomever for whatever.
[[nodiscard]] Plan plan_of(const TaskGraph& graph, const logp::Machine& machine, const Goal& goal,
                           Schedule schedule);

/// What the schedule sustains on nodes with so many cores (nothing: one for each processor).
[[nodiscard]] Prediction predict(const logp::Machine& machine, const Schedule& schedule,
                                 std::optional<std::size_t> cores_a_node);

}  // namespace takt::schedulers
