#pragma once
/// Plans in which states travel with the frames instead of frames to the ranks with the states.

#include <optional>
#include <vector>

#include "core/schedule.hpp"
#include "logp/machine.hpp"
#include "pipeline/config/pipeline.hpp"
#include "pipeline/costs/stage_cost.hpp"

namespace takt::pipeline {

/// Returns the pipeline with all states that may travel (Stage::travelling) declared stateless: its plans may
/// run such a task on several ranks. Nothing if it has none, or if not all ranks share memory.
[[nodiscard]] std::optional<Pipeline> with_free_states(const Pipeline& pipeline,
                                                       const logp::Machine& machine);

/// Returns the costs with the transfer of each state that may travel, which takes as long as a message of
/// its size: its sender saves it, it moves, and its receiver loads it.
[[nodiscard]] std::vector<StageCost> with_state_transfers(const Pipeline& pipeline,
                                                          std::vector<StageCost> costs,
                                                          const logp::Machine& machine);

/// Returns a schedule of the pipeline with free states as one in which these states travel: with
/// Schedule::travelling, and with times at which they can. Its period is at least the work of each such task,
/// with the transfer. Nothing if no state travels in it, or if the order of its operations prevents that.
/// O(n log n) for n operations, times the passes of with_travelling_states (logp/period.hpp).
[[nodiscard]] std::optional<Schedule> with_travelling(const Pipeline& pipeline, const logp::Machine& machine,
                                                      Schedule schedule);

}  // namespace takt::pipeline
