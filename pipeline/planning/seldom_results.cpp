#include "pipeline/planning/seldom_results.hpp"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <string>
#include <utility>

#include <fmt/format.h>

namespace takt::pipeline {

namespace {

void lower_to(double hertz, std::string limit, RunPlan& summary) {
  for (double& busy : summary.predicted_busy) busy *= hertz / summary.predicted_hz;
  summary.predicted_hz = hertz;
  summary.limit = std::move(limit);
}

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

void count_uneven_calls(RunPlan& summary) {
  std::vector<double> work_ns(summary.ranks);
  const PlannedStage* dearest = nullptr;
  for (const PlannedStage& stage : summary.stages) {
    const double most_ns = most_work_a_frame_ns(stage);
    for (const std::size_t rank : stage.ranks) work_ns[rank] += most_ns;
    if (most_ns > work_a_frame_ns(stage) && (dearest == nullptr || most_ns > most_work_a_frame_ns(*dearest)))
      dearest = &stage;
  }
  const double hertz = 1e9 / std::max(1.0, std::ranges::max(work_ns));
  if (dearest == nullptr || hertz >= summary.predicted_hz) return;
  lower_to(hertz,
           fmt::format("one of the ranks of '{}' may have all of its calls, and is occupied {} a frame then",
                       dearest->name, takt::to_string(Time(std::llround(1e9 / hertz)))),
           summary);
}

void count_long_calls(RunPlan& summary) {
  std::vector<double> work_ns(summary.ranks);
  double waits_ns = 0;
  const PlannedStage* longest = nullptr;
  for (const PlannedStage& stage : summary.stages) {
    const double waits = stage.calls_a_frame < 1 ? held_up(stage, summary) : 0;
    waits_ns += waits * all_calls_ns(stage);
    for (const std::size_t rank : stage.ranks) work_ns[rank] += (1 - waits) * most_work_a_frame_ns(stage);
    if (waits > 0 && (longest == nullptr || stage.cost_ns > longest->cost_ns)) longest = &stage;
  }
  const double hertz = 1e9 / std::max(1.0, std::ranges::max(work_ns) + waits_ns);
  if (longest == nullptr || hertz >= summary.predicted_hz) return;
  lower_to(hertz,
           fmt::format("all ranks wait while '{}' is at one call for {}, in which more frames come than "
                       "channels hold: {} a frame",
                       longest->name, takt::to_string(Time(longest->cost_ns)),
                       takt::to_string(Time(std::llround(1e9 / hertz)))),
           summary);
}

void count_results(const std::vector<StageCost>& costs, RunPlan& summary) {
  std::vector<Time> longer;
  for (const StageCost& cost : costs) longer.push_back(cost.result.value_or(cost.cost) - cost.cost);
  add_on_the_way(longer, summary);
}

}  // namespace takt::pipeline
