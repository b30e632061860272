#pragma once
/// Where in a JSON text something stands, for error messages.

#include <string>
#include <string_view>

#include <nlohmann/json.hpp>

#include "core/formats/place.hpp"

namespace takt {

/// The line of the value under a JSON pointer such as `/workflow/tasks/3`; unknown when there is none. Reads
/// the text again up to that value, so it costs nothing as long as there is no error.
[[nodiscard]] Place place_in_json(std::string_view text, const std::string& pointer);

/// The line at which a text stops being JSON; unknown where it is JSON.
[[nodiscard]] Place place_of_json_error(std::string_view text);

/// Throws ConfigError: what is wrong with the text, and in which line of the file.
[[noreturn]] void refuse_json(std::string_view text, const std::string& file,
                              const nlohmann::json::exception& error);

}  // namespace takt
