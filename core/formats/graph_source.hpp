#pragma once
/// The GRAPH argument of the command line: a file in one of the formats, or a generator.

#include <filesystem>
#include <span>
#include <string>
#include <string_view>
#include <utility>

#include "core/formats/graph_file.hpp"

namespace takt {

/// A file format of task graphs.
struct GraphFormat {
  std::string_view name;
  /// With the dot.
  std::string_view extension;
  /// One line for the help.
  std::string_view summary;
  /// Throws ConfigError with file:line:column.
  GraphFile (*read_file)(std::string text, const std::string& file);
  std::string (*write)(const TaskGraph& graph);

  [[nodiscard]] TaskGraph read(std::string text, const std::string& file) const {
    return read_file(std::move(text), file).graph;
  }
};

/// Returns all formats, in the order of the help.
[[nodiscard]] std::span<const GraphFormat> all_graph_formats();

/// Throws ConfigError with the known names, nearest first.
[[nodiscard]] const GraphFormat& find_graph_format(std::string_view name);

/// Returns the graph of a file with the extension of a format, or of a generator's text such as
/// `fft:depth=4`. `-` is standard input, whose format is determined by its beginning. Throws ConfigError with
/// what was expected.
[[nodiscard]] GraphFile load_graph_file(const std::string& text);
[[nodiscard]] TaskGraph load_graph(const std::string& text);

}  // namespace takt
