#pragma once
/// Costs as people write them.

#include <string>
#include <string_view>

#include "logp/cost.hpp"

namespace takt::logp {

/// `5`, `1+1` or `-300 + 0.25`: nanoseconds, and nanoseconds for each byte. Throws ConfigError.
[[nodiscard]] Cost parse_cost(std::string_view text);

/// A whole number of at least `least`. Throws ConfigError that says what was expected.
[[nodiscard]] std::size_t parse_count(std::string_view text, std::size_t least);

/// A finite number. Throws ConfigError.
[[nodiscard]] double parse_number(std::string_view text);

/// One segment as parse_cost reads it back, to the last digit.
[[nodiscard]] std::string to_string(const Cost::Segment& segment);

}  // namespace takt::logp
