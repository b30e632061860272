#pragma once
/// What the parts of `takt plan` share.

#include <optional>
#include <string>
#include <vector>

#include "schedulers/evaluation.hpp"
#include "schedulers/objective/required_rate.hpp"
#include "schedulers/scheduler.hpp"

namespace takt::cli {

struct PlanArguments {
  std::vector<std::string> graphs;
  std::string machine, scheduler = "optfo", objective = "frequency", format = "table", output;
  /// Whether the user named the scheduler.
  bool has_scheduler = false;
  bool trace = false;
  bool pareto = false;
  /// Frequencies to hold, one a graph, as written; and a schedule whose streams go on as they are.
  std::vector<std::string> frequencies;
  std::string running;
  /// Of each graph; equal ones are placed in their order.
  std::vector<int> priorities;
  schedulers::Options options;
};

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
