#include "pipeline/launch/start_checks.hpp"

#include <algorithm>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "core/distinct_texts.hpp"
#include "core/error.hpp"
#include "core/system/allowed_processors.hpp"
#include "core/system/text_file.hpp"
#include "logp/machine.hpp"
#include "pipeline/config/files.hpp"
#include "pipeline/config/restart_rules.hpp"
#include "pipeline/costs/core_choice.hpp"
#include "pipeline/costs/profile_file.hpp"
#include "pipeline/exception_text.hpp"
#include "pipeline/launch/jobs/ranks_command.hpp"
#include "pipeline/planning/pipeline_plan.hpp"
#include "pipeline/planning/schedule_fit.hpp"
#include "pipeline/watching/activity.hpp"
#include "pipeline/watching/hang_watch.hpp"

namespace takt::pipeline {

namespace {

/// Rejects more ranks than this computer could ever start. mpirun assigns the hosts of an allocation.
void check_number_of_ranks(const Deployment& deployment) {
  constexpr std::size_t most_per_core = 128;
  if (!is_on_this_host(deployment.site)) return;
  const std::size_t cores = allowed_processors().size();
  if (deployment.ranks <= most_per_core * cores) return;
  throw ConfigError(deployment.ranks_where,
                    fmt::format("'deployment': {} ranks are too many for the {} cores of this computer: "
                                "expected at most {} ({} per core)",
                                deployment.ranks, cores, most_per_core * cores, most_per_core));
}

/// Checks the cores of each rank.
void check_cores(const Deployment& deployment) {
  if (is_on_this_host(deployment.site))
    (void)most_cores(deployment, allowed_processors().size(), deployment.ranks);
}

/// Checks the processors of ranks that all run on this computer.
void check_processors(const Deployment& deployment, ErrorList& errors) {
  const Pinning& pinning = deployment.pinning;
  if (!is_on_this_host(deployment.site)) return;
  const std::vector<std::size_t> allowed = allowed_processors();
  for (const std::size_t number : pinning.processors)
    if (!std::ranges::binary_search(allowed, number))
      errors.add(
          pinning.where,
          fmt::format("'deployment': parameter 'pin': this computer has no processor {} available to takt",
                      number));
}

/// Adds a source's own objections to a start.
void check_source(const Pipeline& pipeline, std::size_t stage, ErrorList& errors) {
  try {
    const AtOtherWork at_work(pipeline.stages[stage].name, Deadline::set_up);
    pipeline.make_source(stage)->check();
  } catch (const std::exception& error) {
    const Stage& source = pipeline.stages[stage];
    errors.add(source.where, fmt::format("source '{}': {}", source.name, exception_text(error)));
  }
}

/// Returns true if a stage is a source that this computer can check: ports and addresses belong to the host
/// of its rank.
bool is_checked_here(const Pipeline& pipeline, std::size_t stage) {
  const Stage& source = pipeline.stages[stage];
  if (source.kind != StageKind::source) return false;
  return is_on_this_host(pipeline.deployment.site) || !pipeline.kernels.find_source(source.type)->is_live;
}

std::vector<OptionFile> option_files(const RunFiles& files) {
  std::vector<OptionFile> options;
  if (files.profile) options.push_back({"--profile", *files.profile, false});
  if (files.schedule) options.push_back({"--schedule", *files.schedule, false});
  if (files.report) options.push_back({"--report", *files.report, true});
  return options;
}

}  // namespace

void check_start(const Pipeline& pipeline, const RunFiles& files, bool receives) {
  const Deployment& deployment = pipeline.deployment;
  const HangWatch hang_watch(deployment.deadlines);
  set_phase(Phase::checking);
  check_number_of_ranks(deployment);
  check_cores(deployment);
  if (deployment.restart) expect_rank_here(deployment.site, "restart");
  if (!deployment.machine.empty()) check_ranks(pipeline, logp::parse_machine(deployment.machine));
  if (files.profile) (void)read_profile(*files.profile, pipeline);
  if (files.schedule)
    (void)plan_from_yaml(read_text_file(*files.schedule), files.schedule->string(), pipeline, 1);

  ErrorList errors;
  check_processors(deployment, errors);
  if (deployment.restart) check_restart(pipeline, errors);
  check_files(pipeline, option_files(files), errors);
  for (std::size_t i = 0; i < pipeline.stages.size(); ++i) {
    const bool is_live = pipeline.stages[i].kind == StageKind::source &&
                         pipeline.kernels.find_source(pipeline.stages[i].type)->is_live;
    if (is_checked_here(pipeline, i) && (receives || !is_live)) check_source(pipeline, i, errors);
  }
  set_phase(Phase::none);
  errors.throw_if_any();
}

void check_rate(const Pipeline& pipeline) {
  // Rates of instruments have many digits, and users write only some.
  constexpr double rounding = 0.01;
  const std::optional<Frequency> required = pipeline.required_rate(), given = pipeline.source_rate();
  if (!required || !given || required->hertz <= (1 + rounding) * given->hertz) return;
  const auto [wanted, delivered] = distinct_texts(*required, *given);
  throw ConfigError(pipeline.rate_where,
                    fmt::format("'rate': {} is above the rate of the sources, {}: expected at most that",
                                wanted, delivered));
}

}  // namespace takt::pipeline
