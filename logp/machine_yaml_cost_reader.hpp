#pragma once
/// Reads the costs of a machine file.

#include <string_view>

#include "core/formats/yaml_tree.hpp"
#include "logp/machine.hpp"
#include "logp/machine_yaml_costs.hpp"

namespace takt::logp {

/// Reads `costs`, or one of the `profiles`: `profile`, or the file's default if that is empty. Adds its
/// errors to `errors`.
[[nodiscard]] FileCosts read_costs(const YamlNode& root, const Platform& platform, std::string_view profile,
                                   ErrorList& errors);

}  // namespace takt::logp
