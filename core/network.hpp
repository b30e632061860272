#pragma once
/// Networks with links shared by messages, and the routes through them.

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

#include "core/ids.hpp"
#include "core/units.hpp"

namespace takt {

/// A connection in one direction; it carries one message at a time.
struct Link {
  NodeId from;
  NodeId to;
  /// A message takes latency + per_byte * size to pass, in nanoseconds.
  double latency = 0;
  double per_byte = 1;

  /// Returns the time, rounded to nearest.
  [[nodiscard]] Time transfer_time(Bytes size) const;
  friend bool operator==(const Link&, const Link&) = default;
};

/// Nodes (with processors, or only switches) and the links between them. Without links there is no network:
/// every processor then reaches every other one directly.
struct Network {
  std::size_t node_count = 0;
  std::vector<Link> links;
  /// Number of switches, which have the highest node numbers and no processors.
  std::size_t switch_count = 0;
  /// Whether a message holds all links of its route together (circuit switching), for the time of the slowest
  /// one; otherwise it passes one after the other (store and forward).
  bool has_circuits = false;

  [[nodiscard]] bool empty() const { return links.empty(); }
  [[nodiscard]] const Link& link(LinkId id) const { return links[id.index()]; }
  /// Returns the number of nodes that may have processors: the lower ones.
  [[nodiscard]] std::size_t place_count() const { return node_count - switch_count; }
  /// Calls `visit(links, time)` for each part of a route, in order, with the links that a message of this
  /// size holds together, and for how long.
  template <class Visit>
  void for_each_leg(std::span<const LinkId> route, Bytes size, Visit visit) const {
    if (has_circuits) {
      Time longest{0};
      for (LinkId id : route) longest = std::max(longest, link(id).transfer_time(size));
      if (!route.empty()) visit(route, longest);
      return;
    }
    for (std::size_t i = 0; i < route.size(); ++i)
      visit(route.subspan(i, 1), link(route[i]).transfer_time(size));
  }
  /// Adds a link in each direction.
  void connect(NodeId a, NodeId b, double latency, double per_byte);
  friend bool operator==(const Network&, const Network&) = default;
};

/// The cost of every link of a regular network.
struct LinkCost {
  double latency = 0;
  double per_byte = 1;
};

/// Returns a network in which each node is connected to the next one, the last one to the first.
[[nodiscard]] Network ring_network(std::size_t nodes, LinkCost cost = {});
/// Return rows x columns nodes, row by row, each connected to its neighbours; a torus also across the edges.
[[nodiscard]] Network mesh_network(std::size_t rows, std::size_t columns, LinkCost cost = {});
[[nodiscard]] Network torus_network(std::size_t rows, std::size_t columns, LinkCost cost = {});
/// Returns 2^dimensions nodes; nodes whose numbers differ in one bit are connected.
[[nodiscard]] Network hypercube_network(std::size_t dimensions, LinkCost cost = {});
/// Returns a network in which node 0 is connected to every other one.
[[nodiscard]] Network star_network(std::size_t nodes, LinkCost cost = {});
/// Returns a tree of switches over arity^levels nodes, which have the lowest numbers. A link one level
/// further up is `arity` times as fast, so that all nodes below can send simultaneously.
[[nodiscard]] Network fat_tree_network(std::size_t arity, std::size_t levels, LinkCost cost = {});
/// Returns a network in which every node has one channel for all incoming messages, one after the other;
/// outgoing messages are not limited. A switch, with the number `nodes`, connects all channels. Models the
/// contention of Y. Ruan, G. Liu, J. Han, Q. Li, "Communication-aware scheduling algorithm based on
/// heterogeneous computing systems" (2007), section 3.
[[nodiscard]] Network channels_network(std::size_t nodes, LinkCost cost = {});
/// Returns the same with an outgoing channel, too: a message passes its sender's, then its receiver's
/// channel, and takes `cost` on each; with circuits it holds both for that time (one-port model).
[[nodiscard]] Network switch_network(std::size_t nodes, LinkCost cost = {});
/// Returns a network in which every node is connected to every other one.
[[nodiscard]] Network complete_network(std::size_t nodes, LinkCost cost = {});

/// Parses `ring:8`, `mesh:3x4`, `torus:4x4`, `hypercube:3`, `star:5`, `fat_tree:2x3` (arity x levels),
/// `channels:8`, `switch:8` or `complete:6`. Throws ConfigError with what was expected.
[[nodiscard]] Network parse_network(std::string_view text, LinkCost cost = {});

/// Shortest routes between all pairs of nodes: the least time for one byte; among equals the fewest links,
/// then the lowest number of the last link. Takes O(nodes (links + nodes) log nodes) time and nodes^2 numbers
/// of memory.
class Routes {
 public:
  /// Throws ConfigError if a link leads to no node, has a negative cost, or some node is
  /// unreachable.
  explicit Routes(const Network& network);

  /// Returns the links from one node to another, in order; none from a node to itself. O(length).
  [[nodiscard]] std::vector<LinkId> route(NodeId from, NodeId to) const;
  /// Returns the number of links of the route.
  [[nodiscard]] std::size_t distance(NodeId from, NodeId to) const { return route(from, to).size(); }

 private:
  std::size_t node_count_;
  std::vector<NodeId> link_from_;
  /// By source, then destination: the last link of the route.
  std::vector<std::uint32_t> last_link_;
};

}  // namespace takt
