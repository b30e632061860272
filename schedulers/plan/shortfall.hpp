#pragma once
/// Why a frequency cannot be held, and what would help.

#include <string>
#include <vector>

#include "core/graphs/task_graph.hpp"
#include "core/period.hpp"
#include "logp/machine.hpp"
#include "schedulers/plan/required_rate.hpp"
#include "schedulers/scheduler.hpp"

namespace takt::schedulers {

/// What a plan knows of the period.
struct KnownPeriod {
  /// The smallest one found.
  Period best;
  /// No schedule, of this class where one is named (Figures::bound_among), has a smaller one.
  Period bound = {};
  std::string bound_among = {};
};

struct Shortfall {
  /// No schedule has a smaller period than this, and why.
  Period bound;
  std::string reason;
  /// Whether the bound rules the frequency out; otherwise it is not decided: only no schedule was found.
  bool is_impossible = false;
  /// The smallest period found.
  Period best;
  /// What would make it possible, a sentence each, most specific first.
  std::vector<std::string> advice;
};

/// What advice there can be, and how it is told.
struct AdviceOptions {
  Options search = {};
  /// Tasks whose code is not the user's, such as a pipeline's sources, sinks and built-in kernels: the user
  /// can neither split them nor declare them stateless.
  std::vector<TaskId> built_in = {};
  /// Times are nanoseconds and told as `254 us`; otherwise they are told as the graph's numbers.
  bool is_in_ns = false;
};

/// Tries out each piece of advice that it gives: more processors and statelessness on optfo's word, faster or
/// divided tasks on the bounds'. `known` is of this machine.
[[nodiscard]] Shortfall explain_shortfall(const RequiredRate& rate, const TaskGraph& graph,
                                          const logp::Machine& machine, const KnownPeriod& known,
                                          const AdviceOptions& options = {});

/// For people, a line each.
[[nodiscard]] std::string to_text(const Shortfall& shortfall, const RequiredRate& rate);
/// As a JSON object: `held` (false), `answer` (`impossible` or `not decided`), `required_period`, `period`,
/// `lower_bound`, `impossible`, `reason`, `advice`.
[[nodiscard]] std::string to_json(const Shortfall& shortfall, const RequiredRate& rate);

}  // namespace takt::schedulers
