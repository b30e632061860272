#pragma once
/// What `takt simulate` prints.

#include <string>

#include "core/schedule.hpp"
#include "logp/simulation.hpp"

namespace takt::logp {

/// `frames` {`ingested delivered lost`}, `period` {`sustained predicted input`, null where there is none},
/// `latency`
/// {`mean p50 p90 p99 max`}, `input_queue` {`mean max`}, `processors` (shares of the time), `channels` (`from
/// to queue_mean queue_max`), `bottleneck`. Times in ticks.
[[nodiscard]] std::string to_json(const SimulationResult& result, const ScheduleMetrics& planned,
                                  const SimulationOptions& options);

/// The same for people.
[[nodiscard]] std::string to_text(const SimulationResult& result, const ScheduleMetrics& planned,
                                  const SimulationOptions& options);

}  // namespace takt::logp
