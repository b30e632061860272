#pragma once
/// The graph as a part of another YAML file.

#include "core/formats/yaml_tree.hpp"
#include "core/graphs/task_graph.hpp"

namespace takt {

/// The node is a mapping as in core/formats/graph_yaml.hpp. What is wrong with it goes to `errors`, and the
/// graph is empty then.
[[nodiscard]] TaskGraph read_graph(const YamlNode& node, ErrorList& errors);

}  // namespace takt
