#pragma once
/// Graphs of a million tasks straight from their lines:
///
///     tasks:
///       - {name: a, work: 3}
///     edges:
///       - {from: a, to: b, size: 10}
///
/// A tree of nodes for such a file, even a part at a time, takes five times as long as this.

#include <optional>
#include <string_view>

#include "core/graphs/task_graph.hpp"
#include "core/system/text_file.hpp"

namespace takt {

/// The graph of a text whose lines all have this form: first tasks with `name`, `work` and perhaps
/// `stateless`, then perhaps edges with `from`, `to` and perhaps `size`; numbers without units, names that
/// are plain words (yaml_lines.hpp). Nothing where any line is otherwise or the graph is wrong: the reader of
/// all forms says what, and where. O(size) expected.
[[nodiscard]] std::optional<TaskGraph> graph_from_lines(std::string_view text);
/// The same of a text of which only a part is in memory at a time.
[[nodiscard]] std::optional<TaskGraph> graph_from_lines(TextParts& parts);

}  // namespace takt
