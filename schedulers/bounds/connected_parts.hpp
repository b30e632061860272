#pragma once
/// All connected sets of tasks that cost a processor no more than a limit.

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "schedulers/search/workload.hpp"

namespace takt::schedulers {

/// What a set of tasks costs the processor that has it and nothing next to it: their least times, and the
/// overheads of the data across its border, whatever way they take. Constant overheads of messages are left
/// out. Edges that share a datum share its cost, which counts too little where only some of them are cut.
///
/// Costs are in units of `unit` ticks, each rounded down, so that they are exact sums.
class PartCosts {
 public:
  using Amount = std::int64_t;
  struct Neighbour {
    std::uint32_t task;
    /// What the one pays where the other one is elsewhere.
    Amount mine, theirs;
  };

  /// Costs up to `largest` ticks are told apart; larger ones count as somewhat more than that.
  PartCosts(const Workload& workload, Time largest);

  [[nodiscard]] std::size_t task_count() const { return work_.size(); }
  [[nodiscard]] Amount work(std::size_t task) const { return work_[task]; }
  [[nodiscard]] std::span<const Neighbour> neighbours(std::size_t task) const {
    return {neighbours_.data() + first_[task], first_[task + 1] - first_[task]};
  }
  /// A time, rounded down; and rounded up, for what costs are compared with.
  [[nodiscard]] Amount amount(double ticks) const;
  [[nodiscard]] Amount limit(double ticks) const;

 private:
  double per_tick_;
  std::vector<Amount> work_;
  std::vector<std::size_t> first_;
  std::vector<Neighbour> neighbours_;
};

/// Sets of tasks that hang together, one after the other.
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

/// Every connected set that costs no more than `limit`, each once, in ascending order of their costs; nothing
/// where that takes more than `budget` steps, of which it is the rest afterwards.
///
/// Branch and bound: a set grows from its first task by a task next to it, or does without that one for good.
/// What is left out for good costs its data; each undecided neighbour costs them, too, or its own time and
/// the data towards what is left out.
[[nodiscard]] std::optional<ConnectedParts> connected_parts(const PartCosts& costs, PartCosts::Amount limit,
                                                            std::uint64_t& budget);

}  // namespace takt::schedulers
