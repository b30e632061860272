#include "pipeline/planning/doubted_links.hpp"

#include <array>
#include <utility>
#include <vector>

namespace takt::pipeline {

namespace {

logp::Cost scaled(const logp::Cost& cost, double factor) {
  std::vector<logp::Cost::Segment> segments = cost.segments();
  for (logp::Cost::Segment& segment : segments) {
    segment.constant *= factor;
    segment.per_byte *= factor;
  }
  return logp::Cost(std::move(segments));
}

logp::LinkCosts scaled(const logp::LinkCosts& costs, double factor) {
  return {.latency = scaled(costs.latency, factor),
          .send_overhead = scaled(costs.send_overhead, factor),
          .receive_overhead = scaled(costs.receive_overhead, factor),
          .send_gap = scaled(costs.send_gap, factor),
          .receive_gap = scaled(costs.receive_gap, factor),
          .backbone = scaled(costs.backbone, factor)};
}

logp::Machine with_scaled_links(const logp::Machine& machine, double factor) {
  std::array<logp::LinkCosts, level_count> levels = machine.level_costs();
  for (logp::LinkCosts& costs : levels) costs = scaled(costs, factor);
  std::vector<logp::PairCosts> pairs = machine.pair_costs();
  for (logp::PairCosts& pair : pairs) pair.costs = scaled(pair.costs, factor);
  std::vector<logp::ClusterCosts> clusters = machine.cluster_costs();
  for (logp::ClusterCosts& pair : clusters) pair.costs = scaled(pair.costs, factor);
  return logp::Machine(machine.platform(), levels, std::move(pairs), std::move(clusters));
}

}  // namespace

logp::Machine with_quicker_links(const logp::Machine& machine) {
  return with_scaled_links(machine, 1 / doubt_of_links);
}

logp::Machine with_dearer_links(const logp::Machine& machine) {
  constexpr double factor = 2;
  return with_scaled_links(machine, factor);
}

}  // namespace takt::pipeline
