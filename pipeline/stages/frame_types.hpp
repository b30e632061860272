#pragma once
/// Frames that a user describes: element, axes, rate, unit.

#include <string>
#include <vector>

#include "pipeline/parameters.hpp"
#include "sensors/frames/frame.hpp"

namespace takt::pipeline {

/// The parameters `axes`, `element`, `rate` and `unit`, and behind them those of one's own.
[[nodiscard]] std::vector<ParameterSpec> with_frame_type(const std::vector<ParameterSpec>& own);

/// The parameter `axes`. Throws ConfigError at its place.
[[nodiscard]] std::vector<sensors::Axis> axes_of(const Parameters& parameters);

/// What they say. Throws ConfigError at the parameter's place.
[[nodiscard]] sensors::FrameType frame_type_of(const Parameters& parameters);

}  // namespace takt::pipeline
