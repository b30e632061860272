#pragma once
/// The machine model of schedulers for moldable tasks: clusters of processors.

#include <cstdint>
#include <vector>

#include "logp/machine.hpp"

namespace takt::schedulers {

struct ProcessorCluster {
  /// In ascending order.
  std::vector<ProcessorId> processors;
  /// Speed of its slowest processor, which determines that of a group.
  double speed = 1;
  double fastest = 1;

  [[nodiscard]] std::size_t size() const { return processors.size(); }
};

/// The clusters that have processors, in order of their numbers.
struct Clusters {
  std::vector<ProcessorCluster> list;

  explicit Clusters(const logp::Machine& machine);

  [[nodiscard]] std::size_t count() const { return list.size(); }
  [[nodiscard]] std::size_t processor_count() const;
  /// Returns the size of the largest cluster: the most processors of a task.
  [[nodiscard]] std::size_t largest() const;
  /// Return the speed of the fastest and of the slowest cluster, and that of the fastest processor.
  [[nodiscard]] double fastest() const;
  [[nodiscard]] double slowest() const;
  [[nodiscard]] double fastest_processor() const;
  [[nodiscard]] std::vector<std::size_t> sizes() const;
};

}  // namespace takt::schedulers
