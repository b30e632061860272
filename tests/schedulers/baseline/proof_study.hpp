#pragma once
/// Share of small graphs of many kinds with a proof, and the excess of the shortest known schedules.
///
/// Kinds, sizes and ratios as in the optimal-scheduling project of the University of Auckland, with new
/// random graphs.

#include <cstddef>
#include <functional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "core/graphs/task_graph.hpp"
#include "core/random.hpp"

namespace takt::schedulers {

/// By task; edges lead from lower to higher ones.
using Edges = std::vector<std::pair<std::size_t, std::size_t>>;

struct ProofKind {
  std::string_view name;
  Edges (*edges)(std::size_t tasks, Random& draw);
};

/// Returns out-trees and in-trees, both balanced or not, forks, joins, fork-joins, series-parallel graphs,
/// grids, layers, and random ones with 2 and with 4.5 edges per task.
[[nodiscard]] std::span<const ProofKind> proof_kinds();

/// A graph of a kind on some processors, under the delay model.
struct ProofCase {
  TaskGraph graph;
  std::size_t processors = 0;
};

/// Returns works and sizes of 1 to 10, with the sizes scaled to the ratio of all data to all work, on 2, 4 or
/// 8 processors. Each seed has a graph of its own.
[[nodiscard]] ProofCase proof_case(const ProofKind& kind, std::size_t tasks, double ratio,
                                   std::uint64_t seed = 0);

inline constexpr std::size_t proof_tasks[] = {10, 21, 30};
inline constexpr double proof_ratios[] = {0.1, 1, 10};

/// Results of `exact_makespan` with defaults and of all other makespan schedulers on some cases.
struct ProofFigures {
  std::size_t graphs = 0, proven = 0;
  /// Sums over the graphs of the excess over the bound, which is the optimum if it is proven: of
  /// exact_makespan, and of the best of the others.
  double exact_excess = 0, others_excess = 0;

  void add(const ProofFigures& other);
  /// Returns the beginning of a table row: name, graphs, proven, mean excesses.
  [[nodiscard]] std::string line(std::string_view name) const;
};

[[nodiscard]] ProofFigures prove(const ProofCase& what);

}  // namespace takt::schedulers
