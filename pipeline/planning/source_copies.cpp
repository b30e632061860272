#include "pipeline/planning/source_copies.hpp"

#include <algorithm>

namespace takt::pipeline {

namespace {

bool copies_frames(const Pipeline& pipeline, const Plan& plan) {
  if (plan.schedule.replicas > 1) return true;
  for (const auto& operations : plan.schedule.processors)
    for (const Operation& operation : operations) {
      if (operation.kind != OperationKind::send) continue;
      for (const DatumId datum : plan.schedule.payload(operation.message()))
        if (pipeline.stages[plan.graph.datum_task(datum).index()].kind == StageKind::source) return true;
    }
  return false;
}

}  // namespace

Plan make_plan_with_copies(const Pipeline& pipeline, const std::vector<StageCost>& costs,
                           const logp::Machine& machine, std::size_t cores) {
  Plan charged = make_plan(pipeline, costs, machine, cores);
  if (copies_frames(pipeline, charged)) return charged;
  std::vector<StageCost> spared = costs;
  for (StageCost& cost : spared) cost.cost -= cost.copy;
  Plan plan = make_plan(pipeline, spared, machine, cores);
  return copies_frames(pipeline, plan) ? charged : plan;
}

}  // namespace takt::pipeline
