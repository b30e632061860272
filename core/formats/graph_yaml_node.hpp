#pragma once
/// Reader of a graph within another YAML file.

#include "core/formats/yaml_tree.hpp"
#include "core/graphs/task_graph.hpp"

namespace takt {

/// Reads a mapping as in core/formats/graph_yaml.hpp. Adds errors to `errors` and then returns an empty
/// graph.
[[nodiscard]] TaskGraph read_graph(const YamlNode& node, ErrorList& errors);

}  // namespace takt
