#include "pipeline/planning/scheduling_goal.hpp"

#include <algorithm>

#include "pipeline/constants.hpp"
#include "pipeline/tiles/tiling.hpp"

namespace takt::pipeline {

schedulers::Goal scheduling_goal(const Pipeline& pipeline, std::size_t cores) {
  schedulers::Goal goal = pipeline.goal;
  // Throughput above the source's rate is useless, and no frame should wait for later ones.
  if (const auto rate = pipeline.source_rate(); rate && pipeline.leaves_goal_open) {
    goal.rate = {1e9 / rate->hertz};
    goal.objective = schedulers::Objective::latency;
  }
  if (pipeline.latency) goal.latency_limit = pipeline.latency->most;
  goal.cores_per_node = cores;
  if (const auto rate = pipeline.source_rate()) goal.frame_interval = 1e9 / rate->hertz;
  goal.options.cost_noise = accuracy_of_trials;
  goal.options.frames = schedulers::FrameClass::interleaved;
  // Costs of tasks that share tiles are valid while no other task runs in between; for the highest
  // throughput, trial runs decide.
  goal.options.may_interleave = !needs_rate(goal.objective) ||
                                std::ranges::none_of(tile(pipeline, cache_of_a_core()),
                                                     [](const auto& tiles) { return tiles.has_value(); });
  if (!goal.options.effort) goal.choice_effort = choice_effort;
  return goal;
}

}  // namespace takt::pipeline
