#pragma once
/// WfCommons workflow traces in WfFormat 1.0 to 1.5 (JSON).
///
/// A task's work is its runtime in seconds, in nanoseconds; a size is a file's number of bytes. Edges and
/// their sizes: core/formats/workflow.hpp. Under the delay model a link moves 1 GB/s.
///
/// | versions | tasks | runtime | size of a file |
/// |---|---|---|---|
/// | 1.5 | `workflow.specification.tasks`, `workflow.execution.tasks` | `runtimeInSeconds` | `sizeInBytes` |
/// | 1.4 | `workflow.tasks`, each with its `files` | `runtimeInSeconds` | `sizeInBytes` |
/// | 1.0 to 1.3 | `workflow.jobs` or `workflow.tasks`, the same | `runtime` | `size` |
///
/// Before 1.5 dependencies name tasks by id or by name. A task without an id has its name as id; a task
/// without parents depends on the tasks that write its input files. `size` counts bytes, as in WfCommons' own
/// migration to 1.4, although the schemas up to 1.3 specify KB; a note reports it.
///
/// Source: Coleman et al., "WfCommons: a framework for enabling scientific workflow research and development"
/// (2022); schemas and migration at github.com/wfcommons/WfFormat.

#include <string>
#include <string_view>

#include "core/formats/graph_file.hpp"

namespace takt {

/// Reads a trace; tasks are named by their ids, in file order. Throws ConfigError with file:line.
[[nodiscard]] GraphFile read_wfcommons(std::string_view text, const std::string& file);
[[nodiscard]] TaskGraph graph_from_wfcommons(std::string_view text, const std::string& file);

/// Writes WfFormat 1.5, a file for each datum. Work tables and statelessness are lost.
[[nodiscard]] std::string graph_to_wfcommons(const TaskGraph& graph);

}  // namespace takt
