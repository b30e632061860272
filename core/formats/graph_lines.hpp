#pragma once
/// A fast reader of graphs of a million tasks, directly from their lines:
///
///     tasks:
///       - {name: a, work: 3}
///     edges:
///       - {from: a, to: b, size: 10}
///
/// A tree of nodes for such a file, even a part at a time, takes five times as long.

#include <optional>
#include <string_view>

#include "core/graphs/task_graph.hpp"
#include "core/system/text_file.hpp"

namespace takt {

/// Returns the graph of a text whose lines all have this form: first tasks with `name`, `work` and optionally
/// `stateless`, then optionally edges with `from`, `to` and optionally `size`; numbers without units, names
/// that are plain words (yaml_lines.hpp). Empty if any line differs or the graph is invalid, which the
/// general reader reports with the position. O(size) expected.
[[nodiscard]] std::optional<TaskGraph> graph_from_lines(std::string_view text);
/// Reads a text likewise, with only a part of it in memory at a time.
[[nodiscard]] std::optional<TaskGraph> graph_from_lines(TextParts& parts);

}  // namespace takt
