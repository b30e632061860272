#pragma once
/// What the parts of `takt plan` share.

#include <optional>
#include <string>
#include <vector>

#include "schedulers/judge/evaluation.hpp"
#include "schedulers/plan/required_rate.hpp"
#include "schedulers/scheduler.hpp"

namespace takt::cli {

struct PlanArguments {
  std::vector<std::string> graphs;
  std::string machine, scheduler = "optfo", objective = "frequency", format = "table", output;
  /// Whether the user named the scheduler, and the objective.
  bool has_scheduler = false;
  bool has_objective = false;
  bool trace = false;
  bool pareto = false;
  /// Frequencies to hold, one a graph, as written; and a schedule whose streams go on as they are.
  std::vector<std::string> frequencies;
  std::string running;
  /// Of each graph; equal ones are placed in their order.
  std::vector<int> priorities;
  schedulers::Options options;
};

/// Whether the name is that of a pipeline's file: it has sources, a graph file has none.
[[nodiscard]] bool is_pipeline(const std::string& name);

/// A graph file or generator, or a pipeline whose stages are measured first.
[[nodiscard]] TaskGraph load_graph_or_pipeline(const std::string& name);

/// For one pipeline: its rate with the margin, its objective and its scheduler, where the user names none.
[[nodiscard]] PlanArguments with_settings_of_pipeline(PlanArguments arguments);

/// Says that a frequency is not held and what would help; returns the exit code.
int refuse_rate(const PlanArguments& arguments, const schedulers::RequiredRate& rate, const TaskGraph& graph,
                const logp::Machine& machine, const Period& best);

/// `--objective latency | processors`: a frequency held, with the least of the one or the fewest of the
/// other.
int plan_for_rate(const PlanArguments& arguments);

/// `--pareto`: the front of frequency against latency against processors.
int plan_front(const PlanArguments& arguments);

/// Several streams, or streams beside others that are running.
int plan_streams(const PlanArguments& arguments);

}  // namespace takt::cli
