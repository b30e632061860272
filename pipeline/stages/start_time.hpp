#pragma once
/// The parameter `start` of sources: the time of the first sample.

#include <cstdint>
#include <optional>
#include <string>

#include "pipeline/parameters.hpp"

namespace takt::pipeline {

/// Accepts a time such as 2013-07-02T01:37:40.5, UTC.
[[nodiscard]] ParameterSpec start_parameter(std::string help);

/// Returns nanoseconds since 1970; nothing if the parameter is not set. Throws ConfigError at its place.
[[nodiscard]] std::optional<std::int64_t> start_of(const Parameters& parameters);

}  // namespace takt::pipeline
