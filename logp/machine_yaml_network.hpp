#pragma once
/// The network of a machine file: a topology, or its links one by one.

#include "core/formats/yaml_tree.hpp"
#include "core/network.hpp"

namespace takt::logp {

/// Adds its errors to `errors`; the network is incomplete then.
[[nodiscard]] Network read_network(const YamlNode& node, ErrorList& errors);

}  // namespace takt::logp
