#include "pipeline/planning/run_plan.hpp"

#include <algorithm>
#include <set>

#include <fmt/format.h>

#include "core/formats/json.hpp"

namespace takt::pipeline {

NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE(PlannedStage, name, type, kind, inputs, ranks, cost_ns, output,
                                   output_bytes, tiles, group, receiving_ns, rare_share, rare_ns, latency_ns)
NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE(RunPlan, pipeline, scheduler, objective, ranks, replicas, stages,
                                   predicted_hz, costs_hz, hand_over_ns, predicted_latency_ns,
                                   costs_latency_ns, limit, required_hz, predicted_busy, processor_shares,
                                   memory_bytes, notes)

NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE(SharedPlan, summary, schedule)

void set_latencies(const std::vector<Time>& latencies, RunPlan& plan) {
  for (std::size_t i = 0; i < latencies.size(); ++i) plan.stages[i].latency_ns = latencies[i].count();
  plan.predicted_latency_ns = std::ranges::max(plan.stages, {}, &PlannedStage::latency_ns).latency_ns;
}

std::string name_of(const RunPlan& plan) {
  std::set<std::size_t> ranks;
  for (const PlannedStage& stage : plan.stages) ranks.insert(stage.ranks.begin(), stage.ranks.end());
  return fmt::format("{} on {} rank{}{}", plan.scheduler, ranks.size(), ranks.size() == 1 ? "" : "s",
                     plan.replicas > 1 ? fmt::format(", {} frames at a time", plan.replicas) : "");
}

std::string to_text(const SharedPlan& plan) {
  return json_line(plan);
}
SharedPlan shared_plan_from_text(std::string_view text) {
  return value_from_json<SharedPlan>(text);
}

std::string to_text(const RunPlan& plan) {
  return json_line(plan);
}
RunPlan plan_from_text(std::string_view text) {
  return value_from_json<RunPlan>(text);
}

}  // namespace takt::pipeline
