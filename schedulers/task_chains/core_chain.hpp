#pragma once
/// A chain of tasks to be cut into stages on the cores of two classes.
///
/// The problem of Orhan, Pilla, Barthou, Cassagne, Aumage, Tajchman, Jego and Leroux, "Scheduling strategies
/// for partially-replicable task chains on two types of resources" (2025, arXiv 2502.10000): each stage is an
/// interval of the chain on cores of one class. A stage of stateless tasks may have several cores, which
/// process successive frames; a stateful stage has one. The period is the largest load of a stage: its work
/// over its cores. Messages are free.

#include <array>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "core/period.hpp"
#include "core/schedule.hpp"
#include "schedulers/search/workload.hpp"

namespace takt::schedulers {

/// Classes of cores by their index: the faster one is 0.
inline constexpr std::size_t big_core = 0, little_core = 1;
using CoreCounts = std::array<std::size_t, 2>;

/// An interval of the chain, from `begin` to before `end`, on `cores` cores of a class.
struct ChainStage {
  std::size_t begin = 0, end = 0;
  std::size_t cores = 0;
  std::size_t core_class = big_core;
  friend bool operator==(const ChainStage&, const ChainStage&) = default;
};
using ChainStages = std::vector<ChainStage>;

class CoreChain {
 public:
  /// Times of the tasks on a core of each class, and whether each is stateless. Equal lengths, above 0.
  CoreChain(std::array<std::vector<Time>, 2> times, std::vector<bool> stateless);

  [[nodiscard]] std::size_t size() const { return stateless_.size(); }
  /// Returns the work of the tasks from `begin` to before `end` on a core of a class. O(1).
  [[nodiscard]] Time work(std::size_t begin, std::size_t end, std::size_t core_class) const {
    return sums_[core_class][end] - sums_[core_class][begin];
  }
  [[nodiscard]] bool is_stateless(std::size_t begin, std::size_t end) const {
    return next_stateful_[begin] >= end;
  }
  /// Returns the first stateful task from `begin` on; size() if there is none.
  [[nodiscard]] std::size_t next_stateful(std::size_t begin) const { return next_stateful_[begin]; }
  /// Returns how many of `cores` a stage can use: all of them, or one if it is stateful.
  [[nodiscard]] std::size_t usable(std::size_t begin, std::size_t end, std::size_t cores) const {
    return is_stateless(begin, end) ? cores : std::min<std::size_t>(cores, 1);
  }
  /// Returns work over usable cores in ticks; infinite without a core. Equal fractions yield equal numbers.
  [[nodiscard]] double load(std::size_t begin, std::size_t end, std::size_t cores,
                            std::size_t core_class) const;
  [[nodiscard]] Time longest_task(std::size_t core_class) const;
  [[nodiscard]] Time longest_stateful_task(std::size_t core_class) const;

  /// Returns the largest load of the stages.
  [[nodiscard]] Period period(const ChainStages& stages) const;

 private:
  std::array<std::vector<Time>, 2> sums_;
  std::vector<bool> stateless_;
  std::vector<std::size_t> next_stateful_;
};

/// A graph in topological order as such a chain, and the processors of each class. With more than two
/// classes, all except the fastest one count together as little, with the longest time of any of them.
struct ChainOnCores {
  /// O(n P).
  explicit ChainOnCores(const Workload& workload);

  CoreChain chain;
  std::array<std::vector<ProcessorId>, 2> cores;

  [[nodiscard]] CoreCounts counts() const { return {cores[big_core].size(), cores[little_core].size()}; }
};

/// Returns the stages as a schedule: a stage's cores alternate between frames. An iteration holds as many
/// frames as the least common multiple of the stages' cores; while that is above `most_frames`, stages
/// release cores.
[[nodiscard]] Schedule schedule_of(const TaskGraph& graph, const logp::Machine& machine,
                                   const ChainOnCores& problem, ChainStages stages);

}  // namespace takt::schedulers
