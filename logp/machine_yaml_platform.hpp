#pragma once
/// The processors of a machine file: their types, speeds, nodes and clusters, and the network between nodes.

#include "core/formats/yaml_tree.hpp"
#include "logp/machine.hpp"

namespace takt::logp {

/// Adds its errors to `errors`; the platform is incomplete then.
[[nodiscard]] Platform read_platform(const YamlNode& root, ErrorList& errors);

}  // namespace takt::logp
