#pragma once
/// Schedule files: a schedule with its graph and its machine, so that it can be judged, simulated, drawn and
/// run on its own. docs/reference/cli.md has their form.

#include <filesystem>
#include <iosfwd>
#include <span>
#include <string>
#include <vector>

#include "core/decision.hpp"
#include "core/graphs/task_graph.hpp"
#include "core/schedule.hpp"
#include "core/stream_requirement.hpp"
#include "logp/machine.hpp"

namespace takt::logp {

struct ScheduleFile {
  TaskGraph graph;
  Machine machine;
  Schedule schedule;
  /// How it came about, where the file says so.
  Decisions decisions = {};
  /// Of a timetable of several streams, where the file says so: at which rate each was admitted.
  std::vector<StreamRequirement> requirements = {};
};

/// Throws ConfigError that holds every error of the text, each with file:line:column. Whether the schedule is
/// correct is for logp/diagnostics.hpp to say.
[[nodiscard]] ScheduleFile schedule_from_yaml(const std::string& text, const std::string& file);
/// The same of a file.
[[nodiscard]] ScheduleFile read_schedule_file(const std::filesystem::path& file);

/// Text that schedule_from_yaml reads back to equal values; equal values give equal text.
[[nodiscard]] std::string schedule_to_yaml(const TaskGraph& graph, const Machine& machine,
                                           const Schedule& schedule, std::span<const Decision> decisions = {},
                                           std::span<const StreamRequirement> requirements = {});
/// The same text to a stream, part by part.
void schedule_to_yaml(std::ostream& out, const TaskGraph& graph, const Machine& machine,
                      const Schedule& schedule, std::span<const Decision> decisions = {});

}  // namespace takt::logp
