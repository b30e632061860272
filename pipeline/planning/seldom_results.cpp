#include "pipeline/planning/seldom_results.hpp"

#include <algorithm>
#include <cmath>
#include <cstddef>

namespace takt::pipeline {

namespace {

/// `longer`: of each stage.
void add_on_the_way(const std::vector<Time>& longer, RunPlan& summary) {
  // Stages come behind their inputs.
  std::vector<Time> in_all, latencies;
  for (std::size_t i = 0; i < summary.stages.size(); ++i) {
    const PlannedStage& stage = summary.stages[i];
    Time of_inputs = stage.inputs.empty() ? Time{0} : in_all[stage.inputs.front()];
    for (const std::size_t input : stage.inputs) of_inputs = std::max(of_inputs, in_all[input]);
    in_all.push_back(of_inputs + longer[i]);
    latencies.push_back(stage.latency_ns == 0 ? Time{0}
                                              : std::max(Time{1}, Time(stage.latency_ns) + in_all.back()));
  }
  set_latencies(latencies, summary);
}

}  // namespace

void count_seldom_calls(RunPlan& summary) {
  std::vector<Time> longer;
  for (const PlannedStage& stage : summary.stages)
    longer.emplace_back(std::llround((1 - stage.calls_a_frame) * static_cast<double>(stage.cost_ns)));
  add_on_the_way(longer, summary);
}

void count_results(const std::vector<StageCost>& costs, RunPlan& summary) {
  std::vector<Time> longer;
  for (const StageCost& cost : costs) longer.push_back(cost.result.value_or(cost.cost) - cost.cost);
  add_on_the_way(longer, summary);
}

}  // namespace takt::pipeline
