#include "pipeline/planning/seldom_results.hpp"

#include <algorithm>
#include <cstddef>

namespace takt::pipeline {

void count_results(const std::vector<StageCost>& costs, RunPlan& summary) {
  // Stages come behind their inputs.
  std::vector<Time> longer, latencies;
  for (std::size_t i = 0; i < summary.stages.size(); ++i) {
    const PlannedStage& stage = summary.stages[i];
    Time of_inputs = stage.inputs.empty() ? Time{0} : longer[stage.inputs.front()];
    for (const std::size_t input : stage.inputs) of_inputs = std::max(of_inputs, longer[input]);
    longer.push_back(of_inputs + costs[i].result.value_or(costs[i].cost) - costs[i].cost);
    latencies.push_back(stage.latency_ns == 0 ? Time{0}
                                              : std::max(Time{1}, Time(stage.latency_ns) + longer.back()));
  }
  set_latencies(latencies, summary);
}

}  // namespace takt::pipeline
