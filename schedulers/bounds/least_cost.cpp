#include "schedulers/bounds/least_cost.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

namespace takt::schedulers {

namespace {

/// Relative error bound of floating-point sums;
/// sums of integers up to `largest_exact` are exact.
constexpr double cost_tolerance = 1e-12, largest_exact = 9007199254740992;

bool is_whole(double value) {
  return std::floor(value) == value;
}

Bytes smallest_size(const TaskGraph& graph) {
  Bytes smallest{std::numeric_limits<std::uint64_t>::max()};
  for (EdgeId edge : graph.edges()) smallest = std::min(smallest, graph.edge(edge).size);
  return smallest;
}

}  // namespace

Time least_cost(const logp::Cost& cost, Bytes size) {
  Time least = cost.at(size);
  const auto& segments = cost.segments();
  for (std::size_t i = 0; i < segments.size(); ++i) {
    // The cost is affine in between: the least is at an end.
    if (segments[i].from >= size) least = std::min(least, cost.at(segments[i].from));
    const bool is_last = i + 1 == segments.size();
    if (!is_last && segments[i + 1].from > size)
      least = std::min(least, cost.at(Bytes{segments[i + 1].from.count - 1}));
    if (is_last && segments[i].per_byte < 0) return Time{0};
  }
  return std::max(least, Time{0});
}

/// k messages of s bytes in sum cost k c + b s if the cost is c + b s, each rounded to the nearest tick. If c
/// is at least the half tick that rounding can take away, one message is the cheapest. Otherwise, or if the
/// cost is not a single affine function, only one message of the least cost is certain.
void LeastTotal::add(const logp::Cost& cost, Bytes smallest) {
  const logp::Cost::Segment& first = cost.segments().front();
  const double rounding = is_whole(first.constant) && is_whole(first.per_byte) ? 0 : 0.5;
  double constant = first.constant - rounding, per_byte = first.per_byte;
  if (cost.segments().size() > 1 || constant < 0 || per_byte < 0) {
    constant = static_cast<double>(least_cost(cost, smallest).count());
    per_byte = 0;
  }
  is_whole_ = is_whole_ && is_whole(constant) && is_whole(per_byte);
  constant_ = is_known_ ? std::min(constant_, constant) : constant;
  per_byte_ = is_known_ ? std::min(per_byte_, per_byte) : per_byte;
  is_known_ = true;
}

Time::rep LeastTotal::operator()(std::uint64_t size) const {
  const double total = constant_ + per_byte_ * static_cast<double>(size);
  const bool is_exact = is_whole_ && (per_byte_ == 0 || total <= largest_exact);
  return static_cast<Time::rep>(is_exact ? total : std::ceil(total * (1 - cost_tolerance)));
}

LeastMessage::LeastMessage(const TaskGraph& graph, const logp::Machine& machine) {
  if (graph.edge_count() == 0 || machine.processor_count() == 1) return;
  const Bytes smallest = smallest_size(graph);
  send = receive = both = interval = Time::max();
  for (const logp::LinkCosts& costs : machine.occurring_costs()) {
    const Time sent = least_cost(costs.send_overhead, smallest);
    const Time received = least_cost(costs.receive_overhead, smallest);
    send = std::min(send, sent);
    receive = std::min(receive, received);
    both = std::min(both, sent + received);
    interval = std::min(interval, std::max({sent, received, least_cost(costs.send_gap, smallest),
                                            least_cost(costs.receive_gap, smallest)}));
  }
}

LeastMessageCosts::LeastMessageCosts(const Workload& workload) {
  const Bytes smallest = smallest_size(workload.items());
  for (const logp::LinkCosts& costs : workload.machine().occurring_costs()) {
    send.add(costs.send_overhead, smallest);
    receive.add(costs.receive_overhead, smallest);
    send_gap.add(costs.send_gap, smallest);
    receive_gap.add(costs.receive_gap, smallest);
  }
}

}  // namespace takt::schedulers
