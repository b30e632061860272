#pragma once
/// Comma-separated values, as takt and spreadsheets write them.

#include <string>
#include <string_view>

#include <nlohmann/json_fwd.hpp>

namespace takt {

/// A list of objects, a row each, by the names of the first line: numbers as numbers, empty cells as null,
/// all else as text. Source: RFC 4180; lines may end without CR. Throws ConfigError with the line of a row
/// with another number of cells, and where there is no row. O(letters).
[[nodiscard]] nlohmann::ordered_json rows_of_csv(std::string_view text, const std::string& file);

}  // namespace takt
