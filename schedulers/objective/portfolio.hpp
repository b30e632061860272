#pragma once
/// Schedules of many kinds for a part of a machine, to choose from.

#include <span>
#include <vector>

#include "core/schedule.hpp"
#include "core/task_graph.hpp"
#include "logp/machine.hpp"
#include "schedulers/scheduler.hpp"

namespace takt::schedulers {

/// The `count` fastest processors, of equal ones those with the lowest numbers; with a table of times, the
/// first ones.
[[nodiscard]] std::vector<ProcessorId> best_processors(const TaskGraph& graph, const logp::Machine& machine,
                                                       std::size_t count);

/// A schedule for a machine's subset, as a schedule for the machine.
[[nodiscard]] Schedule on_processors(const Schedule& schedule, std::span<const ProcessorId> processors,
                                     std::size_t processor_count);

/// What schedulers for frequency and for makespan make of these processors, with their own timetables and
/// with those that repeat fastest; for a graph without state on equal processors also copies of a schedule
/// for a group of processors on all groups there is room for. Schedules are for the whole machine.
[[nodiscard]] std::vector<Schedule> portfolio(const TaskGraph& graph, const logp::Machine& machine,
                                              std::span<const ProcessorId> processors,
                                              const Options& options);

}  // namespace takt::schedulers
