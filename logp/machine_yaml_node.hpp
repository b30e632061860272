#pragma once
/// The machine as a part of another YAML file.

#include <optional>
#include <string_view>

#include "core/formats/yaml_tree.hpp"
#include "logp/machine.hpp"

namespace takt::logp {

/// Reads a machine from a mapping as in logp/machine_yaml.hpp. Adds its errors to `errors`, and returns no
/// machine then. `profile` as in machine_from_yaml.
[[nodiscard]] std::optional<Machine> read_machine(const YamlNode& node, ErrorList& errors,
                                                  std::string_view profile = {});

}  // namespace takt::logp
