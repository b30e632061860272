#pragma once
/// Copies of a graph without state: frames on different processors that have nothing to do with each other.

#include <cstdint>
#include <vector>

#include "core/graphs/task_graph.hpp"
#include "core/schedule.hpp"
#include "logp/machine.hpp"

namespace takt::schedulers {

/// How many of a repetition's frames each processor takes, by processor.
using Shares = std::vector<std::uint32_t>;

/// The shares with the smallest period for whole frames on single processors, of at most `most_frames`
/// frames: one frame each where processors are alike, more for faster ones where they are not; the fewest
/// frames that do. O(most_frames * P + n P).
[[nodiscard]] Shares best_shares(const TaskGraph& graph, const logp::Machine& machine,
                                 std::uint32_t most_frames);

/// Whole frames on single processors, without a message. Frames are dealt out so that those of one processor
/// lie as far apart as possible. Every task must be stateless. O(frames * n).
[[nodiscard]] Schedule copies_of_whole(const TaskGraph& graph, const logp::Machine& machine,
                                       const Shares& shares);

/// A schedule of one frame for `group_size` processors, carried out by `groups` such groups of a machine
/// with `processors` processors: frame k by group k mod `groups`, processors k * group_size and on. The
/// groups must be alike, and every task stateless. O(operations * groups).
[[nodiscard]] Schedule copies_on_groups(const Schedule& schedule, std::size_t group_size,
                                        std::uint32_t groups, std::size_t processors);

}  // namespace takt::schedulers
