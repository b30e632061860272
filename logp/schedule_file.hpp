#pragma once
/// Schedule files: a schedule with its graph and its machine, so that it can be checked, simulated, drawn and
/// run by itself. docs/reference/cli.md defines their format.

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
  /// Its origin, if the file has it.
  Decisions decisions = {};
  /// For a timetable of several streams, if the file has them: the admitted rate of each.
  std::vector<StreamRequirement> requirements = {};
};

/// Throws ConfigError with every error of the text, each with file:line:column. logp/diagnostics.hpp checks
/// whether the schedule is correct.
[[nodiscard]] ScheduleFile schedule_from_yaml(const std::string& text, const std::string& file);
/// The same for a file.
[[nodiscard]] ScheduleFile read_schedule_file(const std::filesystem::path& file);

/// Returns text that schedule_from_yaml reads back to equal values; equal values yield equal text.
[[nodiscard]] std::string schedule_to_yaml(const TaskGraph& graph, const Machine& machine,
                                           const Schedule& schedule, std::span<const Decision> decisions = {},
                                           std::span<const StreamRequirement> requirements = {});
/// Writes the same text to a stream, part by part.
void schedule_to_yaml(std::ostream& out, const TaskGraph& graph, const Machine& machine,
                      const Schedule& schedule, std::span<const Decision> decisions = {});

}  // namespace takt::logp
