#pragma once
/// Parameters of sinks that write files.

#include <string>
#include <vector>

#include "pipeline/stage_kinds.hpp"
#include "sensors/files/output_turns.hpp"

namespace takt::pipeline {

/// Returns the parameters of all sinks that write files, followed by `own`. `sync`: the default interval.
[[nodiscard]] std::vector<ParameterSpec> file_parameters(const std::vector<ParameterSpec>& own,
                                                         const std::string& sync = "0");

/// Returns their values. Throws at `path` if they contradict each other.
[[nodiscard]] sensors::OutputOptions output_options(const Parameters& parameters);

}  // namespace takt::pipeline
