#include "pipeline/planning/receiving_charge.hpp"

#include <algorithm>

#include <fmt/format.h>

#include "pipeline/planning/stage_sources.hpp"

namespace takt::pipeline {

std::vector<Time> charge_for_receiving(const std::vector<StageCost>& costs, std::size_t ranks,
                                       std::size_t cores) {
  const auto threads = static_cast<std::size_t>(
      std::ranges::count_if(costs, [](const StageCost& cost) { return cost.receiving > Time{0}; }));
  std::vector<Time> charge(costs.size());
  if (ranks + threads > cores) std::ranges::transform(costs, charge.begin(), &StageCost::receiving);
  return charge;
}

std::vector<StageCost> with_receiving(std::vector<StageCost> costs, const std::vector<Time>& charge) {
  for (std::size_t i = 0; i < costs.size(); ++i) {
    costs[i].cost += charge[i];
    for (StageCost::OnRank& on_rank : costs[i].by_rank) on_rank.cost += charge[i];
  }
  return costs;
}

void note_receiving(const std::vector<Time>& charge, RunPlan& summary) {
  for (std::size_t i = 0; i < charge.size(); ++i) {
    if (charge[i] == Time{0}) continue;
    PlannedStage& stage = summary.stages[i];
    stage.receiving_ns = charge[i].count();
    summary.notes.push_back(fmt::format(
        "the cost of '{}' includes {} of a core per frame for receiving, since the ranks leave no core free",
        stage.name, takt::to_string(charge[i])));
  }
  // The latency of a frame starts when it is complete.
  const auto inputs_of = [&](std::size_t stage) -> const std::vector<std::size_t>& {
    return summary.stages[stage].inputs;
  };
  std::vector<Time> latencies;
  for (std::size_t i = 0; i < summary.stages.size(); ++i) {
    Time latency(summary.stages[i].latency_ns);
    for (const std::size_t source : upstream_sources(i, inputs_of)) latency -= charge[source];
    latencies.push_back(std::max(Time{0}, latency));
  }
  set_latencies(latencies, summary);
}

}  // namespace takt::pipeline
