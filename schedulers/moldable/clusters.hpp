#pragma once
/// A machine as schedulers of moldable tasks see it: clusters of processors.

#include <cstdint>
#include <vector>

#include "logp/machine.hpp"

namespace takt::schedulers {

struct ProcessorCluster {
  /// In ascending order.
  std::vector<ProcessorId> processors;
  /// Of its slowest processor: that sets the pace of a group.
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
  /// Processors of the largest one: the most that a task can have.
  [[nodiscard]] std::size_t largest() const;
  /// The pace of the fastest and of the slowest cluster, and the speed of the fastest processor.
  [[nodiscard]] double fastest() const;
  [[nodiscard]] double slowest() const;
  [[nodiscard]] double fastest_processor() const;
  [[nodiscard]] std::vector<std::size_t> sizes() const;
};

}  // namespace takt::schedulers
