#include "pipeline/launch/dry_run.hpp"

#include <algorithm>
#include <numeric>

#include "core/error.hpp"
#include "core/system/allowed_processors.hpp"
#include "core/system/available_memory.hpp"
#include "core/system/host_name.hpp"
#include "core/system/text_file.hpp"
#include "pipeline/costs/profile_file.hpp"
#include "pipeline/launch/interrupt_watch.hpp"
#include "pipeline/launch/jobs/ranks_command.hpp"
#include "pipeline/planning/memory_room.hpp"
#include "pipeline/planning/placed_plans.hpp"
#include "pipeline/planning/places.hpp"
#include "pipeline/protocol/rank_host.hpp"

namespace takt::pipeline {

namespace {

std::size_t own_cores() {
  return allowed_processors().size();
}

}  // namespace

PipelinePlan plan_of(Pipeline pipeline, const RunRecord& record) {
  if (record.is_config_error) throw ConfigError(record.failure);
  if (!record.failure.empty()) throw WorkError(record.failure);
  if (record.was_to_end || record.schedule.empty() || !record.plan)
    throw WorkError("the planning was interrupted");
  pipeline.deployment.ranks = record.plan->ranks;
  PipelinePlan plan = plan_from_yaml(record.schedule, "the plan", pipeline, own_cores());
  // The summary of rank 0 also has the reason for a missed goal and advice.
  plan.summary = *record.plan;
  return plan;
}

namespace {

/// Returns the places of ranks that no one starts: all on this computer.
RankPlaces places_here(const Pipeline& pipeline) {
  for (const Stage& stage : pipeline.stages)
    if (stage.place && !is_on_this_host(pipeline.deployment.site))
      throw ConfigError(
          stage.place->where,
          "'place': with a machine or a schedule, takt plans without the hosts: expected neither, or "
          "all ranks on this computer");
  const RankHost host = has_places(pipeline) ? own_host(pipeline) : RankHost{};
  return find_places(pipeline, std::vector<RankHost>(pipeline.deployment.ranks, host));
}

PipelinePlan in_place(const Pipeline& pipeline, const RankPlaces& places, PipelinePlan plan) {
  check_places(pipeline, places, plan.summary);
  note_places(pipeline, places, plan.summary);
  return plan;
}

PipelinePlan make_plan(const Pipeline& pipeline, const DryRunOptions& options) {
  const std::size_t cores = own_cores();
  if (options.schedule)
    return in_place(
        pipeline, places_here(pipeline),
        plan_from_yaml(read_text_file(*options.schedule), options.schedule->string(), pipeline, cores));
  if (pipeline.deployment.machine.empty() || options.has_trial)
    return plan_of(pipeline, launch({.ranks = pipeline.deployment.ranks,
                                     .site = pipeline.deployment.site,
                                     .stages = pipeline.stages.size(),
                                     .arguments = options.arguments,
                                     .on_progress = options.on_progress}));
  const logp::Machine machine = logp::parse_machine(pipeline.deployment.machine);
  const RankPlaces places = places_here(pipeline);
  PipelinePlan plan = in_place(pipeline, places,
                               plan_in_places(pipeline,
                                              options.profile ? read_profile(*options.profile, pipeline)
                                                              : profile_in_this_process(pipeline),
                                              {machine, cores}, places.ranks));
  if (options.profile)
    for (const std::string& warning : profile_warnings(*options.profile, pipeline))
      plan.summary.notes.push_back(warning);
  return plan;
}

}  // namespace

PipelinePlan dry_run(const Pipeline& pipeline, const DryRunOptions& options) {
  PipelinePlan plan = make_plan(pipeline, options);
  if (const std::optional<Bytes> free = available_memory();
      free && is_on_this_host(pipeline.deployment.site)) {
    std::vector<std::size_t> ranks(plan.summary.memory_bytes.size());
    std::iota(ranks.begin(), ranks.end(), std::size_t{0});
    check_memory_room(plan.summary, ranks, *free, host_name());
  }
  return plan;
}

}  // namespace takt::pipeline
