#pragma once
/// Another plan for a run that goes on, from what it has shown of its stages.

#include <optional>
#include <stop_token>
#include <vector>

#include "pipeline/config/pipeline.hpp"
#include "pipeline/planning/pipeline_plan.hpp"
#include "pipeline/planning/run_plan.hpp"

namespace takt::pipeline {

/// What some seconds of a run have shown.
struct Observed {
  /// By stage: the mean time of a call; nothing where it worked at too few.
  std::vector<std::optional<Time>> costs;
  /// Frames a second that the busiest rank could have sustained.
  double capacity_hz = 0;
  /// By rank: the part of the time in which it was busy that the system gave it a processor, at most 1. Less
  /// where others work there, where the host is a guest that is not let go, or where somebody stops it.
  /// Empty: not known. They say nothing where a host has more ranks than processors.
  std::vector<double> processor_shares = {};
  std::size_t most_ranks_on_a_host = 0;
};

/// The schedule with its processors renumbered such that tasks are where they are to be (by task; nothing: it
/// may be anywhere); nothing where no renumbering does that. For machines whose processors are alike.
[[nodiscard]] std::optional<Schedule> renumbered(const Schedule& schedule,
                                                 const std::vector<std::optional<ProcessorId>>& places);

/// Where a rate is required with the least latency or the fewest processors, or all that comes is required:
/// of the plans that sustain it, with the goal's margin and a tenth at least, that with the least latency,
/// and nothing while the current one sustains as much; where none does, of those as fast as any that with the
/// least latency. Otherwise the fastest plan. It promises at least 1.1 times what the current one could have
/// sustained, with the costs that were observed (but for what large messages cost, which the machine knows),
/// on ranks that are as slow as their processors' shares say where one has less than 0.9; nothing where none
/// is known. A schedule that no renumbering puts in place is no reason to give nothing: others are then made
/// that know what stays. Sources, sinks, and kernels that keep something which they cannot hand over
/// (Kernel::save) stay on their ranks, and no kernel that keeps something is divided into other tiles.
/// Nothing where the current plan has groups, or data take routes through a network. Throws what
/// plan_pipeline throws. Between two plans it looks whether it is to stop, and gives nothing then.
[[nodiscard]] std::optional<PipelinePlan> adapted_plan(const Pipeline& pipeline, const SharedPlan& current,
                                                       const Observed& observed, std::size_t cores,
                                                       const std::stop_token& stop = {});

}  // namespace takt::pipeline
