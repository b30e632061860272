#include "pipeline/planning/quicker_links.hpp"

#include <array>
#include <utility>
#include <vector>

namespace takt::pipeline {

namespace {

logp::Cost quicker(const logp::Cost& cost) {
  std::vector<logp::Cost::Segment> segments = cost.segments();
  for (logp::Cost::Segment& segment : segments) {
    segment.constant /= doubt_of_links;
    segment.per_byte /= doubt_of_links;
  }
  return logp::Cost(std::move(segments));
}

logp::LinkCosts quicker(const logp::LinkCosts& costs) {
  return {.latency = quicker(costs.latency),
          .send_overhead = quicker(costs.send_overhead),
          .receive_overhead = quicker(costs.receive_overhead),
          .send_gap = quicker(costs.send_gap),
          .receive_gap = quicker(costs.receive_gap),
          .backbone = quicker(costs.backbone)};
}

}  // namespace

logp::Machine with_quicker_links(const logp::Machine& machine) {
  std::array<logp::LinkCosts, level_count> levels = machine.level_costs();
  for (logp::LinkCosts& costs : levels) costs = quicker(costs);
  std::vector<logp::PairCosts> pairs = machine.pair_costs();
  for (logp::PairCosts& pair : pairs) pair.costs = quicker(pair.costs);
  std::vector<logp::ClusterCosts> clusters = machine.cluster_costs();
  for (logp::ClusterCosts& pair : clusters) pair.costs = quicker(pair.costs);
  return logp::Machine(machine.platform(), levels, std::move(pairs), std::move(clusters));
}

}  // namespace takt::pipeline
