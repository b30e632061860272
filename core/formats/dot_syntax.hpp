#pragma once
/// The syntax of Graphviz's DOT language: nodes, edges and their attributes, without their meaning.

#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "core/formats/graph_file_builder.hpp"

namespace takt {

struct DotValue {
  std::string text;
  Place place;
};
using DotAttributes = std::map<std::string, DotValue, std::less<>>;

struct DotNode {
  std::string name;
  /// Position of its first occurrence.
  Place place;
  DotAttributes attributes;
};

struct DotEdge {
  /// Indices of nodes.
  std::size_t from = 0;
  std::size_t to = 0;
  Place place;
  DotAttributes attributes;
};

struct DotSyntax {
  /// A `graph`; its edges lead from the node mentioned first to the other one.
  bool is_undirected = false;
  DotAttributes attributes;
  std::vector<DotNode> nodes;
  std::vector<DotEdge> edges;
};

/// Parses the subset in core/formats/dot.hpp. Throws ConfigError with file:line:column.
[[nodiscard]] DotSyntax parse_dot(std::string_view text, const std::string& file);

/// Returns an identifier or attribute value as DOT text. Throws ConfigError if DOT cannot express it: a
/// backslash before a quote, a line break or the end.
[[nodiscard]] std::string dot_identifier(std::string_view text);

}  // namespace takt
