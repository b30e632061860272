#pragma once
/// Which of several plans is fastest, by trial: where a model's errors are as large as the plans'
/// differences, only the machine knows.

#include <cstddef>
#include <functional>
#include <string>
#include <vector>

#include "pipeline/planning/pipeline_plan.hpp"
#include "pipeline/sustain/rate_trial.hpp"

namespace takt::pipeline {

struct PlanTrial {
  PipelinePlan plan;
  /// What it sustained in each trial when frames were taken as fast as possible.
  std::vector<double> sustained_hz;

  [[nodiscard]] double median_hz() const;
};

struct PlanTrials {
  /// The first one is what the pipeline's goal asks for.
  std::vector<PlanTrial> tried;
  std::size_t chosen = 0;

  [[nodiscard]] const PipelinePlan& plan() const { return tried[chosen].plan; }
};

/// The plans worth trying beside `first`: of the schedulers for the frequency and of one rank alone, those
/// that are predicted to be within a factor of 2 of the fastest, four at most, no two alike; where all of
/// them leave everything to one rank and the links were measured, one for quicker links
/// (planning/doubted_links.hpp) as well. Made from the same costs.
[[nodiscard]] std::vector<PipelinePlan> plans_to_try(const Pipeline& pipeline, PipelinePlan first,
                                                     const std::vector<StageCost>& costs, std::size_t cores);

/// Which plan to take: where `enough_hz` is asked for, the first that sustained it; otherwise, or where none
/// did, the fastest, but the first one unless another is faster by more than trials of the same plan differ
/// (5 %).
[[nodiscard]] std::size_t choose_plan(const std::vector<PlanTrial>& tried, std::optional<double> enough_hz);

/// Throws ConfigError where the pipeline's source cannot give frames as fast as they are taken, which trials
/// of plans ask for.
void check_plans_can_be_tried(const Pipeline& pipeline);

/// Tries all of them in turn, `rounds` times, so that a disturbance meets them alike. `run` is as of
/// TrialBed. Throws what that throws.
[[nodiscard]] PlanTrials try_plans(const Pipeline& pipeline, const std::vector<std::string>& run,
                                   std::vector<PipelinePlan> plans, const TrialOptions& options,
                                   std::size_t rounds = 3);

/// `tried optfo on 2 ranks: 950 Hz (979 Hz predicted); ...; takes optfo on 2 ranks`, for people.
[[nodiscard]] std::string to_text(const PlanTrials& trials);

}  // namespace takt::pipeline
