#pragma once
/// What nlohmann's JSON needs to know about takt's values, for sources that read and write it.

#include <optional>
#include <string>

#include <nlohmann/json.hpp>

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

/// On one line. File names need not be UTF-8, which JSON is: what is not is replaced.
[[nodiscard]] inline std::string to_line(const nlohmann::json& json) {
  return json.dump(-1, ' ', false, nlohmann::json::error_handler_t::replace);
}

}  // namespace takt
