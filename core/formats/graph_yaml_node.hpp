#pragma once
/// The graph as a part of another YAML file.

#include "core/formats/yaml.hpp"

namespace takt {

/// The node is a mapping as in core/formats/graph_yaml.hpp. Throws ConfigError.
[[nodiscard]] TaskGraph read_graph(const YamlFile& file, const YamlNode& node);

}  // namespace takt
