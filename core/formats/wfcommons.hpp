#pragma once
/// Workflow traces in WfFormat 1.5 (JSON), as WfCommons collects them.
///
/// A task's work is its `runtimeInSeconds`, a size is a file's `sizeInBytes`. Parent and child are joined by
/// one edge of the size of all files that the parent writes and the child reads; children that read the same
/// files of a parent share the datum. The graph's times are nanoseconds, its sizes bytes: under the delay
/// model a link moves 1 GB/s.
///
/// Source: Coleman et al., "WfCommons: a framework for enabling scientific workflow research and development"
/// (2022); schema at github.com/wfcommons/WfFormat.

#include <string>
#include <string_view>

#include "core/task_graph.hpp"

namespace takt {

/// Tasks are named by their ids and keep the order of the specification. Throws ConfigError with file:line.
[[nodiscard]] TaskGraph graph_from_wfcommons(std::string_view text, const std::string& file);

/// A file for each datum. Work tables and statelessness are lost.
[[nodiscard]] std::string graph_to_wfcommons(const TaskGraph& graph);

}  // namespace takt
