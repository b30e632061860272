#pragma once
/// Parses and prints costs in text form.

#include <string>
#include <string_view>

#include "logp/cost.hpp"

namespace takt::logp {

/// Parses `5`, `1+1` or `-300 + 0.25`: nanoseconds, and nanoseconds per byte. Throws ConfigError.
[[nodiscard]] Cost parse_cost(std::string_view text);

/// Parses an integer of at least `least`. Throws ConfigError with the expected values.
[[nodiscard]] std::size_t parse_count(std::string_view text, std::size_t least);

/// Parses a finite number. Throws ConfigError.
[[nodiscard]] double parse_number(std::string_view text);

/// Returns one segment in the form that parse_cost reads back, to the last digit.
[[nodiscard]] std::string to_string(const Cost::Segment& segment);

}  // namespace takt::logp
