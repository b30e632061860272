#pragma once
/// The scheduler that serves a graph and a machine best, found by trying all of them.

#include <functional>
#include <string>
#include <vector>

#include <nlohmann/json_fwd.hpp>

#include "schedulers/judge/comparison_summary.hpp"
#include "schedulers/plan/goal.hpp"

namespace takt::schedulers {

struct AutoChoice {
  const Scheduler* scheduler = nullptr;
  Objective objective = Objective::frequency;
  /// Every scheduler that was tried: the valid ones first, the best on top, then those that failed. Where the
  /// best one was stopped at the time limit, its row has the schedule.
  std::vector<ComparisonRow> ranking;
  /// Those that were not tried because the graph is too large for them.
  std::vector<std::string> left_out;
  /// Those that were not tried because they search until their effort is used up, for a proof of something
  /// else than the objective.
  std::vector<std::string> proving_else;
};

/// Tries every scheduler of the registry whose `auto_limit` the graph does not exceed, and that does not
/// prove another objective, on `threads` threads, and takes the one whose valid schedule serves the goal's
/// objective (makespan or frequency) best. Equal ones: the one that is better by the other objective, then
/// the one that needs fewer processors, then the first of the registry; so the choice depends on graph,
/// machine and options only, unless one meets the time limit (ComparisonInput). Throws ConfigError when none
/// has a valid schedule.
[[nodiscard]] AutoChoice choose_scheduler(const TaskGraph& graph, const logp::Machine& machine,
                                          const Goal& goal, std::size_t threads,
                                          const std::function<void(const ComparisonProgress&)>& report = {});

/// Which one and why, in a few lines.
[[nodiscard]] std::string to_text(const AutoChoice& choice);
/// A JSON object; docs/reference/cli.md documents the keys.
[[nodiscard]] nlohmann::ordered_json choice_json(const AutoChoice& choice);

}  // namespace takt::schedulers
