#pragma once
/// SimGrid's model of parallel tasks (host/model:ptask_L07) as an independent simulator of groups.

#include <functional>

#include "core/graphs/task_graph.hpp"
#include "core/schedule.hpp"
#include "logp/machine.hpp"

namespace takt::bench {

/// One machine of clusters in SimGrid: each processor is a host with a link out and one in (the bandwidth of
/// the cluster's gap), each pair of clusters has a link of its own (their backbone, shared by all that moves
/// between them), and latencies as in the machine. There can be one in a program: SimGrid's engine is global.
class PtaskSimulator {
 public:
  explicit PtaskSimulator(const logp::Machine& machine);

  /// Seconds from the first start to the last end of a schedule's groups in its order: a task starts as soon
  /// as its processors have done what comes before it and its data are there; each redistribution starts when
  /// its task ends, is a parallel task of point-to-point flows, and shares links with whatever else moves.
  /// Callable from within run().
  [[nodiscard]] double makespan(const TaskGraph& graph, const Schedule& schedule);

  /// Runs an experiment that simulates schedules one after the other.
  void run(const std::function<void()>& experiment);

 private:
  void build();

  const logp::Machine& machine_;
};

}  // namespace takt::bench
