#pragma once
/// What large messages between ranks of a node cost, by what the pipeline's own kernels lose.

#include <vector>

#include "logp/machine.hpp"
#include "pipeline/config/pipeline.hpp"
#include "pipeline/profiling/stage_cost.hpp"

namespace takt::pipeline {

/// The machine on which a message of the size of one of the pipeline's frames, of `least_priced` and more,
/// costs its sender what the kernels that make such frames lose, and its receiver what those lose that read
/// them (StageCost::boundary), in the mean, beside what an empty message costs; nobody waits for its bytes
/// beside that. Sizes between two of them cost in proportion. What is not known of a size stays what the
/// links were measured with, and so does all else.
[[nodiscard]] logp::Machine priced_by_kernels(const logp::Machine& machine, const Pipeline& pipeline,
                                              const std::vector<StageCost>& costs);

}  // namespace takt::pipeline
