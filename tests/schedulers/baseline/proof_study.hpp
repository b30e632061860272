#pragma once
/// How many small graphs of many kinds are proven, and how far are the shortest schedules known from optimal?
///
/// Kinds, sizes and ratios as the optimal-scheduling project of the University of Auckland has them, drawn
/// anew.

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

/// Trees to the leaves and to the root, both balanced or not, forks, joins, forks that are joined, series and
/// parallel, grids, layers, and random ones with 2 and with 4.5 edges a task.
[[nodiscard]] std::span<const ProofKind> proof_kinds();

/// A graph of a kind on some processors, under the delay model.
struct ProofCase {
  TaskGraph graph;
  std::size_t processors = 0;
};

/// Works and sizes of 1 to 10, the sizes scaled to the ratio of all data to all work, on 2, 4 or 8
/// processors. Each seed has a graph of its own.
[[nodiscard]] ProofCase proof_case(const ProofKind& kind, std::size_t tasks, double ratio,
                                   std::uint64_t seed = 0);

inline constexpr std::size_t proof_tasks[] = {10, 21, 30};
inline constexpr double proof_ratios[] = {0.1, 1, 10};

/// What `exact_makespan` by default and all others that are made for the makespan come to on some cases.
struct ProofFigures {
  std::size_t graphs = 0, proven = 0;
  /// Sums over the graphs of the excess over the bound, which is the optimum where it is proven: of
  /// exact_makespan, and of the best of the others.
  double exact_excess = 0, others_excess = 0;

  void add(const ProofFigures& other);
  /// The beginning of a table's line: name, graphs, proven, mean excesses.
  [[nodiscard]] std::string line(std::string_view name) const;
};

[[nodiscard]] ProofFigures prove(const ProofCase& what);

}  // namespace takt::schedulers
