#pragma once
/// One of several computations that share a machine.

#include <string>

#include "core/task_graph.hpp"
#include "schedulers/plan/required_rate.hpp"

namespace takt::schedulers {

/// What is done to each frame of a stream, and how often.
struct Stream {
  /// Without `#` and `/`.
  std::string name;
  TaskGraph graph;
  RequiredRate rate;
  /// Streams of a higher priority are placed first; of equal ones the earlier.
  int priority = 0;
};

}  // namespace takt::schedulers
