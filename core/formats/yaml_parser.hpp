#pragma once
/// Parser from YAML text to the tree of core/formats/yaml_tree.hpp. The only user of yaml-cpp.

#include <cstdint>
#include <string>

#include "core/formats/yaml_tree.hpp"

namespace takt {

/// Limits of a document. Repetitions by aliases count each time, so that a few lines cannot keep readers busy
/// indefinitely.
struct YamlLimits {
  /// Nesting of lists and mappings.
  std::size_t depth = 100;
  std::uint64_t values = 100'000'000;
  /// Texts of at least this many characters with plain lines use the fast reader (yaml_lines.hpp).
  std::size_t long_text = std::size_t{1} << 16;
};

/// Parses the only document of a text. Throws ConfigError for fatal errors: invalid YAML, a second document,
/// an alias within its own anchor, a value beyond the limits. Adds duplicate keys (of which the first one
/// counts) and keys that are no texts to `errors`.
[[nodiscard]] YamlTree parse_yaml(const std::string& text, std::string file, ErrorList& errors,
                                  const YamlLimits& limits = {});

}  // namespace takt
