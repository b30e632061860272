#pragma once
/// What the stages of a C program's library (program.h) have in common: their call, and the types of frames.

#include <optional>
#include <span>
#include <string>
#include <vector>

#include "pipeline/c_program/program.h"
#include "pipeline/kernel.hpp"

namespace takt::pipeline {

/// Returns the parameters by which a stage names its call: `call`, `fallback` by default, and `library`.
[[nodiscard]] std::vector<ParameterSpec> call_parameters(const std::string& path,
                                                         std::optional<std::string> fallback,
                                                         std::vector<ParameterSpec> own = {});

/// Returns the call that these parameters name. Throws at the parameter's place.
[[nodiscard]] const takt_call& call_of(const Parameters& parameters);

/// Returns the type of frames of this many bytes.
[[nodiscard]] FrameType frame_of_bytes(std::size_t bytes);

/// Throws InputError unless a call reads inputs of these types.
void check_inputs(const takt_call& call, std::span<const FrameType> inputs);

}  // namespace takt::pipeline
