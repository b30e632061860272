#pragma once
/// Arrangements of tasks on processors: the objects that sequence searches modify and time.

#include <cstdint>
#include <span>
#include <vector>

#include "logp/timing.hpp"
#include "schedulers/search/stage_search.hpp"
#include "schedulers/search/workload.hpp"

namespace takt::schedulers {

/// Tasks that must be on one processor, and move together.
class Bundles {
 public:
  /// No task may be in two.
  Bundles(std::size_t task_count, std::vector<std::vector<std::uint32_t>> bundles);
  /// Returns the tasks that always share the task's processor, itself included.
  [[nodiscard]] std::span<const std::uint32_t> with(std::uint32_t task) const;

 private:
  std::vector<std::vector<std::uint32_t>> bundles_;
};

/// A processor for each task, and a topological order that contains each processor's sequence.
class Arrangement {
 public:
  Arrangement() = default;
  /// `order` must be topological.
  Arrangement(std::vector<std::uint32_t> order, std::vector<std::uint32_t> processor_of);
  /// Uses the sequences of an allocation. Moves keep the bundles, if any, together; borrows them. O(n + m).
  Arrangement(const TaskGraph& graph, const logp::Allocation& allocation, const Bundles* bundles = nullptr);

  [[nodiscard]] const std::vector<std::uint32_t>& order() const { return order_; }
  [[nodiscard]] const std::vector<std::uint32_t>& processors() const { return processor_of_; }
  [[nodiscard]] logp::Allocation allocation(std::size_t processors) const;

  /// Makes a random move: a task changes its processor and perhaps its position in the order, two tasks
  /// change processors, or a task changes its position. Returns false if nothing would change.
  bool try_move(const TaskGraph& graph, std::size_t processors, SearchRandom& random);

 private:
  /// Moves a task to a random position between its predecessors and successors.
  bool shift(const TaskGraph& graph, std::uint32_t task, SearchRandom& random);
  void set_places();
  void put(std::uint32_t task, std::uint32_t processor);

  const Bundles* bundles_ = nullptr;
  std::vector<std::uint32_t> processor_of_, order_;
  /// Per task: its position in the order.
  std::vector<std::uint32_t> place_;
};

/// Returns the processors' sequences of tasks in a schedule of one frame.
[[nodiscard]] logp::Allocation allocation_of(const Schedule& schedule);

}  // namespace takt::schedulers
