#pragma once
/// Re-plans a running pipeline from its observed costs.

#include <optional>
#include <stop_token>
#include <vector>

#include "pipeline/config/pipeline.hpp"
#include "pipeline/planning/pipeline_plan.hpp"
#include "pipeline/planning/run_plan.hpp"

namespace takt::pipeline {

/// Observations over some seconds of a run.
struct Observed {
  /// By stage: the mean time of a call; nothing after too few calls.
  std::vector<std::optional<Time>> costs;
  /// Highest rate of the busiest rank in frames/s.
  double capacity_hz = 0;
  /// By rank: its CPU share while it was ready to run, at most 1. Lower when other processes compete, when
  /// the host is a virtual machine without its full share, or when the rank was stopped. Empty: unknown. Not
  /// used when a host has more ranks than processors.
  std::vector<double> processor_shares = {};
  std::size_t most_ranks_on_a_host = 0;
};

/// Returns a better plan for a running pipeline, or nothing. Its predicted rate exceeds the highest rate of
/// the current plan by at least 10 %, with the observed costs (except for large messages, whose costs are
/// those of the machine) on ranks slowed by their CPU shares below 0.9.
///   * For the least latency or the fewest processors at a required rate, or at the rate of the source: the
///     plan of least latency that sustains the rate with the goal's margin and at least 10 %. Nothing while
///     the current plan also does. If no plan does: the one of least latency among the fastest.
///   * Otherwise: the fastest plan.
/// If no renumbering puts a schedule in place, schedulers plan again with pinned tasks. Sources, sinks, and
/// stateful kernels without Kernel::save keep their ranks, other tasks their places; stateful kernels keep
/// their tiles. Returns nothing if the current plan has groups or routes through a network, and after a stop
/// request, which it checks between two plans. Throws what plan_pipeline throws.
[[nodiscard]] std::optional<PipelinePlan> adapted_plan(const Pipeline& pipeline, const SharedPlan& current,
                                                       const Observed& observed, std::size_t cores,
                                                       const std::stop_token& stop = {});

}  // namespace takt::pipeline
