#pragma once
/// Schedule files: a schedule together with its graph and its machine, so that the file can be judged and
/// repeated on its own. Machines are none of this library's: logp/schedule_file.hpp reads and writes whole
/// files.
///
///     scheduler: greedy
///     replicas: 1
///     least_repetition: 9      # optional
///     whole_frames: [a, b]     # optional: tasks that a run is not to do part by part
///     period_bound: 5          # optional; [85, 3] is 85 ticks for every 3 frames
///     period_bound_among: schedules of one frame at a time    # optional: of a class only
///     optimal: true            # optional, false when left out
///     optimal_among: relay chains    # optional
///     guarantee: 8.7           # optional: makespan over the least one, without communication, at most
///     streams:                 # optional: of a timetable of several streams, what each was asked for
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
///     decisions:               # optional: in which order the scheduler placed the tasks, and why
///       - {task: a, cluster: 1, start: 0, end: 4, reason: heaviest edge}
///       - {task: a, processor: 0, start: 0, end: 4, reason: static level 6}
///     machine: {...}           # as in a machine file
///     graph: {...}             # as in a graph file
///
/// `data` names what a message carries by the task that makes it; where that task makes several data, by the
/// task and the datum's place among them, from 0.

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

/// All of a schedule file but its machine; nothing if anything is wrong, which goes to `errors`. Whether the
/// schedule is correct is not judged here.
[[nodiscard]] std::optional<ScheduledGraph> read_schedule(const YamlNode& root, ErrorList& errors);

/// Stable text: equal contents give equal text. `machine` is a YAML mapping in block style. O(n + m +
/// operations).
[[nodiscard]] std::string schedule_to_yaml(const Schedule& schedule, const TaskGraph& graph,
                                           const std::string& machine,
                                           std::span<const Decision> decisions = {},
                                           std::span<const StreamRequirement> requirements = {});
/// The same text to a stream, part by part: of a million tasks it need not be in memory as a whole.
void schedule_to_yaml(std::ostream& out, const Schedule& schedule, const TaskGraph& graph,
                      const std::string& machine, std::span<const Decision> decisions = {});

}  // namespace takt
