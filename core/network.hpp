#pragma once
/// Networks with links that messages have to share, and the ways through them.

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

  /// Rounded to nearest.
  [[nodiscard]] Time transfer_time(Bytes size) const;
  friend bool operator==(const Link&, const Link&) = default;
};

/// Nodes (with processors, or mere switches) and the links between them. Without links there is no network:
/// every processor then reaches every other one directly.
struct Network {
  std::size_t node_count = 0;
  std::vector<Link> links;
  /// So many nodes, those with the highest numbers, are switches: no processor can be there.
  std::size_t switch_count = 0;

  [[nodiscard]] bool empty() const { return links.empty(); }
  [[nodiscard]] const Link& link(LinkId id) const { return links[id.index()]; }
  /// Nodes where processors can be: the lower ones.
  [[nodiscard]] std::size_t place_count() const { return node_count - switch_count; }
  /// Adds a link in each direction.
  void connect(NodeId a, NodeId b, double latency, double per_byte);
  friend bool operator==(const Network&, const Network&) = default;
};

/// What every link of a regular network costs.
struct LinkCost {
  double latency = 0;
  double per_byte = 1;
};

/// Each node is connected with the next one, the last one with the first.
[[nodiscard]] Network ring_network(std::size_t nodes, LinkCost cost = {});
/// rows x columns nodes, row by row, each connected with its neighbours; a torus also across the edges.
[[nodiscard]] Network mesh_network(std::size_t rows, std::size_t columns, LinkCost cost = {});
[[nodiscard]] Network torus_network(std::size_t rows, std::size_t columns, LinkCost cost = {});
/// 2^dimensions nodes; connected are those whose numbers differ in one bit.
[[nodiscard]] Network hypercube_network(std::size_t dimensions, LinkCost cost = {});
/// Node 0 is connected with every other one.
[[nodiscard]] Network star_network(std::size_t nodes, LinkCost cost = {});
/// A tree of switches over arity^levels nodes, which have the lowest numbers. A link one level further up is
/// `arity` times as fast, so that all nodes below can send at once.
[[nodiscard]] Network fat_tree_network(std::size_t arity, std::size_t levels, LinkCost cost = {});
/// Every node has one channel through which all messages to it come, one after the other; messages leave
/// freely. A switch, with the number `nodes`, is behind all. So processors meet in the contention model of Y.
/// Ruan, G. Liu, J. Han, Q. Li, "Communication-aware scheduling algorithm based on heterogeneous computing
/// systems" (2007), section 3.
[[nodiscard]] Network channels_network(std::size_t nodes, LinkCost cost = {});
/// The same with a channel for what leaves, too: a message passes its sender's, then its receiver's, and
/// takes `cost` on each.
[[nodiscard]] Network switch_network(std::size_t nodes, LinkCost cost = {});
/// Every node is connected with every other one.
[[nodiscard]] Network complete_network(std::size_t nodes, LinkCost cost = {});

/// `ring:8`, `mesh:3x4`, `torus:4x4`, `hypercube:3`, `star:5`, `fat_tree:2x3` (arity x levels), `channels:8`,
/// `switch:8` or `complete:6`. Throws ConfigError that says what was expected.
[[nodiscard]] Network parse_network(std::string_view text, LinkCost cost = {});

/// Shortest ways between all pairs of nodes: the least time for one byte, of equals the fewest links, of
/// equals the one whose last link has the lowest number. Takes O(nodes (links + nodes) log nodes) to find and
/// nodes^2 numbers to keep.
class Routes {
 public:
  /// Throws ConfigError when a link leads to no node, costs less than nothing, or some node cannot be
  /// reached.
  explicit Routes(const Network& network);

  /// The links from one node to another one, in order; none from a node to itself. O(length).
  [[nodiscard]] std::vector<LinkId> route(NodeId from, NodeId to) const;
  /// How many links.
  [[nodiscard]] std::size_t distance(NodeId from, NodeId to) const { return route(from, to).size(); }

 private:
  std::size_t node_count_;
  std::vector<NodeId> link_from_;
  /// By source, then destination: the last link of the way.
  std::vector<std::uint32_t> last_link_;
};

}  // namespace takt
