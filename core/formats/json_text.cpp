#include "core/formats/json_text.hpp"

#include <cmath>
#include <cstdint>

#include <nlohmann/json.hpp>

#include "core/error.hpp"

namespace takt {

namespace {

constexpr std::size_t longest_line = 100;

template <class Json>
std::string scalar(const Json& json) {
  return json.dump(-1, ' ', false, Json::error_handler_t::replace);
}

/// Returns `"key": ` in objects.
template <class Json>
std::string before(const typename Json::const_iterator& entry, const Json& parent) {
  return parent.is_object() ? scalar(Json(entry.key())) + ": " : std::string();
}

/// Appends the value on one line; returns false after a part of it if the text exceeds `most` characters.
template <class Json>
bool append_line(const Json& json, std::size_t most, std::string& text) {
  if (!json.is_structured()) return (text += scalar(json)).size() <= most;
  text += json.is_object() ? '{' : '[';
  for (auto entry = json.begin(); entry != json.end(); ++entry) {
    if (entry != json.begin()) text += ", ";
    text += before(entry, json);
    if (!append_line(*entry, most, text)) return false;
  }
  text += json.is_object() ? '}' : ']';
  return text.size() <= most;
}

template <class Json>
void append(const Json& json, std::size_t indent, std::string& text) {
  if (!json.is_structured()) {
    text += scalar(json);
    return;
  }
  const std::size_t line = text.rfind('\n') + 1;
  if (indent > 0 || json.empty()) {
    const std::size_t begin = text.size();
    if (append_line(json, line + longest_line, text)) return;
    text.resize(begin);
  }
  text += json.is_object() ? '{' : '[';
  for (auto entry = json.begin(); entry != json.end(); ++entry) {
    text += entry == json.begin() ? "\n" : ",\n";
    text.append(indent + 2, ' ') += before(entry, json);
    append(*entry, indent + 2, text);
  }
  text.append("\n").append(indent, ' ') += json.is_object() ? '}' : ']';
}

}  // namespace

std::string json_text(const nlohmann::ordered_json& json) {
  std::string text;
  append(json, 0, text);
  return text + '\n';
}
std::string json_text(const nlohmann::json& json) {
  std::string text;
  append(json, 0, text);
  return text + '\n';
}

void append_json(const nlohmann::ordered_json& json, std::size_t indent, std::string& text) {
  append(json, indent, text);
}

std::string json_line(const nlohmann::json& json) {
  return json.dump(-1, ' ', false, nlohmann::json::error_handler_t::replace);
}

nlohmann::json parse_json(std::string_view text) {
  try {
    return nlohmann::json::parse(text);
  } catch (const nlohmann::json::exception& error) {
    throw ConfigError(error.what());
  }
}

nlohmann::ordered_json json_number(double value) {
  constexpr double exact = 9007199254740992;
  if (std::abs(value) < exact && value == std::trunc(value)) return static_cast<std::int64_t>(value);
  return value;
}

}  // namespace takt
