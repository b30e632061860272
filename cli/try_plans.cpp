#include "cli/try_plans.hpp"

#include <algorithm>

#include <fmt/format.h>

#include "core/allowed_processors.hpp"
#include "core/error.hpp"
#include "core/text_file.hpp"
#include "pipeline/launch/dry_run.hpp"
#include "pipeline/launch/interrupt_watch.hpp"
#include "pipeline/launch/mpirun.hpp"
#include "pipeline/launch/stop_requests.hpp"
#include "pipeline/profiling/profile_file.hpp"
#include "pipeline/report/run_progress.hpp"
#include "pipeline/sustain/plan_trials.hpp"
#include "pipeline/sustain/rate_trial.hpp"

namespace takt::cli {

pipeline::PipelinePlan plan_by_trial(const PipelineArguments& arguments, const pipeline::Pipeline& pipeline,
                                     const std::string& profile, ProgressLine& progress) {
  pipeline::check_plans_can_be_tried(pipeline);
  const auto show = [&](const char* what) {
    return [&progress, what](const pipeline::RunRecord& now) {
      progress.show(fmt::format("{}; {}", what, pipeline::progress_line(now)));
    };
  };
  for (const std::string& warning : pipeline::warnings_of_trials(pipeline))
    fmt::print(stderr, "takt: warning: {}\n", warning);
  progress.show("measuring the tasks");
  const pipeline::StopRequests stop_requests;
  // All plans are made from the same costs.
  const std::vector<pipeline::StageCost> costs = profile.empty() ? pipeline::profile_in_this_process(pipeline)
                                                                 : pipeline::read_profile(profile, pipeline);
  const pipeline::RunFolder folder;
  const std::filesystem::path costs_file = folder.path() / "profile.yaml";
  write_text_file(costs_file, pipeline::profile_to_yaml(costs, pipeline));

  const std::vector<std::string> run = words_of_run(arguments);
  std::vector<std::string> planning = run;
  const std::vector<std::string> goal = words_of_goal(arguments);
  planning.insert(planning.end(), goal.begin(), goal.end());
  planning.insert(planning.end(), {"--profile", costs_file.string(), "--dry-run"});
  pipeline::PipelinePlan first =
      pipeline::dry_run(pipeline, {costs_file, std::nullopt, planning, show("planning")});

  const std::size_t cores = allowed_processors().size();
  std::vector<pipeline::PipelinePlan> plans =
      pipeline::plans_to_try(pipeline, std::move(first), costs, cores);
  if (stop_requests.count() > 0) throw WorkError("the planning was interrupted");
  constexpr std::chrono::milliseconds duration{700};
  const pipeline::PlanTrials trials = pipeline::try_plans(
      pipeline, run, std::move(plans), {.duration = duration, .on_progress = show("trying plans")});
  progress.clear();
  fmt::print(stderr, "takt: {}\n", pipeline::to_text(trials));
  return trials.plan();
}

}  // namespace takt::cli
