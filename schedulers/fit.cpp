#include "schedulers/fit.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <vector>

#include <fmt/format.h>

#include "core/error.hpp"

namespace takt::schedulers {

namespace {

/// Returns an upper bound of the cost of a message of this size.
double largest_cost(const logp::LinkCosts& costs, Bytes size) {
  double sum = 0;
  for (const logp::Cost* cost :
       {&costs.latency, &costs.send_overhead, &costs.receive_overhead, &costs.send_gap, &costs.receive_gap}) {
    double largest = 0;
    for (const logp::Cost::Segment& segment : cost->segments())
      largest = std::max(
          largest, std::abs(segment.constant) + std::abs(segment.per_byte) * static_cast<double>(size.count));
    sum += largest;
  }
  return sum;
}

/// An upper bound of the cost of messages of any size: a constant, possibly that of another segment than the
/// first, and a cost per byte.
struct SteepestCost {
  double constant = 0, per_byte = 0;
};

SteepestCost steepest_cost(const logp::LinkCosts& costs) {
  SteepestCost sum;
  for (const logp::Cost* cost :
       {&costs.latency, &costs.send_overhead, &costs.receive_overhead, &costs.send_gap, &costs.receive_gap}) {
    SteepestCost largest;
    for (const logp::Cost::Segment& segment : cost->segments()) {
      largest.constant = std::max(largest.constant, std::abs(segment.constant));
      largest.per_byte = std::max(largest.per_byte, std::abs(segment.per_byte));
    }
    sum.constant += largest.constant;
    sum.per_byte += largest.per_byte;
  }
  return sum;
}

/// Returns the largest number of links on shortest paths towards node 0, or from it.
std::size_t links_from_first(const Network& network, bool is_towards) {
  constexpr std::size_t unreached = std::numeric_limits<std::size_t>::max();
  std::vector<std::size_t> distance(network.node_count, unreached);
  distance[0] = 0;
  for (bool is_changed = true; is_changed;) {
    is_changed = false;
    for (const Link& link : network.links) {
      const std::size_t here = distance[(is_towards ? link.to : link.from).index()];
      std::size_t& there = distance[(is_towards ? link.from : link.to).index()];
      if (here == unreached || here + 1 >= there) continue;
      there = here + 1;
      is_changed = true;
    }
  }
  return std::ranges::max(distance);
}

/// Upper bound of the time of a message on all links of its route: the largest cost of a link times the
/// largest number of links. The route of one byte takes no longer than that over node 0, so the number of its
/// links with a cost is bounded.
struct LongestWay {
  explicit LongestWay(const Network& network) {
    double least = std::numeric_limits<double>::infinity(), most = 0;
    for (const Link& link : network.links) {
      latency = std::max(latency, link.latency);
      per_byte = std::max(per_byte, link.per_byte);
      const double cost = link.latency + link.per_byte;
      most = std::max(most, cost);
      if (cost > 0) least = std::min(least, cost);
    }
    if (network.empty() || most <= 0) return;
    links = static_cast<double>(network.node_count - 1);
    const std::size_t to = links_from_first(network, true), from = links_from_first(network, false);
    if (std::max(to, from) < network.node_count)
      links = std::min(links, std::ceil(static_cast<double>(to + from) * most / least));
  }

  [[nodiscard]] double time(Bytes size) const {
    return links * (latency + per_byte * static_cast<double>(size.count) + 1);
  }

  double latency = 0, per_byte = 0, links = 0;
};

/// Returns at least largest_total_time(), from sums alone: each message costs at most the largest constants,
/// and each of its bytes at most the largest cost per byte. O(n + m), but a third of the time for graphs of
/// millions of tasks.
double quick_total_time(const TaskGraph& graph, const logp::Machine& machine) {
  const std::vector<double>& speeds = machine.platform().speeds;
  double size = 0;
  SteepestCost steepest;
  for (EdgeId edge : graph.edges()) size += static_cast<double>(graph.edge(edge).size.count);
  for (const logp::LinkCosts& costs : machine.occurring_costs()) {
    const SteepestCost each = steepest_cost(costs);
    steepest.constant = std::max(steepest.constant, each.constant);
    steepest.per_byte = std::max(steepest.per_byte, each.per_byte);
  }
  const auto edges = static_cast<double>(graph.edge_count());
  const LongestWay way(machine.platform().network);
  return static_cast<double>(graph.total_work().count()) / *std::min_element(speeds.begin(), speeds.end()) +
         edges * (steepest.constant + way.time(Bytes{0})) +
         size * (steepest.per_byte + way.links * way.per_byte);
}

}  // namespace

double largest_total_time(const TaskGraph& graph, const logp::Machine& machine) {
  const std::vector<double>& speeds = machine.platform().speeds;
  const double slowest = *std::min_element(speeds.begin(), speeds.end());
  double sum = 0;
  for (TaskId task : graph.tasks()) {
    double longest =
        graph.has_work_table() ? 0 : static_cast<double>(graph.task(task).work.count()) / slowest;
    for (ProcessorId column : ids<ProcessorId>(graph.work_table_columns()))
      longest = std::max(longest, static_cast<double>(graph.work_on(task, column)->count()));
    sum += longest;
  }
  const LongestWay way(machine.platform().network);
  for (EdgeId edge : graph.edges()) {
    double most = way.time(graph.edge(edge).size);
    for (const logp::LinkCosts& costs : machine.occurring_costs())
      most = std::max(most, largest_cost(costs, graph.edge(edge).size) + way.time(graph.edge(edge).size));
    sum += most;
  }
  return sum;
}

double most_frames_in_sum(const TaskGraph& graph, const logp::Machine& machine) {
  // Slightly below the largest possible work and data of a graph.
  constexpr double limit = 3.9e18;
  auto work_and_data = static_cast<double>(graph.total_work().count());
  for (EdgeId edge : graph.edges()) work_and_data += static_cast<double>(graph.edge(edge).size.count);
  return limit / std::max({largest_total_time(graph, machine), work_and_data, 1.0});
}

void check_fit(const TaskGraph& graph, const logp::Machine& machine) {
  if (graph.has_work_table() && graph.work_table_columns() < machine.processor_count())
    throw ConfigError(
        fmt::format("the graph has works for {} processors, the machine has {}: expected one per processor",
                    graph.work_table_columns(), machine.processor_count()));
  constexpr double limit = 1e18;
  if (!graph.has_work_table() && quick_total_time(graph, machine) <= limit / 2) return;
  const double sum = largest_total_time(graph, machine);
  if (!(sum <= limit))
    throw ConfigError(
        fmt::format("the graph's work and messages can take up to {:.3g} ticks on this machine; the "
                    "limit is {:.3g}",
                    sum, limit));
}

}  // namespace takt::schedulers
