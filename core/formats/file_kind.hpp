#pragma once
/// Identification of takt's YAML files by their keys.

#include <cstdint>
#include <string>

#include "core/formats/yaml_tree.hpp"

namespace takt {

enum class FileKind : std::uint8_t { pipeline, schedule, machine, graph, profile, other };

/// Accepts files that are not YAML. O(size of the file).
[[nodiscard]] FileKind kind_of_file(const std::string& name);

/// Throws ConfigError if the document is of another kind than expected: one error instead of one for each of
/// its keys.
void expect_kind(const YamlNode& root, FileKind expected);

}  // namespace takt
