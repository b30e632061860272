#pragma once
/// Copies of a graph without state: independent frames on different processors.

#include <cstdint>
#include <vector>

#include "core/graphs/task_graph.hpp"
#include "core/schedule.hpp"
#include "logp/machine.hpp"

namespace takt::schedulers {

/// Number of an iteration's frames per processor.
using Shares = std::vector<std::uint32_t>;

/// Returns the shares with the smallest period for whole frames on single processors, of at most
/// `most_frames` frames: one frame each on equal processors, otherwise more on faster ones; the fewest
/// sufficient frames. O(most_frames * P + n P).
[[nodiscard]] Shares best_shares(const TaskGraph& graph, const logp::Machine& machine,
                                 std::uint32_t most_frames);

/// Returns whole frames on single processors, without messages. The frames of one processor are as far apart
/// as possible. Every task must be stateless. O(frames * n).
[[nodiscard]] Schedule copies_of_whole(const TaskGraph& graph, const logp::Machine& machine,
                                       const Shares& shares);

/// Copies a schedule of one frame for `group_size` processors to `groups` such groups of a machine with
/// `processors` processors: frame k on group k mod `groups`, processors k * group_size and on. The groups
/// must be equal, and every task stateless. O(operations * groups).
[[nodiscard]] Schedule copies_on_groups(const Schedule& schedule, std::size_t group_size,
                                        std::uint32_t groups, std::size_t processors);

}  // namespace takt::schedulers
