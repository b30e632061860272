#include <iostream>

#include <fmt/format.h>

#include "cli/options.hpp"
#include "cli/plan.hpp"
#include "cli/progress.hpp"
#include "core/error.hpp"
#include "pipeline/launch/dry_run.hpp"
#include "pipeline/launch/hosts/host_survey.hpp"
#include "pipeline/launch/jobs/ranks_command.hpp"
#include "pipeline/launch/start_checks.hpp"
#include "pipeline/protocol/run_folder.hpp"
#include "pipeline/report/plan_report.hpp"
#include "pipeline/report/run_progress.hpp"
#include "pipeline/runtime/rank/rank.hpp"

namespace takt::cli {

namespace {

PipelineArguments pipeline_arguments(const PlanArguments& arguments) {
  if (arguments.trace) throw UsageError("--trace needs a task graph, not a pipeline");
  if (arguments.frequencies.size() > 1) throw UsageError("--rate is given several times for one pipeline");
  PipelineArguments pipeline{.file = arguments.graphs.front(),
                             .overrides = arguments.overrides,
                             .objective = arguments.objective,
                             .scheduler = arguments.scheduler,
                             .machine = arguments.machine,
                             .ranks = arguments.ranks,
                             .seed = arguments.seed,
                             .effort = arguments.effort};
  // A pipeline's rate needs a unit: a plain number would mean frames per nanosecond.
  if (!arguments.frequencies.empty())
    pipeline.rate = fmt::format("{} Hz", parse_frequency_of("--rate", arguments.frequencies.front()).hertz);
  return pipeline;
}

Time trial_of(const PlanArguments& arguments) {
  return arguments.trial.empty() ? Time{0} : parse_positive_duration("--trial", arguments.trial);
}

/// Writes and prints the plan; returns the exit code.
int present(const pipeline::PipelinePlan& plan, const PlanArguments& arguments) {
  if (!arguments.output.empty()) write_output(arguments.output, to_yaml(plan));
  if (arguments.format == "json") std::cout << pipeline::plan_to_json(plan);
  if (arguments.format == "yaml") std::cout << to_yaml(plan);
  if (arguments.format == "table") std::cout << pipeline::plan_to_text(plan);
  std::cout.flush();
  return plan.plan.holds_rate && pipeline::holds_latency(plan.summary).value_or(true) ? 0 : 1;
}

}  // namespace

int plan_pipeline(const PlanArguments& arguments) {
  pipeline::Pipeline pipeline = load(pipeline_arguments(arguments));
  // Planning writes no outputs.
  pipeline.overwrites = true;
  if (pipeline::own_rank()) {
    int exit_code = 0;
    pipeline::RankOptions options;
    options.profile = named_file(arguments.profile);
    options.trial = trial_of(arguments);
    options.is_dry_run = true;
    const int failed = pipeline::run_rank(pipeline, options, [&](const pipeline::RunRecord& record) {
      exit_code = present(plan_of(pipeline, record), arguments);
    });
    return failed != 0 ? failed : exit_code;
  }
  const bool has_trial = trial_of(arguments) > Time{0};
  check_start(pipeline, {.profile = named_file(arguments.profile)}, has_trial);
  pipeline::check_rate(pipeline);
  check_output(arguments.output, {pipeline.file, arguments.profile, pipeline.deployment.machine});
  if (has_trial || pipeline.deployment.machine.empty()) (void)pipeline::check_hosts(pipeline, {});
  ProgressLine progress(arguments.progress.chosen());
  const pipeline::PipelinePlan plan = pipeline::dry_run(
      pipeline, {.profile = named_file(arguments.profile),
                 .schedule = {},
                 .arguments = arguments.words,
                 .has_trial = has_trial,
                 .on_progress = [&](const pipeline::RunRecord& now) { progress.show(progress_line(now)); }});
  progress.clear();
  return present(plan, arguments);
}

}  // namespace takt::cli
