#include "schedulers/network/link_traffic.hpp"

#include <algorithm>

namespace takt::schedulers {

LinkTraffic::LinkTraffic(const logp::Machine& machine) : machine_(&machine) {
  const Network& network = machine.platform().network;
  if (!network.empty()) routes_.emplace(network);
  taken_.resize(network.links.size());
}

Time LinkTraffic::carry(ProcessorId from, ProcessorId to, Bytes size, Time ready,
                        std::vector<Hop>& hops) const {
  const Platform& platform = machine_->platform();
  const NodeId source(platform.node_of[from.index()]), target(platform.node_of[to.index()]);
  if (!routes_ || source == target) return ready + std::max(Time{0}, machine_->latency(from, to, size));
  const std::size_t others = hops.size();
  for (LinkId link : routes_->route(source, target)) {
    hops.push_back(next_hop(link, ready, platform.network.link(link).transfer_time(size),
                            std::span(hops).first(others)));
    ready = hops.back().end;
  }
  return ready;
}

Hop LinkTraffic::next_hop(LinkId link, Time ready, Time length, std::span<const Hop> also_taken) const {
  while (true) {
    const Time start = taken_[link.index()].earliest(ready, length);
    const auto in_the_way = std::ranges::find_if(also_taken, [&](const Hop& hop) {
      return hop.link == link && hop.start < start + length && start < hop.end;
    });
    if (in_the_way == also_taken.end()) return {link, start, start + length};
    ready = in_the_way->end;
  }
}

void LinkTraffic::reserve(std::span<const Hop> hops) {
  for (const Hop& hop : hops) taken_[hop.link.index()].reserve(hop.start, hop.end - hop.start);
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
    // Breadth first over switches, that is over nodes without processors.
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
