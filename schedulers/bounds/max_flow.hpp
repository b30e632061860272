#pragma once
/// Maximum flows.

#include <cstddef>
#include <cstdint>
#include <limits>
#include <vector>

namespace takt::schedulers {

/// A network with integer capacities. Dinic's algorithm (E. A. Dinic, 1970): O(V^2 E), and far less in
/// networks of few layers.
class MaxFlow {
 public:
  using Amount = std::int64_t;
  /// More than any flow.
  static constexpr Amount endless = std::numeric_limits<Amount>::max() / 4;

  explicit MaxFlow(std::size_t nodes) : arcs_of_(nodes) {}

  void add_arc(std::size_t from, std::size_t to, Amount capacity);
  /// Returns the maximum flow from a node to another one; every call starts from the full capacities.
  [[nodiscard]] Amount between(std::size_t source, std::size_t sink);
  /// Returns whether a minimum cut of the last call has the node on the side of its source.
  [[nodiscard]] bool is_on_source_side(std::size_t node) const;

 private:
  struct Arc {
    std::uint32_t to;
    Amount capacity;
    Amount left;
  };

  /// Computes distances from the source over arcs with capacity left; returns whether the sink is reached.
  [[nodiscard]] bool find_layers(std::size_t source, std::size_t sink);
  /// Pushes up to `amount` from a node to the sink through the layers; returns the amount.
  Amount push(std::size_t node, std::size_t sink, Amount amount);

  /// An arc and its reverse are neighbours.
  std::vector<Arc> arcs_;
  std::vector<std::vector<std::uint32_t>> arcs_of_;
  std::vector<std::uint32_t> layer_, next_;
};

}  // namespace takt::schedulers
