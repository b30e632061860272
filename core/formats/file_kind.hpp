#pragma once
/// Which of takt's YAML files a file is, by its keys.

#include <cstdint>
#include <string>

#include "core/formats/yaml_tree.hpp"

namespace takt {

enum class FileKind : std::uint8_t { pipeline, schedule, machine, graph, profile, other };

/// Of a file that need not be YAML. O(size of the file).
[[nodiscard]] FileKind kind_of_file(const std::string& name);

/// Throws ConfigError where the document is of another kind than the one expected; one error in the place of
/// one for each of its keys.
void expect_kind(const YamlNode& root, FileKind expected);

}  // namespace takt
