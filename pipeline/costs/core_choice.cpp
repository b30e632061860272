#include "pipeline/costs/core_choice.hpp"

#include <algorithm>

#include <fmt/format.h>

#include "core/error.hpp"
#include "core/system/host_name.hpp"
#include "pipeline/constants.hpp"

namespace takt::pipeline {

namespace {

/// Returns the time of all tasks per frame, ns.
double time_per_frame(const Pipeline& pipeline, const std::vector<StageCost>& costs) {
  double sum = 0;
  for (std::size_t i = 0; i < costs.size(); ++i)
    sum += static_cast<double>(costs[i].cost.count()) * pipeline.calls_a_frame(i);
  return sum;
}

}  // namespace

std::size_t most_cores(const Deployment& deployment, std::size_t processors, std::size_t ranks) {
  if (!deployment.cores_per_rank) return std::max<std::size_t>(1, processors / ranks);
  if (*deployment.cores_per_rank > processors)
    throw ConfigError(
        deployment.cores_where,
        fmt::format("'deployment': parameter 'cores_per_rank': {} cores for each rank, but host "
                    "'{}' has {}: expected at most that",
                    *deployment.cores_per_rank, host_name(), processors));
  return *deployment.cores_per_rank;
}

std::vector<StageCost> costs_of_best_cores(const Pipeline& pipeline, RankTasks& tasks,
                                           const std::function<std::vector<StageCost>()>& measure) {
  const auto measure_on = [&](std::size_t cores) {
    tasks.use(cores);
    std::vector<StageCost> costs = measure();
    for (StageCost& cost : costs) cost.cores = cores;
    return costs;
  };
  std::vector<StageCost> on_all = measure_on(tasks.most());
  if (pipeline.deployment.cores_per_rank || tasks.most() == 1) return on_all;
  std::vector<StageCost> on_one = measure_on(1);
  if (time_per_frame(pipeline, on_all) >= (1 - accuracy_of_costs) * time_per_frame(pipeline, on_one))
    return on_one;
  tasks.use(tasks.most());
  return on_all;
}

}  // namespace takt::pipeline
