#pragma once
/// All connected sets of tasks whose cost for a processor is within a limit.

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "schedulers/search/workload.hpp"

namespace takt::schedulers {

/// The cost of a set of tasks for a processor that has no other tasks: their least times, and the overheads
/// of the data across its border on any route. Constant overheads of messages are left out. Edges with a
/// shared datum divide its cost, which underestimates a cut through only some of them.
///
/// Costs are in units of `unit` ticks, each rounded down, so that sums are exact.
class PartCosts {
 public:
  using Amount = std::int64_t;
  struct Neighbour {
    std::uint32_t task;
    /// Cost for this task if the neighbour is elsewhere, and for the neighbour.
    Amount mine, theirs;
  };

  /// Costs up to `largest` ticks are exact; larger ones count as slightly more than that.
  PartCosts(const Workload& workload, Time largest);

  [[nodiscard]] std::size_t task_count() const { return work_.size(); }
  [[nodiscard]] Amount work(std::size_t task) const { return work_[task]; }
  [[nodiscard]] std::span<const Neighbour> neighbours(std::size_t task) const {
    return {neighbours_.data() + first_[task], first_[task + 1] - first_[task]};
  }
  /// Returns a time in units, rounded down; limit(): rounded up, for limits of costs.
  [[nodiscard]] Amount amount(double ticks) const;
  [[nodiscard]] Amount limit(double ticks) const;

 private:
  double per_tick_;
  std::vector<Amount> work_;
  std::vector<std::size_t> first_;
  std::vector<Neighbour> neighbours_;
};

/// A list of connected sets of tasks.
struct ConnectedParts {
  /// Of part i: tasks[first[i]] to tasks[first[i + 1] - 1].
  std::vector<std::uint32_t> tasks;
  std::vector<std::size_t> first{0};
  std::vector<PartCosts::Amount> cost;

  [[nodiscard]] std::size_t count() const { return cost.size(); }
  [[nodiscard]] std::span<const std::uint32_t> part(std::size_t i) const {
    return {tasks.data() + first[i], first[i + 1] - first[i]};
  }
};

/// Returns every connected set with a cost up to `limit`, each once, in ascending order of cost; nothing if
/// that takes more than `budget` steps. Subtracts the steps from `budget`.
///
/// Branch and bound: a set grows from its first task; each neighbour is included or excluded for good. An
/// excluded task costs its data; an undecided neighbour costs at least its data, or its own time and the data
/// towards excluded tasks.
[[nodiscard]] std::optional<ConnectedParts> connected_parts(const PartCosts& costs, PartCosts::Amount limit,
                                                            std::uint64_t& budget);

}  // namespace takt::schedulers
