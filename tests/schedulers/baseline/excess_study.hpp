#pragma once
/// Excess of makespans over proven optima.

#include <cstddef>
#include <filesystem>
#include <span>
#include <string>
#include <vector>

#include "core/graphs/task_graph.hpp"
#include "schedulers/scheduler.hpp"

namespace takt::schedulers {

/// A graph with a published optimal schedule, under the delay model.
struct KnownOptimum {
  TaskGraph graph;
  std::size_t processors = 0;
  Time optimum{0};
};

/// Returns all .dot files of a folder that contain a schedule, in no particular order.
[[nodiscard]] std::vector<KnownOptimum> known_optima(const std::filesystem::path& folder);

/// Returns a scheduler's row: name, family, mean and largest excess, numbers of optimal schedules and of
/// schedules below the optimum.
[[nodiscard]] std::string excess_line(const Scheduler& scheduler, std::span<const KnownOptimum> known);

}  // namespace takt::schedulers
