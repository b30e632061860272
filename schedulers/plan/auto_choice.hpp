#pragma once
/// Chooses the best scheduler for a graph and a machine by trying all of them.

#include <chrono>
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
  /// Every tried scheduler: valid ones first, the best on top, then failed ones. If the best one was stopped
  /// at the time limit, its row has the schedule.
  std::vector<ComparisonRow> ranking;
  /// Schedulers that were not tried because the graph is too large for them.
  std::vector<std::string> left_out;
  /// Schedulers that were not tried because they spend
  /// their whole effort on a proof for another objective.
  std::vector<std::string> proving_else;
};

/// Tries every scheduler of the registry whose `auto_limit` the graph does not exceed, and
/// that does not prove another objective, on `threads` threads. Chooses the one whose valid
/// schedule is best for the goal's objective (makespan or frequency). Ties: the better one
/// by the other objective, then fewer processors, then the first of the registry. So the
/// choice depends on graph, machine and options only, unless a scheduler reaches the time
/// limit (ComparisonInput). Throws ConfigError when none has a valid schedule.
[[nodiscard]] AutoChoice choose_scheduler(const TaskGraph& graph, const logp::Machine& machine,
                                          const Goal& goal, std::size_t threads,
                                          const std::function<void(const ComparisonProgress&)>& report = {});

/// Returns the scheduler's schedule, or the best one that a search has at the time limit; it runs in a
/// process of its own. Throws ConfigError if there is none, or the scheduler refuses.
[[nodiscard]] Schedule within_time(const Scheduler& scheduler, const TaskGraph& graph,
                                   const logp::Machine& machine, const Options& options,
                                   std::chrono::duration<double> limit);

/// Returns the choice and its reason, in a few lines.
[[nodiscard]] std::string to_text(const AutoChoice& choice);
/// Returns a JSON object; docs/reference/cli.md documents the keys.
[[nodiscard]] nlohmann::ordered_json choice_json(const AutoChoice& choice);

}  // namespace takt::schedulers
