#include "pipeline/costs/group_profile.hpp"

#include <algorithm>
#include <numeric>

#include <fmt/format.h>

#include "core/error.hpp"
#include "core/system/allowed_processors.hpp"
#include "core/system/clock.hpp"
#include "pipeline/calls/kernel_call.hpp"
#include "pipeline/constants.hpp"
#include "pipeline/costs/core_choice.hpp"
#include "pipeline/costs/thread_group.hpp"
#include "pipeline/costs/trial_frames.hpp"
#include "pipeline/exception_text.hpp"
#include "pipeline/program/blocks.hpp"
#include "pipeline/watching/activity.hpp"
#include "pipeline/watching/hang_watch.hpp"

namespace takt::pipeline {

std::vector<std::size_t> measured_group_sizes(const Pipeline& pipeline, std::size_t stage,
                                              std::size_t ranks) {
  constexpr std::size_t all_up_to = 8;
  std::vector<std::size_t> sizes;
  const std::size_t most = std::min(ranks, pipeline.most_members(stage));
  for (std::size_t size = 2; size < most; size += size < all_up_to ? 1 : size) sizes.push_back(size);
  if (most > 1) sizes.push_back(most);
  return sizes;
}

std::size_t group_runs(Time alone, Time budget) {
  const auto calls = static_cast<std::size_t>(budget.count() / std::max<Time::rep>(alone.count(), 1));
  return std::clamp(calls, least_calls, most_calls);
}

Time time_member(const Pipeline& pipeline, std::size_t stage, Group& group, std::size_t runs) {
  const Stage& task = pipeline.stages[stage];
  const AtWork at_work(task.name);
  const std::unique_ptr<Kernel> kernel = pipeline.make_kernel(stage);
  kernel->join(group);
  std::vector<TrialFrame> frames;
  std::vector<FrameView> inputs;
  const auto part = [&](const FrameType& type, std::size_t axis) {
    return type_of(type, box_of(type, axis, group.size(), group.rank())).size();
  };
  for (std::size_t i = 0; i < task.inputs.size(); ++i) {
    const FrameType& type = pipeline.stages[task.inputs[i]].output;
    frames.emplace_back(part(type, task.distribution->inputs[i]));
    fill_with_noise(frames.back().buffer(), type.element);
  }
  for (const TrialFrame& frame : frames) inputs.push_back(frame.view());
  TrialFrame output(part(task.output, task.distribution->output));
  OtherTasks others(pipeline, stage);

  std::vector<std::int64_t> taken(group.size()), slowest;
  BlockSharing times(group, std::as_writable_bytes(std::span(taken)), taken.size());
  // The first frame warms up.
  for (std::size_t run = 0; run <= runs; ++run) {
    others.run();
    for (TrialFrame& frame : frames) {
      frame.buffer().header->sequence = run;
      touch(frame.buffer().bytes);
    }
    times.run();
    begin_work();
    const std::int64_t start = now_ns();
    (void)process_checked(*kernel, inputs, output.buffer(), true);
    taken[group.rank()] = now_ns() - start;
    times.run();
    if (run > 0) slowest.push_back(std::ranges::max(taken));
  }
  if (!task.stateless)
    return Time(std::accumulate(slowest.begin(), slowest.end(), std::int64_t{0}) /
                static_cast<std::int64_t>(runs));
  std::ranges::sort(slowest);
  return Time(slowest[slowest.size() / 2]);
}

void profile_groups(const Pipeline& pipeline, std::size_t ranks, std::vector<StageCost>& costs, Time budget) {
  const std::size_t most = std::min<std::size_t>(ranks, allowed_processors().size());
  for (std::size_t stage = 0; stage < pipeline.stages.size(); ++stage)
    for (const std::size_t size : measured_group_sizes(pipeline, stage, most)) {
      Time time{0};
      try {
        run_as_group(size, [&](Group& group) {
          const Time taken = time_member(pipeline, stage, group, group_runs(costs[stage].cost, budget));
          if (group.rank() == 0) time = taken;
        });
      } catch (const ConfigError&) {
        throw;
      } catch (const std::exception& error) {
        throw WorkError(fmt::format("task '{}' failed while a group of {} was measured: {}",
                                    pipeline.stages[stage].name, size, exception_text(error)));
      }
      costs[stage].groups.push_back({static_cast<std::uint32_t>(size), time});
    }
}

std::vector<StageCost> profile_with_groups(const Pipeline& given, const ProfileOptions& options) {
  const HangWatch hang_watch(given.deployment.deadlines);
  RankTasks tasks(most_cores(given.deployment, allowed_processors().size(), given.deployment.ranks));
  Pipeline pipeline = given;
  pipeline.tasks = &tasks;
  std::vector<StageCost> costs =
      costs_of_best_cores(pipeline, tasks, [&] { return profile(pipeline, options); });
  profile_groups(pipeline, pipeline.deployment.ranks, costs, options.budget);
  return costs;
}

}  // namespace takt::pipeline
