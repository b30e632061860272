#pragma once
/// Conversion of JSON to and from text, compiled once: nlohmann's templates take seconds per source
/// file.

#include <string>
#include <string_view>

#include <nlohmann/json_fwd.hpp>

namespace takt {

/// Returns readable text with a final line break: values up to 100 characters are on one line, except
/// the outermost list or object. Names of files and tasks may be invalid UTF-8: invalid bytes are
/// replaced.
[[nodiscard]] std::string json_text(const nlohmann::ordered_json& json);
[[nodiscard]] std::string json_text(const nlohmann::json& json);

/// Appends a value in the same layout to a longer text, after the beginning of its line; further lines are
/// indented by two characters more than `indent`.
void append_json(const nlohmann::ordered_json& json, std::size_t indent, std::string& text);

/// Returns text on one line, for other processes.
[[nodiscard]] std::string json_line(const nlohmann::json& json);

/// Throws ConfigError if the text is not JSON.
[[nodiscard]] nlohmann::json parse_json(std::string_view text);

/// Returns whole numbers as integers if no digit is lost: 3, not 3.0.
[[nodiscard]] nlohmann::ordered_json json_number(double value);

}  // namespace takt
