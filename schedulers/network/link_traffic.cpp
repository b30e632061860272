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
  const std::vector<LinkId> route = routes_->route(source, target);
  platform.network.for_each_leg(route, size, [&](std::span<const LinkId> links, Time length) {
    const Time start = try_leg(links, ready, length);
    for (LinkId link : links) hops.push_back({link, start, start + length});
    ready = start + length;
  });
  return ready;
}

Time LinkTraffic::try_leg(std::span<const LinkId> links, Time ready, Time length) {
  if (length == Time{0}) return ready;
  // Each round skips conflicts with kept or tried messages on some links, until there is none on any.
  for (Time before = ready - Time{1}; before != ready;) {
    before = ready;
    for (LinkId link : links)
      ready = tried_[link.index()].earliest(kept_[link.index()].earliest(ready, length), length);
  }
  for (LinkId link : links) {
    tried_[link.index()].reserve(ready, length);
    tried_hops_.push_back({link, ready, ready + length});
  }
  return ready;
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
