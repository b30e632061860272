#pragma once
/// The cheapest way to part an undirected graph in two.

#include <cstddef>
#include <vector>

namespace takt::schedulers {

/// Symmetrical, with nothing on the diagonal: what it costs to part two nodes.
using CutWeights = std::vector<std::vector<double>>;

/// The least weight between a set of nodes and the others, of all sets that are neither empty nor whole (M.
/// Stoer, F. Wagner, "A simple min-cut algorithm", Journal of the ACM 44, 1997). 0 for fewer than two nodes.
/// O(n^3).
[[nodiscard]] double global_min_cut(CutWeights weights);

}  // namespace takt::schedulers
