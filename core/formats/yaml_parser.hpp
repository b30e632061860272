#pragma once
/// From YAML text to the tree of core/formats/yaml_tree.hpp. The only place that knows yaml-cpp.

#include <cstdint>
#include <string>

#include "core/formats/yaml_tree.hpp"

namespace takt {

/// What a document may be at most. What an alias repeats counts each time, so that few lines cannot make
/// readers work without end.
struct YamlLimits {
  /// Lists and mappings in one another.
  std::size_t depth = 100;
  std::uint64_t values = 100'000'000;
  /// From so many letters on, what has plain lines is read in the quick way (yaml_lines.hpp).
  std::size_t long_text = std::size_t{1} << 16;
};

/// The one document of a text. What cannot be read any further is thrown as ConfigError: no YAML, a second
/// document, an alias within what it stands for, a value beyond the limits. Keys that stand twice (of which
/// the first one counts) and keys that are no texts go to `errors`.
[[nodiscard]] YamlTree parse_yaml(const std::string& text, std::string file, ErrorList& errors,
                                  const YamlLimits& limits = {});

}  // namespace takt
