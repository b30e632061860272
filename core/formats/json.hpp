#pragma once
/// What nlohmann's JSON needs to know about takt's values, for sources that turn structures into it and back.

#include <optional>
#include <string_view>

#include <nlohmann/json.hpp>

#include "core/error.hpp"
#include "core/formats/json_text.hpp"

namespace nlohmann {

/// Optional values are null when absent.
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

/// Throws ConfigError where the text is not JSON, or not that of such a value.
template <class Value>
[[nodiscard]] Value value_from_json(std::string_view text) {
  try {
    return parse_json(text).get<Value>();
  } catch (const nlohmann::json::exception& error) {
    throw ConfigError(error.what());
  }
}

}  // namespace takt
