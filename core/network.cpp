#include "core/network.hpp"

#include <charconv>
#include <cmath>
#include <limits>
#include <queue>
#include <string>
#include <tuple>

#include <fmt/format.h>

#include "core/error.hpp"

namespace takt {

namespace {

constexpr std::uint32_t no_link = std::numeric_limits<std::uint32_t>::max();

/// The routing table holds the square of this.
constexpr std::size_t largest_node_count = 4096;

void expect(bool holds, std::string_view what) {
  if (!holds) throw ConfigError(fmt::format("a network of this kind needs {}", what));
}

Network of_size(std::size_t nodes) {
  expect(nodes >= 1 && nodes <= largest_node_count, fmt::format("1 to {} nodes", largest_node_count));
  return {.node_count = nodes};
}

std::size_t product(std::size_t a, std::size_t b) {
  expect(a >= 1 && b >= 1 && a <= largest_node_count && b <= largest_node_count,
         "two numbers from 1 to 4096");
  return a * b;
}

/// Connects successive nodes of a row or column, and its ends if it is closed and they are not neighbours
/// already.
template <class NodeAt>
void connect_line(Network& network, std::size_t length, bool closed, const LinkCost& cost, NodeAt node_at) {
  for (std::size_t i = 0; i + 1 < length; ++i)
    network.connect(node_at(i), node_at(i + 1), cost.latency, cost.per_byte);
  if (closed && length > 2) network.connect(node_at(length - 1), node_at(0), cost.latency, cost.per_byte);
}

Network grid(std::size_t rows, std::size_t columns, bool closed, const LinkCost& cost) {
  Network network = of_size(product(rows, columns));
  for (std::size_t row = 0; row < rows; ++row)
    connect_line(network, columns, closed, cost,
                 [&](std::size_t column) { return NodeId(row * columns + column); });
  for (std::size_t column = 0; column < columns; ++column)
    connect_line(network, rows, closed, cost,
                 [&](std::size_t row) { return NodeId(row * columns + column); });
  return network;
}

std::string levels_text(std::size_t levels) {
  if (levels == 0) return "no level";
  return levels == 1 ? "1 level" : fmt::format("1 to {} levels", levels);
}

/// A network type with one or two parameters.
struct Kind {
  std::string_view name;
  std::string_view example;
  bool has_two;
  Network (*make)(std::size_t, std::size_t, LinkCost);
};

constexpr Kind kinds[] = {
    {"ring", "ring:8", false,
     [](std::size_t a, std::size_t, LinkCost cost) { return ring_network(a, cost); }},
    {"mesh", "mesh:3x4", true, mesh_network},
    {"torus", "torus:4x4", true, torus_network},
    {"hypercube", "hypercube:3", false,
     [](std::size_t a, std::size_t, LinkCost cost) { return hypercube_network(a, cost); }},
    {"star", "star:5", false,
     [](std::size_t a, std::size_t, LinkCost cost) { return star_network(a, cost); }},
    {"fat_tree", "fat_tree:2x3", true, fat_tree_network},
    {"channels", "channels:8", false,
     [](std::size_t a, std::size_t, LinkCost cost) { return channels_network(a, cost); }},
    {"switch", "switch:8", false,
     [](std::size_t a, std::size_t, LinkCost cost) { return switch_network(a, cost); }},
    {"complete", "complete:6", false,
     [](std::size_t a, std::size_t, LinkCost cost) { return complete_network(a, cost); }},
};

bool read_number(std::string_view text, std::size_t& value) {
  const char* end = text.data() + text.size();
  const auto [rest, error] = std::from_chars(text.data(), end, value);
  return error == std::errc{} && rest == end;
}

}  // namespace

Time Link::transfer_time(Bytes size) const {
  // Longer times are rejected elsewhere (schedulers/fit.hpp); above this limit, sums could overflow.
  constexpr double most = 1e18;
  return Time(std::llround(std::min(latency + per_byte * static_cast<double>(size.count), most)));
}

void Network::connect(NodeId a, NodeId b, double latency, double per_byte) {
  links.push_back({a, b, latency, per_byte});
  links.push_back({b, a, latency, per_byte});
}

Network ring_network(std::size_t nodes, LinkCost cost) {
  Network network = of_size(nodes);
  connect_line(network, nodes, true, cost, [](std::size_t i) { return NodeId(i); });
  return network;
}

Network mesh_network(std::size_t rows, std::size_t columns, LinkCost cost) {
  return grid(rows, columns, false, cost);
}

Network torus_network(std::size_t rows, std::size_t columns, LinkCost cost) {
  return grid(rows, columns, true, cost);
}

Network hypercube_network(std::size_t dimensions, LinkCost cost) {
  expect(dimensions <= 12, "0 to 12 dimensions");
  Network network = of_size(std::size_t{1} << dimensions);
  for (std::size_t node = 0; node < network.node_count; ++node)
    for (std::size_t bit = 1; bit < network.node_count; bit <<= 1)
      if ((node & bit) == 0) network.connect(NodeId(node), NodeId(node | bit), cost.latency, cost.per_byte);
  return network;
}

Network star_network(std::size_t nodes, LinkCost cost) {
  Network network = of_size(nodes);
  for (std::size_t node = 1; node < nodes; ++node)
    network.connect(NodeId(0), NodeId(node), cost.latency, cost.per_byte);
  return network;
}

Network channels_network(std::size_t nodes, LinkCost cost) {
  Network network = of_size(nodes);
  const NodeId middle(network.node_count++);
  network.switch_count = 1;
  for (std::size_t node = 0; node < nodes; ++node) {
    network.links.push_back({NodeId(node), middle, 0, 0});
    network.links.push_back({middle, NodeId(node), cost.latency, cost.per_byte});
  }
  return network;
}

Network switch_network(std::size_t nodes, LinkCost cost) {
  Network network = of_size(nodes);
  const NodeId middle(network.node_count++);
  network.switch_count = 1;
  for (std::size_t node = 0; node < nodes; ++node)
    network.connect(NodeId(node), middle, cost.latency, cost.per_byte);
  return network;
}

Network fat_tree_network(std::size_t arity, std::size_t levels, LinkCost cost) {
  expect(arity >= 2 && levels >= 1, "an arity of 2 at least and a level at least");
  std::size_t width = 1, most_levels = 0;
  // Leaves, and at most as many switches above them.
  if (arity < largest_node_count)
    for (std::size_t leaves = arity, nodes = arity + 1; nodes <= largest_node_count; nodes += leaves *= arity)
      ++most_levels;
  expect(
      levels <= most_levels,
      fmt::format("arity x levels with at most {} nodes in total, so {} of arity {}: these are {}^{} leaves",
                  largest_node_count, levels_text(most_levels), arity, arity, levels));
  for (std::size_t level = 0; level < levels; ++level) width *= arity;
  Network network = of_size(width);
  const std::size_t leaves = width;
  // Level by level from the leaves up; each switch gets the next number.
  for (std::size_t first = 0; width > 1; width /= arity) {
    const std::size_t first_switch = network.node_count;
    network.node_count += width / arity;
    for (std::size_t i = 0; i < width; ++i)
      network.connect(NodeId(first + i), NodeId(first_switch + i / arity), cost.latency, cost.per_byte);
    first = first_switch;
    cost.per_byte /= static_cast<double>(arity);
  }
  network.switch_count = network.node_count - leaves;
  return network;
}

Network complete_network(std::size_t nodes, LinkCost cost) {
  Network network = of_size(nodes);
  for (std::size_t a = 0; a < nodes; ++a)
    for (std::size_t b = a + 1; b < nodes; ++b)
      network.connect(NodeId(a), NodeId(b), cost.latency, cost.per_byte);
  return network;
}

Network parse_network(std::string_view text, LinkCost cost) {
  const std::size_t colon = std::min(text.find(':'), text.size());
  const std::string_view name = text.substr(0, colon);
  const std::string_view numbers = text.substr(std::min(colon + 1, text.size()));
  std::vector<std::string_view> known;
  for (const Kind& kind : kinds) {
    known.push_back(kind.name);
    if (kind.name != name) continue;
    std::size_t first = 0, second = 0;
    const std::size_t cross = std::min(numbers.find('x'), numbers.size());
    const bool valid =
        read_number(numbers.substr(0, kind.has_two ? cross : numbers.size()), first) &&
        (!kind.has_two || (cross < numbers.size() && read_number(numbers.substr(cross + 1), second)));
    if (!valid) throw ConfigError(fmt::format("network '{}': expected the form {}", text, kind.example));
    try {
      return kind.make(first, second, cost);
    } catch (const ConfigError& error) {
      throw ConfigError(fmt::format("network '{}': {}", text, error.what()));
    }
  }
  throw ConfigError(unknown_name("network", name, known));
}

Routes::Routes(const Network& network)
    : node_count_(network.node_count), last_link_(network.node_count * network.node_count, no_link) {
  std::vector<std::vector<std::uint32_t>> leaving(node_count_);
  for (std::uint32_t i = 0; i < network.links.size(); ++i) {
    const Link& link = network.links[i];
    if (link.from.index() >= node_count_ || link.to.index() >= node_count_)
      throw ConfigError(fmt::format("link {} goes from node {} to {}: there are only {}", i,
                                    link.from.index(), link.to.index(), node_count_));
    if (!(link.latency >= 0) || !(link.per_byte >= 0))
      throw ConfigError(fmt::format("link {} costs {} + {} a byte: expected numbers that are not negative", i,
                                    link.latency, link.per_byte));
    leaving[link.from.index()].push_back(i);
    link_from_.push_back(link.from);
  }

  // Dijkstra's algorithm from every node; (time, links, last link) decides.
  using PlacementKind = std::tuple<double, std::size_t, std::uint32_t, std::size_t>;
  for (std::size_t source = 0; source < node_count_; ++source) {
    std::priority_queue<PlacementKind, std::vector<PlacementKind>, std::greater<>> ways;
    std::vector<bool> reached(node_count_, false);
    std::size_t count = 0;
    ways.emplace(0.0, 0, no_link, source);
    while (!ways.empty()) {
      const auto [time, length, last, node] = ways.top();
      ways.pop();
      if (reached[node]) continue;
      reached[node] = true;
      ++count;
      last_link_[source * node_count_ + node] = last;
      for (std::uint32_t i : leaving[node]) {
        const Link& link = network.links[i];
        if (!reached[link.to.index()])
          ways.emplace(time + link.latency + link.per_byte, length + 1, i, link.to.index());
      }
    }
    if (count == node_count_) continue;
    for (std::size_t node = 0; node < node_count_; ++node)
      if (!reached[node])
        throw ConfigError(fmt::format("no route through the network from node {} to {}", source, node));
  }
}

std::vector<LinkId> Routes::route(NodeId from, NodeId to) const {
  const std::uint32_t* last_link = &last_link_[from.index() * node_count_];
  std::size_t length = 0;
  for (NodeId at = to; at != from; ++length) at = link_from_[last_link[at.index()]];
  std::vector<LinkId> links(length);
  for (NodeId at = to; at != from; at = link_from_[links[length].index()])
    links[--length] = LinkId(last_link[at.index()]);
  return links;
}

}  // namespace takt
