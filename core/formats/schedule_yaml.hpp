#pragma once
/// Schedule files: a schedule together with its graph and its machine, so that the file can be checked and
/// executed on its own. Machines are outside this library: logp/schedule_file.hpp reads and writes whole
/// files.
///
///     scheduler: greedy
///     replicas: 1
///     least_repetition: 9      # optional
///     repetition: 9            # only if the schedule is pipelined (core/offsets.hpp)
///     whole_frames: [a, b]     # optional: tasks that a run must not process in parts
///     travelling: [c]          # optional: tasks whose state travels from processor to processor
///     period_bound: 5          # optional; [85, 3] is 85 ticks for every 3 frames
///     period_bound_among: schedules of one frame at a time    # optional: for a class only
///     optimal: true            # optional, default false
///     optimal_among: relay chains    # optional
///     guarantee: 8.7           # optional: upper bound of makespan / optimum without communication
///     streams:                 # optional: the requirement of each stream in a timetable of several
///       - {name: fft, required_period: 200, margin: 1.1}
///     processors:              # operations in order of time
///       0:
///         - {compute: a, start: 0, end: 4}
///         - {send: 0, start: 4, end: 5}          # message 0
///       1:
///         - {receive: 0, start: 6, end: 7}
///         - {compute: b, start: 7, end: 9, instance: 1}
///     messages:                # numbered from 0
///       - {from: 0, to: 1, size: 3, data: [a, [c, 1]], route: [{link: 2, start: 5, end: 6}]}
///     devices:                 # optional: devices on which tasks work without their processors, in order
///       - name: gpu0
///         units: 2             # default 1: computations at a time
///         tasks:               # transfer: default 0; depth: default 1
///         - {task: b, work: 9, transfer: 2, depth: 4}
///         operations:          # in order of start
///         - {compute: b, start: 11, end: 20}
///     decisions:               # optional: the scheduler's placements in order, with reasons
///       - {task: a, cluster: 1, start: 0, end: 4, reason: heaviest edge}
///       - {task: a, processor: 0, start: 0, end: 4, reason: static level 6}
///     machine: {...}           # as in a machine file
///     graph: {...}             # as in a graph file
///
/// `data` lists a message's data by the tasks that produce them; for a task with several data, by the task
/// and the datum's index among them, from 0.

#include <iosfwd>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "core/decision.hpp"
#include "core/formats/yaml_tree.hpp"
#include "core/graphs/task_graph.hpp"
#include "core/schedule.hpp"
#include "core/stream_requirement.hpp"

namespace takt {

struct ScheduledGraph {
  TaskGraph graph;
  Schedule schedule;
  Decisions decisions;
  std::vector<StreamRequirement> requirements;
};

/// Reads a schedule file except its machine; returns nothing after errors, which it adds to `errors`. Does
/// not check whether the schedule is correct.
[[nodiscard]] std::optional<ScheduledGraph> read_schedule(const YamlNode& root, ErrorList& errors);

/// Equal contents produce equal text. `machine` is a YAML mapping in block style. O(n + m +
/// operations).
[[nodiscard]] std::string schedule_to_yaml(const Schedule& schedule, const TaskGraph& graph,
                                           const std::string& machine,
                                           std::span<const Decision> decisions = {},
                                           std::span<const StreamRequirement> requirements = {});
/// Writes the same text to a stream, part by part: for a million tasks it need not be in memory as a whole.
void schedule_to_yaml(std::ostream& out, const Schedule& schedule, const TaskGraph& graph,
                      const std::string& machine, std::span<const Decision> decisions = {});

}  // namespace takt
