#include "schedulers/bounds/global_min_cut.hpp"

#include <algorithm>
#include <limits>
#include <numeric>

namespace takt::schedulers {

namespace {

/// A minimum cut between the last two nodes of a maximum adjacency order.
struct LastCut {
  std::size_t before_last, last;
  double weight;
};

LastCut last_cut(const CutWeights& weights, const std::vector<std::size_t>& nodes) {
  std::vector<double> adjacency(weights.size(), 0.0);
  std::vector<std::size_t> left = nodes;
  std::size_t before_last = 0, last = 0;
  while (!left.empty()) {
    const auto next = std::ranges::max_element(left, {}, [&](std::size_t node) { return adjacency[node]; });
    before_last = last;
    last = *next;
    left.erase(next);
    for (const std::size_t node : left) adjacency[node] += weights[last][node];
  }
  return {before_last, last, adjacency[last]};
}

}  // namespace

double global_min_cut(CutWeights weights) {
  if (weights.size() < 2) return 0;
  std::vector<std::size_t> nodes(weights.size());
  std::iota(nodes.begin(), nodes.end(), std::size_t{0});
  double least = std::numeric_limits<double>::infinity();
  while (nodes.size() > 1) {
    const LastCut cut = last_cut(weights, nodes);
    least = std::min(least, cut.weight);
    std::erase(nodes, cut.last);
    for (const std::size_t node : nodes) {
      if (node == cut.before_last) continue;
      weights[cut.before_last][node] += weights[cut.last][node];
      weights[node][cut.before_last] = weights[cut.before_last][node];
    }
  }
  return least;
}

}  // namespace takt::schedulers
