#pragma once
/// Reasons and remedies for a frequency that cannot be sustained.

#include <string>
#include <vector>

#include "core/graphs/task_graph.hpp"
#include "core/period.hpp"
#include "logp/machine.hpp"
#include "schedulers/plan/required_rate.hpp"
#include "schedulers/scheduler.hpp"

namespace takt::schedulers {

/// The plan's knowledge of the period.
struct KnownPeriod {
  /// The smallest one found.
  Period best;
  /// No schedule, of this class if one is named (Figures::bound_among), has a smaller one.
  Period bound = {};
  std::string bound_among = {};
};

struct Shortfall {
  /// No schedule has a smaller period than this, and the reason.
  Period bound;
  std::string reason;
  /// Whether the bound excludes the frequency; otherwise it is undecided: only no schedule was found.
  bool is_impossible = false;
  /// The class of schedules that the bound is about; empty: all.
  std::string among = {};
  /// The smallest period found.
  Period best;
  /// Changes that would make it possible, a sentence each, most specific first.
  std::vector<std::string> advice;
};

/// Possible advice, and its form.
struct AdviceOptions {
  Options search = {};
  /// Tasks whose code is not the user's, such as a pipeline's sources, sinks and built-in kernels: the user
  /// can neither split them nor declare them stateless.
  std::vector<TaskId> built_in = {};
  /// Times are nanoseconds and printed as `254 us`; otherwise as the graph's numbers.
  bool is_in_ns = false;
};

/// Tests each piece of advice: more processors and statelessness with optfo, faster or divided tasks with the
/// bounds. `known` must be of this machine.
[[nodiscard]] Shortfall explain_shortfall(const RequiredRate& rate, const TaskGraph& graph,
                                          const logp::Machine& machine, const KnownPeriod& known,
                                          const AdviceOptions& options = {});

/// Returns text for users, a line each.
[[nodiscard]] std::string to_text(const Shortfall& shortfall, const RequiredRate& rate);
/// Returns a JSON object: `held` (false), `answer` (`impossible` or `not decided`), `among` (the class of
/// schedules of the answer and the bound), `required_period`, `period`, `lower_bound`, `impossible`,
/// `reason`, `advice`.
[[nodiscard]] std::string to_json(const Shortfall& shortfall, const RequiredRate& rate);

}  // namespace takt::schedulers
