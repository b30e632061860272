#include "pipeline/report/plan_graph.hpp"

#include <algorithm>
#include <optional>

#include <fmt/format.h>

#include "core/error.hpp"

namespace takt::pipeline {

TaskGraph graph_of(const RunPlan& plan) {
  TaskGraphBuilder builder;
  for (const PlannedStage& stage : plan.stages)
    builder.add_task({.name = stage.name, .work = Time(stage.cost_ns)});
  std::vector<std::optional<DatumId>> data(plan.stages.size());
  for (std::size_t stage = 0; stage < plan.stages.size(); ++stage)
    for (const std::size_t input : plan.stages[stage].inputs) {
      if (input >= plan.stages.size())
        throw ConfigError(fmt::format("stage {} of {} stages", input, plan.stages.size()));
      if (!data[input])
        data[input] = builder.add_datum(TaskId(input), Bytes{plan.stages[input].output_bytes});
      builder.add_edge(*data[input], TaskId(stage));
    }
  return std::move(builder).build();
}

TaskProcessors ranks_of(const RunPlan& plan) {
  TaskProcessors ranks;
  for (const PlannedStage& stage : plan.stages) {
    std::vector<ProcessorId>& own = ranks.emplace_back();
    for (const std::size_t rank : stage.ranks) own.emplace_back(rank);
    std::ranges::sort(own);
  }
  return ranks;
}

}  // namespace takt::pipeline
