#pragma once
/// Reader of comma-separated values from takt and spreadsheets.

#include <string>
#include <string_view>

#include <nlohmann/json_fwd.hpp>

namespace takt {

/// Returns a list of objects, one per row, with the names in the first line: numbers as numbers, empty cells
/// as null, all else as text. Source: RFC 4180; lines may end without CR. Throws ConfigError with the line
/// for a row with another number of cells, and for a file without rows. O(characters).
[[nodiscard]] nlohmann::ordered_json rows_of_csv(std::string_view text, const std::string& file);

}  // namespace takt
