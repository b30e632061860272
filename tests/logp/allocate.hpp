#pragma once
/// Hand-written allocations.

#include <cstddef>
#include <vector>

#include "logp/timing.hpp"

namespace takt::logp {

/// The numbers of each processor's tasks, in order.
inline Allocation allocate(const std::vector<std::vector<std::size_t>>& tasks) {
  Allocation allocation;
  for (const auto& order : tasks) {
    allocation.order.emplace_back();
    for (std::size_t task : order) allocation.order.back().push_back(TaskId(task));
  }
  return allocation;
}

}  // namespace takt::logp
