#pragma once
/// Positions of values and errors in a JSON text, for error messages.

#include <string>
#include <string_view>

#include <nlohmann/json.hpp>

#include "core/formats/place.hpp"

namespace takt {

/// Returns the line of the value under a JSON pointer such as `/workflow/tasks/3`; unknown if there is none.
/// Parses the text again up to that value, so that it costs time only after an error.
[[nodiscard]] Place place_in_json(std::string_view text, const std::string& pointer);

/// Returns the line of the first syntax error; unknown for valid JSON.
[[nodiscard]] Place place_of_json_error(std::string_view text);

/// Throws ConfigError with the error of the text and its line in the file.
[[noreturn]] void refuse_json(std::string_view text, const std::string& file,
                              const nlohmann::json::exception& error);

}  // namespace takt
