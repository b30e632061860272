#pragma once
/// Exact search over all schedules of one instance, where messages occupy nobody.

#include <cstddef>
#include <optional>
#include <vector>

#include "logp/timing.hpp"
#include "schedulers/relay/lower_set_search.hpp"
#include "schedulers/search/workload.hpp"

namespace takt::schedulers {

struct SequenceAnswer {
  Verdict verdict = Verdict::unknown;
  /// An allocation whose smallest period is at most the one asked for, if the verdict is yes.
  std::optional<logp::Allocation> allocation;
  /// How many partial schedules were looked at; where many tasks are ready at once and points many, more.
  std::size_t states = 0;
};

/// Whether this search can serve: one instance, at most 64 tasks, no overheads or gaps on any link,
/// and no negative latencies.
[[nodiscard]] bool can_search_sequences(const Workload& workload);

/// Whether any schedule at all has at most this period: tasks on any processors in any order, also such that
/// a processor waits for results of another one that waits for its own (cyclic quotients).
///
/// Builds the processors' sequences task by task in a topological order. The start times of a partial
/// schedule obey difference constraints: a task starts after its predecessors (and their data's latency, from
/// another processor) and after the task before it, and a processor is done at most a period after its start.
/// A state is the set of tasks placed and the longest paths, in the constraints, between the times that the
/// rest can still depend on: the starts of the processors at work, the ends of their last tasks, and the
/// ends of tasks that others wait for. A positive circle ends a branch, as does work that does not fit into
/// what the processors have left; a state that was met before is not searched again. Exponential: for graphs
/// that are small, narrow, or leave little slack. Gives up (unknown) after `most_states`, which take five
/// microseconds each or less.
[[nodiscard]] SequenceAnswer find_sequences(const Workload& workload, Time period, std::size_t most_states);

}  // namespace takt::schedulers
