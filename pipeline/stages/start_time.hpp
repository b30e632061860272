#pragma once
/// The parameter `start` of sources: when the first sample was taken.

#include <cstdint>
#include <optional>
#include <string>

#include "pipeline/parameters.hpp"

namespace takt::pipeline {

/// Takes a time such as 2013-07-02T01:37:40.5, UTC.
[[nodiscard]] ParameterSpec start_parameter(std::string help);

/// Nanoseconds since 1970; nothing where the parameter is not set. Throws ConfigError at its place.
[[nodiscard]] std::optional<std::int64_t> start_of(const Parameters& parameters);

}  // namespace takt::pipeline
