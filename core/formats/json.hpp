#pragma once
/// Conversions between takt's values and nlohmann's JSON.

#include <optional>
#include <string_view>

#include <nlohmann/json.hpp>

#include "core/error.hpp"
#include "core/formats/json_text.hpp"

namespace nlohmann {

/// Absent optional values are null.
template <class Value>
struct adl_serializer<std::optional<Value>> {
  static void to_json(json& json, const std::optional<Value>& value) {
    if (value)
      json = *value;
    else
      json = nullptr;
  }
  static void from_json(const json& json, std::optional<Value>& value) {
    if (json.is_null())
      value.reset();
    else
      value = json.get<Value>();
  }
};

}  // namespace nlohmann

namespace takt {

/// Throws ConfigError if the text is not JSON, or does not represent such a value.
template <class Value>
[[nodiscard]] Value value_from_json(std::string_view text) {
  try {
    return parse_json(text).get<Value>();
  } catch (const nlohmann::json::exception& error) {
    throw ConfigError(error.what());
  }
}

}  // namespace takt
