#pragma once
/// Explains why a text is not YAML.

#include <string>
#include <string_view>

#include "core/formats/place.hpp"

namespace takt {

struct YamlFault {
  Place place;
  std::string message;
};

/// What is wrong, and where it begins: an open brace, bracket or quote stands where it was opened, not where
/// the parser (yaml-cpp) gave up. `stop` and `fault` are the parser's place and message. O(size of the text).
[[nodiscard]] YamlFault explain_yaml_fault(std::string_view text, Place stop, const std::string& fault);

}  // namespace takt
