#pragma once
/// How much longer than proven optima are makespans?

#include <cstddef>
#include <filesystem>
#include <span>
#include <string>
#include <vector>

#include "core/graphs/task_graph.hpp"
#include "schedulers/scheduler.hpp"

namespace takt::schedulers {

/// A graph of a project that publishes optimal schedules, under the delay model.
struct KnownOptimum {
  TaskGraph graph;
  std::size_t processors = 0;
  Time optimum{0};
};

/// Of all .dot files in a folder that bring a schedule along, in no particular order.
[[nodiscard]] std::vector<KnownOptimum> known_optima(const std::filesystem::path& folder);

/// A scheduler's line in the table: name, family, mean and largest excess, how often it is optimal, and how
/// often shorter than the optimum.
[[nodiscard]] std::string excess_line(const Scheduler& scheduler, std::span<const KnownOptimum> known);

}  // namespace takt::schedulers
