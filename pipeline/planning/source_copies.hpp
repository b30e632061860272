#pragma once
/// Whether the frames of sources are copied, which depends on the plan that it changes.

#include "pipeline/planning/planner.hpp"

namespace takt::pipeline {

/// `make_plan` with the copies that its run will make. A source lends one frame at a time; the frame is
/// copied where it goes to another rank or where several of them are at work at once (StageCost::copy). The
/// first plan charges for that; when it needs none, a second one without it is taken, unless that one does.
[[nodiscard]] Plan make_plan_with_copies(const Pipeline& pipeline, const std::vector<StageCost>& costs,
                                         const logp::Machine& machine, std::size_t cores);

}  // namespace takt::pipeline
