#pragma once
/// Minimum cut of an undirected graph.

#include <cstddef>
#include <vector>

namespace takt::schedulers {

/// Symmetric matrix with a zero diagonal: the cost of separating two nodes.
using CutWeights = std::vector<std::vector<double>>;

/// Returns the least weight between a set of nodes and its complement, over all sets that are neither empty
/// nor whole (M. Stoer, F. Wagner, "A simple min-cut algorithm", Journal of the ACM 44, 1997). 0 for fewer
/// than two nodes. O(n^3).
[[nodiscard]] double global_min_cut(CutWeights weights);

}  // namespace takt::schedulers
