#pragma once
/// GRAPH of the command line: a file in one of the formats, or a generator.

#include <filesystem>
#include <span>
#include <string>
#include <string_view>

#include "core/task_graph.hpp"

namespace takt {

/// A file format of task graphs.
struct GraphFormat {
  std::string_view name;
  /// With the dot.
  std::string_view extension;
  /// One line for people.
  std::string_view summary;
  /// Throws ConfigError with file:line:column.
  TaskGraph (*read)(std::string text, const std::string& file);
  std::string (*write)(const TaskGraph& graph);
};

/// Every format, in the order in which help shows them.
[[nodiscard]] std::span<const GraphFormat> all_graph_formats();

/// Throws ConfigError that lists the known names, nearest first.
[[nodiscard]] const GraphFormat& find_graph_format(std::string_view name);

/// The graph of `file.yaml`, `.stg`, `.json` or `.dot`, or of a generator's text such as `fft:depth=4`; `-`
/// is a file on standard input, whose format shows in how it begins. Throws ConfigError that says what was
/// expected.
[[nodiscard]] TaskGraph load_graph(const std::string& text);

}  // namespace takt
