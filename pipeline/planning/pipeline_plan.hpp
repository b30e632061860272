#pragma once
/// From a pipeline's measured costs to the schedule that it runs by: for a run, for `takt plan`, and for a
/// schedule that somebody wrote.

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include "logp/machine.hpp"
#include "pipeline/config/pipeline.hpp"
#include "pipeline/planning/run_plan.hpp"
#include "pipeline/profiling/stage_cost.hpp"
#include "schedulers/plan/plan.hpp"

namespace takt::pipeline {

struct PipelinePlan {
  /// The pipeline's task graph with the costs that were planned with.
  TaskGraph graph;
  logp::Machine machine;
  schedulers::Plan plan;
  /// What a report and a user need of it.
  RunPlan summary;

  [[nodiscard]] const Schedule& schedule() const { return plan.evaluation.schedule; }
};

/// What is known of the place where a pipeline runs.
struct Surroundings {
  logp::Machine machine;
  /// Cores of a node, which its ranks share.
  std::size_t cores = 1;
  /// The cache that ranks of a node share, where it is known.
  std::optional<Bytes> cache = {};
  /// Whether the machine's links were measured just now and in haste, and not given by somebody.
  bool links_are_doubtful = false;
};

/// Makes the plan that the pipeline's goal asks for. A source lends one frame at a time; the frame is copied
/// where it goes to another rank or where several of them are at work at once (StageCost::copy). A plan that
/// charges for that comes first; when it needs no copy, a second one without the charge is taken, unless that
/// one needs it. Where nothing is asked for but the frequency, a simpler plan that is nearly as fast is taken
/// instead (simpler_plan.hpp).
///
/// Throws ConfigError when the scheduler refuses, std::logic_error when the checker finds its schedule
/// invalid.
[[nodiscard]] PipelinePlan plan_pipeline(const Pipeline& pipeline, const std::vector<StageCost>& costs,
                                         const Surroundings& surroundings);

/// Plans for one goal whose predictions are close.
struct PlanCandidates {
  /// The first one is that of plan_pipeline.
  std::vector<PipelinePlan> plans;
  /// Why the first one is preferred where nothing but predictions is known, for the user; empty where it is
  /// predicted to be best.
  std::string why;
};

/// The plan of plan_pipeline with those worth trying beside it: where nothing is asked for but the frequency,
/// the fastest by prediction and simpler ones, or, where that one leaves all to one rank and links are
/// doubtful, one for quicker links (doubted_links.hpp); where the goal needs a rate, the fastest one, should
/// the one that was asked for not be seen to hold it, and where it is the least latency, one for dearer
/// links.
[[nodiscard]] PlanCandidates candidate_plans(const Pipeline& pipeline, const std::vector<StageCost>& costs,
                                             const Surroundings& surroundings);

/// The plan as a schedule file: takt plan, takt verify and takt view read it, and a run can be made to obey
/// it.
[[nodiscard]] std::string to_yaml(const PipelinePlan& plan);

/// What a plan must be seen to sustain where the goal needs a rate, that which is asked for or the source's.
struct RateToHold {
  /// A tenth more, or frames queue up.
  Frequency enough;
  /// With the goal's margin, if that is more: whatever else varies.
  Frequency ample;
  /// Whether the goal is the least latency at that rate.
  bool with_least_latency = false;
};

/// Nothing where the highest frequency is the goal.
[[nodiscard]] std::optional<RateToHold> rate_to_hold(const Pipeline& pipeline);

/// The plan of a schedule file, which may have been edited by hand. Throws ConfigError, which names the file,
/// when the file is damaged; when it is of another pipeline (other tasks, connections, sizes of frames, or
/// state); when it has other processors than `deployment.ranks`, or `deployment.machine` is another machine
/// on which it is not valid; or when the checker rejects it: then with the finding.
[[nodiscard]] PipelinePlan plan_from_yaml(const std::string& text, const std::string& file,
                                          const Pipeline& pipeline, std::size_t cores);

}  // namespace takt::pipeline
