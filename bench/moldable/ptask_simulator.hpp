#pragma once
/// Simulates groups independently, by SimGrid's model of parallel tasks (host/model:ptask_L07).

#include <functional>

#include "core/graphs/task_graph.hpp"
#include "core/schedule.hpp"
#include "logp/machine.hpp"

namespace takt::bench {

/// One machine of clusters in SimGrid. Each processor is a host with one outgoing and one incoming link (the
/// bandwidth of the cluster's gap). Each pair of clusters has its own link, the shared backbone; latencies
/// are the machine's. A program can have only one: SimGrid's engine is global.
class PtaskSimulator {
 public:
  explicit PtaskSimulator(const logp::Machine& machine);

  /// Returns the seconds from the first start to the last end of a schedule's groups in their order. A task
  /// starts once its processors are free and its data have arrived. Each redistribution starts when its task
  /// ends, is a parallel task of point-to-point flows, and shares links with concurrent flows. Call it only
  /// from within run().
  [[nodiscard]] double makespan(const TaskGraph& graph, const Schedule& schedule);

  /// Runs an experiment that simulates schedules one after another.
  void run(const std::function<void()>& experiment);

 private:
  void build();

  const logp::Machine& machine_;
};

}  // namespace takt::bench
