#include "schedulers/bounds/link_bound.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>
#include <optional>

#include "schedulers/bounds/global_min_cut.hpp"
#include "schedulers/bounds/max_flow.hpp"
#include "schedulers/bounds/period_bounds.hpp"
#include "schedulers/search/processor_selections.hpp"

namespace takt::schedulers {

namespace {

constexpr std::size_t most_tasks_of_links = 400, most_nodes_of_links = 256;
constexpr double endless = std::numeric_limits<double>::infinity();
/// Relative error bound of floating-point sums.
constexpr double link_tolerance = 1e-9;

double bytes_per_tick(const Link& link) {
  return link.per_byte > 0 ? 1 / link.per_byte : endless;
}

/// Least share of a link that a datum uses, in bytes of that link, over all links. Times are rounded, and
/// several data may share a message and its latency.
double least_bytes(const Network& network, Bytes size) {
  constexpr double rounding = 0.5;
  double least = endless;
  for (const Link& link : network.links)
    if (link.per_byte > 0)
      least = std::min(least, static_cast<double>(size.count) - rounding / link.per_byte);
  return least == endless ? 0 : std::max(0.0, least);
}

/// Edges to several readers of a datum divide its weight: a cut between the producer and some of them costs
/// no more than the datum.
CutWeights weights_of(const TaskGraph& graph, const Network& network) {
  std::vector<double> bytes(graph.datum_count()), readers(graph.datum_count());
  for (const DatumId datum : ids<DatumId>(graph.datum_count()))
    bytes[datum.index()] = least_bytes(network, graph.datum_size(datum));
  for (const EdgeId edge : graph.edges()) ++readers[graph.edge(edge).datum.index()];
  CutWeights weights(graph.task_count(), std::vector<double>(graph.task_count(), 0.0));
  for (const EdgeId id : graph.edges()) {
    const Edge edge = graph.edge(id);
    const double part = bytes[edge.datum.index()] / readers[edge.datum.index()];
    weights[edge.from.index()][edge.to.index()] += part;
    weights[edge.to.index()][edge.from.index()] += part;
  }
  return weights;
}

/// Disjoint sets of nodes (union-find).
class NodeSets {
 public:
  explicit NodeSets(std::size_t nodes) : leader_(nodes) {
    std::iota(leader_.begin(), leader_.end(), std::size_t{0});
  }
  [[nodiscard]] std::size_t of(std::size_t node) const {
    while (leader_[node] != node) node = leader_[node];
    return node;
  }
  void join(std::size_t a, std::size_t b) { leader_[of(a)] = of(b); }

 private:
  std::vector<std::size_t> leader_;
};

/// Returns the least bound over the sets, each with its processors only.
std::optional<Period> least_bound_of_sets(const TaskGraph& graph, const logp::Machine& machine,
                                          const NodeSets& sets) {
  std::vector<std::vector<ProcessorId>> processors(machine.platform().network.node_count);
  for (const ProcessorId p : machine.processors())
    processors[sets.of(machine.platform().node_of[p.index()])].push_back(p);
  std::optional<Period> least;
  for (const std::vector<ProcessorId>& set : processors) {
    if (set.empty()) continue;
    // Covers schedules that use any of the set's processors, not only those that use all of them.
    const Period bound = PeriodBounds(for_processors(graph, set), machine.subset(set)).best().period;
    if (!least || bound < *least) least = bound;
  }
  return least;
}

}  // namespace

CapacityTree capacity_tree(const Network& network) {
  double sum = 0;
  for (const Link& link : network.links)
    if (bytes_per_tick(link) < endless) sum += bytes_per_tick(link);
  // Rounded up: traffic is never underestimated.
  constexpr double steps = 1e12;
  const double step = sum > 0 ? sum / steps : 1;
  MaxFlow flow(network.node_count);
  for (const Link& link : network.links) {
    const double bytes = bytes_per_tick(link);
    const MaxFlow::Amount amount =
        bytes < endless ? static_cast<MaxFlow::Amount>(std::ceil(bytes / step)) : MaxFlow::endless / 1024;
    flow.add_arc(link.from.index(), link.to.index(), amount);
    flow.add_arc(link.to.index(), link.from.index(), amount);
  }
  CapacityTree tree{std::vector<std::uint32_t>(network.node_count, 0),
                    std::vector<double>(network.node_count, endless)};
  for (std::uint32_t node = 1; node < network.node_count; ++node) {
    const std::uint32_t parent = tree.parent[node];
    tree.capacity[node] = static_cast<double>(flow.between(node, parent)) * step;
    for (std::uint32_t other = node + 1; other < network.node_count; ++other)
      if (tree.parent[other] == parent && flow.is_on_source_side(other)) tree.parent[other] = node;
  }
  return tree;
}

Period link_bound(const TaskGraph& graph, const logp::Machine& machine) {
  const Network& network = machine.platform().network;
  if (network.empty() || graph.task_count() < 2 || graph.task_count() > most_tasks_of_links ||
      network.node_count > most_nodes_of_links || can_replicate(graph, machine) || graph.is_moldable())
    return {};
  const double cut = global_min_cut(weights_of(graph, network)) * (1 - link_tolerance);
  if (cut <= 0) return {};
  const CapacityTree tree = capacity_tree(network);
  std::vector<std::uint32_t> order(network.node_count - 1);
  std::iota(order.begin(), order.end(), 1U);
  std::ranges::sort(order, std::greater{}, [&](std::uint32_t node) { return tree.capacity[node]; });

  NodeSets sets(network.node_count);
  std::optional<Period> least = least_bound_of_sets(graph, machine, sets);
  for (std::size_t i = 0; i < order.size();) {
    const double capacity = tree.capacity[order[i]];
    if (capacity <= 0) break;
    // From this period on, nodes with that capacity between them may be used together.
    const Period from{Time(static_cast<Time::rep>(std::min(1e17, cut / capacity)))};
    if (least && *least <= from) break;
    for (; i < order.size() && tree.capacity[order[i]] == capacity; ++i)
      sets.join(order[i], tree.parent[order[i]]);
    const std::optional<Period> bound = least_bound_of_sets(graph, machine, sets);
    if (bound) least = std::min(least.value_or(std::max(*bound, from)), std::max(*bound, from));
  }
  return least.value_or(Period{});
}

}  // namespace takt::schedulers
