#pragma once
/// Parameters that describe frames: element, axes, rate, unit.

#include <string>
#include <vector>

#include "pipeline/parameters.hpp"
#include "sensors/frames/frame.hpp"

namespace takt::pipeline {

/// Returns the parameters `axes`, `element`, `rate` and `unit`, followed by `own`.
[[nodiscard]] std::vector<ParameterSpec> with_frame_type(const std::vector<ParameterSpec>& own);

/// Reads the parameter `axes`. Throws ConfigError at its place.
[[nodiscard]] std::vector<sensors::Axis> axes_of(const Parameters& parameters);

/// Reads the frame type from the parameters. Throws ConfigError at the parameter's place.
[[nodiscard]] sensors::FrameType frame_type_of(const Parameters& parameters);

}  // namespace takt::pipeline
