#pragma once
/// Search for the least latency within a required period.

#include <cstdint>
#include <optional>
#include <span>

#include "core/graphs/task_graph.hpp"
#include "core/schedule.hpp"
#include "logp/machine.hpp"

namespace takt::schedulers {

/// Returns the schedule of one frame with the least makespan found that repeats every `repetition` or
/// faster; nothing if none was found.
///
/// The searched class: a topological sequence of the tasks and a processor for each. Every processor runs
/// its tasks in the order of the sequence. A task's data are sent after it and received before the first
/// task that needs them (logp::time_task_messages), at the best times for these orders
/// (logp::with_repetition). The search moves tasks to other processors and positions by late acceptance
/// (Burke and Bykov, 2017), first towards a short enough repetition, then for the makespan. It starts from
/// the best of `starts` (schedules of one frame for this machine or its first processors) and of
/// windowed_lists, then from random sequences and from the best one after some random moves. It tries
/// `effort` timetables with sequence_timing.hpp; the engine times those that are better than all before.
/// Never worse than those of `starts` within the repetition. Deterministic. The search ignores links: on a
/// machine with a network, its results are put on them (frequency/on_links.hpp), and count if they are still
/// within the repetition.
[[nodiscard]] std::optional<Schedule> find_least_latency(const TaskGraph& graph, const logp::Machine& machine,
                                                         Time repetition, std::span<const Schedule> starts,
                                                         std::uint64_t effort, std::uint64_t seed);

}  // namespace takt::schedulers
