#pragma once
/// The least latency that still repeats in time.

#include <cstdint>
#include <optional>
#include <span>

#include "core/graphs/task_graph.hpp"
#include "core/schedule.hpp"
#include "logp/machine.hpp"

namespace takt::schedulers {

/// A schedule of one frame that repeats every `repetition` or faster, with the least makespan found; nothing
/// when none was found.
///
/// The class searched: a topological sequence of the tasks and a processor for each; every processor runs its
/// tasks in the order of the sequence, a task's data go out behind it, and are received before the first task
/// that needs them (logp::time_task_messages), at the times that are best for these orders
/// (logp::with_repetition). The search moves tasks to other processors and other places in the sequence:
/// from what is best of `starts` (schedules of one frame for this machine or for its first processors) and of
/// windowed_lists, then from random sequences and from the best one with some random moves, by late
/// acceptance (Burke and Bykov, 2017), first for repetitions that are short enough, then for the makespan. It
/// tries `effort` timetables by sequence_timing.hpp; those that are better than all before are timed by the
/// engine. Never worse than those of `starts` that hold the repetition. Deterministic. The search does not
/// look at links: on a machine with a network, what it finds is put on them (frequency/on_links.hpp), and
/// counts where it then still holds the repetition.
[[nodiscard]] std::optional<Schedule> find_least_latency(const TaskGraph& graph, const logp::Machine& machine,
                                                         Time repetition, std::span<const Schedule> starts,
                                                         std::uint64_t effort, std::uint64_t seed);

}  // namespace takt::schedulers
