#include "schedulers/network/link_traffic.hpp"

#include <algorithm>

namespace takt::schedulers {

LinkTraffic::LinkTraffic(const logp::Machine& machine) : machine_(&machine) {
  const Network& network = machine.platform().network;
  if (!network.empty()) routes_.emplace(network);
  kept_.resize(network.links.size());
  tried_.resize(network.links.size());
}

Time LinkTraffic::try_message(ProcessorId from, ProcessorId to, Bytes size, Time ready,
                              std::vector<Hop>& hops) {
  const Platform& platform = machine_->platform();
  const NodeId source(platform.node_of[from.index()]), target(platform.node_of[to.index()]);
  if (!routes_ || source == target) return ready + std::max(Time{0}, machine_->latency(from, to, size));
  for (LinkId link : routes_->route(source, target)) {
    hops.push_back(try_hop(link, ready, platform.network.link(link).transfer_time(size)));
    ready = hops.back().end;
  }
  return ready;
}

Hop LinkTraffic::try_hop(LinkId link, Time ready, Time length) {
  if (length == Time{0}) return {link, ready, ready};
  const Timeline& kept = kept_[link.index()];
  Timeline& tried = tried_[link.index()];
  // Each step skips the conflicts in one of them, until there is none in either.
  Time start = kept.earliest(ready, length);
  for (Time later = tried.earliest(start, length); later != start; later = tried.earliest(start, length))
    start = kept.earliest(later, length);
  tried.reserve(start, length);
  tried_hops_.push_back({link, start, start + length});
  return tried_hops_.back();
}

void LinkTraffic::keep() {
  for (const Hop& hop : tried_hops_) kept_[hop.link.index()].reserve(hop.start, hop.end - hop.start);
  drop();
}

void LinkTraffic::drop() {
  for (const Hop& hop : tried_hops_) tried_[hop.link.index()].clear();
  tried_hops_.clear();
}

std::vector<std::vector<ProcessorId>> neighbours(const logp::Machine& machine) {
  const Platform& platform = machine.platform();
  const Network& network = platform.network;
  std::vector<std::vector<ProcessorId>> on_node(
      std::max(platform.cluster_of_node.size(), network.node_count));
  for (ProcessorId p : machine.processors()) on_node[platform.node_of[p.index()]].push_back(p);
  std::vector<std::vector<NodeId>> next(on_node.size());
  for (const Link& link : network.links) next[link.from.index()].push_back(link.to);

  std::vector<std::vector<ProcessorId>> result(machine.processor_count());
  for (ProcessorId p : machine.processors()) {
    std::vector<ProcessorId>& found = result[p.index()];
    if (network.empty()) {
      for (ProcessorId other : machine.processors())
        if (other != p) found.push_back(other);
      continue;
    }
    // Breadth first over switches, which are nodes without processors.
    std::vector<bool> seen(on_node.size(), false);
    std::vector<NodeId> queue{NodeId(platform.node_of[p.index()])};
    seen[queue.front().index()] = true;
    for (std::size_t i = 0; i < queue.size(); ++i) {
      for (ProcessorId other : on_node[queue[i].index()])
        if (other != p) found.push_back(other);
      if (i > 0 && !on_node[queue[i].index()].empty()) continue;
      for (NodeId node : next[queue[i].index()]) {
        if (seen[node.index()]) continue;
        seen[node.index()] = true;
        queue.push_back(node);
      }
    }
    std::sort(found.begin(), found.end());
  }
  return result;
}

}  // namespace takt::schedulers
