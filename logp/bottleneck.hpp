#pragma once
/// The bottleneck of a simulated stream.

#include <string>

#include "logp/simulation_options.hpp"
#include "logp/simulation_result.hpp"

namespace takt::logp {

/// Returns the busiest processor, link or device with its load. If that is below 98 %, messages limit the
/// rate; if the schedule keeps up with the frames, the input does. `result` is complete but for its
/// bottleneck.
[[nodiscard]] std::string bottleneck_of(const SimulationResult& result, const SimulationOptions& options);

}  // namespace takt::logp
