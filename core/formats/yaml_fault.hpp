#pragma once
/// Explanation of YAML syntax errors.

#include <string>
#include <string_view>

#include "core/formats/place.hpp"

namespace takt {

struct YamlFault {
  Place place;
  std::string message;
};

/// Returns the error and its start: for an open brace, bracket or quote its own position, not the parser's
/// (yaml-cpp). `stop` and `fault` are the parser's position and message. O(size of the text).
[[nodiscard]] YamlFault explain_yaml_fault(std::string_view text, Place stop, const std::string& fault);

}  // namespace takt
