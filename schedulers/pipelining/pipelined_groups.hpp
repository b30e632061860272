#pragma once
/// Pipelined schedules in which moldable tasks run on groups of processors.
///
/// As in pipelined_search.hpp only loads are searched, but the processors of a group must work at the same
/// time. Tasks are stacked, those of larger groups first, each directly after all earlier ones on its
/// processors; the repetition is the highest stack. It is the largest load if the groups are nested, that is
/// each within or apart from every other one. The frame offsets follow from the data (retiming, as in
/// modulo_timetable.hpp), which move by redistribution (logp/redistribution.hpp).

#include <cstdint>
#include <optional>

#include "core/graphs/task_graph.hpp"
#include "core/period.hpp"
#include "core/schedule.hpp"
#include "logp/machine.hpp"

namespace takt::schedulers {

/// Returns the schedule with the shortest period below that of `start` that was found and that has groups;
/// nothing if there is none. Stops at `bound`, and subtracts tried moves from `budget`, those of large graphs
/// several times. The same seed yields the same schedule.
///
/// A group is a range of a cluster's processors. Groups change size and place, and tasks exchange theirs, by
/// late acceptance (search/stage_search.hpp). With stateless tasks 2 to 8 frames in an iteration are tried,
/// too: these tasks are then distributed frame by frame, each on one processor, where their work is least. A
/// move takes O(n log n + n P) for n tasks.
[[nodiscard]] std::optional<Schedule> search_pipelined_groups(const TaskGraph& graph,
                                                              const logp::Machine& machine,
                                                              const Schedule& start, const Period& bound,
                                                              std::uint64_t& budget, std::uint64_t seed);

}  // namespace takt::schedulers
