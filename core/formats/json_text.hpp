#pragma once
/// JSON to and from text, compiled once: nlohmann's reader and writer take seconds in every source that uses
/// them.

#include <string>
#include <string_view>

#include <nlohmann/json_fwd.hpp>

namespace takt {

/// For people and programs, with a line break at the end: what fits on a line of 100 letters stands on one,
/// but for the outermost list or object. Names of files and tasks need not be UTF-8, which JSON is: what is
/// not is replaced.
[[nodiscard]] std::string json_text(const nlohmann::ordered_json& json);
[[nodiscard]] std::string json_text(const nlohmann::json& json);

/// A part of a longer text in the same layout: appends a value that begins behind what its line holds so far,
/// and whose further lines are indented by two letters more than `indent`.
void append_json(const nlohmann::ordered_json& json, std::size_t indent, std::string& text);

/// On one line, for other processes.
[[nodiscard]] std::string json_line(const nlohmann::json& json);

/// Throws ConfigError where the text is not JSON.
[[nodiscard]] nlohmann::json parse_json(std::string_view text);

/// Whole numbers as such, as long as no digit is lost: 3, not 3.0.
[[nodiscard]] nlohmann::ordered_json json_number(double value);

}  // namespace takt
