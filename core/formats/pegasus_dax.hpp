#pragma once
/// Workflows in Pegasus' DAX format (XML, versions 2.1 to 3.6).
///
/// | element | meaning |
/// |---|---|
/// | `<job id runtime>` | a task; its work is the runtime in seconds, in nanoseconds |
/// | `<uses file link size>` of a job (`name` instead of `file` from version 3) | a file that it reads
/// (`input`), writes (`output`) or both (`inout`); `size` in bytes, default 0 |
/// | `<child ref><parent ref>` | a dependency |
/// | other elements | catalogues, arguments, profiles: not part of a task graph |
///
/// A job that reads a file depends on the job that writes it, even without a `<child>` element. Edges
/// and their sizes: core/formats/workflow.hpp. If no job has a runtime, each task gets work 1, with a note.
/// `<dax>` and `<dag>`, jobs that are workflows in other files, are refused.

#include <string>
#include <string_view>

#include "core/formats/graph_file.hpp"

namespace takt {

/// Reads a workflow; tasks have the ids of the jobs as names, in file order. Throws ConfigError with
/// file:line:column. O(size of the text).
[[nodiscard]] GraphFile read_dax(std::string_view text, const std::string& file);

/// Writes DAX 2.1, a file for each datum. Work tables, statelessness and moldable profiles are lost. Throws
/// ConfigError for a name with a control character, which XML cannot express.
[[nodiscard]] std::string graph_to_dax(const TaskGraph& graph);

}  // namespace takt
