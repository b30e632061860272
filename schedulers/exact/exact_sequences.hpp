#pragma once
/// Exact search over all schedules of one instance, for messages that occupy no processor.

#include <cstddef>
#include <optional>
#include <vector>

#include "logp/timing.hpp"
#include "schedulers/relay/lower_set_search.hpp"
#include "schedulers/search/workload.hpp"

namespace takt::schedulers {

struct SequenceAnswer {
  Verdict verdict = Verdict::unknown;
  /// An allocation whose smallest period is at most the requested one, if the verdict is yes.
  std::optional<logp::Allocation> allocation;
  /// Number of examined partial schedules; more with many ready tasks and many points.
  std::size_t states = 0;
};

/// Returns whether this search supports the workload: one instance, at most 64 tasks, no overheads or gaps on
/// any link, and no negative latencies.
[[nodiscard]] bool can_search_sequences(const Workload& workload);

/// Decides whether any schedule has at most this period: tasks on any processors in any order, also with
/// processors that wait for each other's results (cyclic quotients).
///
/// Builds the processors' sequences task by task in a topological order. The start times of a partial
/// schedule obey difference constraints: a task starts after its predecessors (and their data's latency, from
/// another processor) and after the previous task, and a processor ends at most a period after its start. A
/// state is the set of placed tasks and the longest paths, in the constraints, between the times that the
/// rest can still depend on: the starts of the working processors, the ends of their last tasks, and the ends
/// of tasks with unplaced successors. A positive cycle ends a branch, as does work that does not fit into the
/// time left on the processors; a visited state is not searched again. Exponential: for graphs that are
/// small, narrow, or leave little slack. Gives up (unknown) after `most_states`, of five microseconds each or
/// less.
[[nodiscard]] SequenceAnswer find_sequences(const Workload& workload, Time period, std::size_t most_states);

}  // namespace takt::schedulers
