#pragma once
/// Output of `takt simulate`.

#include <string>

#include "core/schedule.hpp"
#include "logp/simulation.hpp"

namespace takt::logp {

/// Returns `frames` {`ingested delivered lost`}, `period` {`sustained
/// predicted input`, null if undefined}, `latency` {`mean p50 p90 p99 max`},
/// `input_queue` {`mean max`}, `processors` (shares of the time), `channels`
/// (`from to queue_mean queue_max`), `bottleneck`. Times in ticks.
[[nodiscard]] std::string to_json(const SimulationResult& result, const ScheduleMetrics& planned,
                                  const SimulationOptions& options);

/// Returns the same for users.
[[nodiscard]] std::string to_text(const SimulationResult& result, const ScheduleMetrics& planned,
                                  const SimulationOptions& options);

}  // namespace takt::logp
