#include "pipeline/planning/rare_frames.hpp"

#include <algorithm>

#include <fmt/format.h>

namespace takt::pipeline {

namespace {

bool are_much(const PlannedStage& stage, double period_ns) {
  constexpr double much_of_stage = 0.08, much_of_period = 0.01;
  const double of_call = stage.rare_share * static_cast<double>(stage.rare_ns);
  return of_call > much_of_stage * static_cast<double>(stage.cost_ns) &&
         stage.calls_a_frame * of_call > much_of_period * period_ns;
}

double period_ns(const RunPlan& summary) {
  return 1e9 / summary.predicted_hz;
}

}  // namespace

void note_rare_calls(const std::vector<StageCost>& costs, RunPlan& summary) {
  for (std::size_t i = 0; i < costs.size(); ++i) {
    if (!costs[i].rare) continue;
    PlannedStage& stage = summary.stages[i];
    stage.rare_share = costs[i].rare->share;
    stage.rare_ns = costs[i].rare->cost.count();
    stage.rare_usual_ns = costs[i].rare->usual.count();
  }
}

std::vector<std::string> rare_call_notes(const RunPlan& summary) {
  std::vector<std::string> notes;
  for (const PlannedStage& stage : summary.stages)
    if (are_much(stage, period_ns(summary)))
      notes.push_back(fmt::format("'{}' is slow on {:.2g} % of the frames ({}, not {}): short queues follow",
                                  stage.name, 100 * stage.calls_a_frame * stage.rare_share,
                                  takt::to_string(Time(stage.rare_ns)),
                                  takt::to_string(Time(stage.rare_usual_ns))));
  return notes;
}

bool has_rare_frames(const RunPlan& summary) {
  return std::ranges::any_of(summary.stages,
                             [&](const PlannedStage& stage) { return are_much(stage, period_ns(summary)); });
}

}  // namespace takt::pipeline
