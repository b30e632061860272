#include "tests/pipeline/tiles/rank_loop.hpp"

#include <algorithm>

#include "pipeline/costs/tile_trials.hpp"
#include "pipeline/costs/trial_frames.hpp"

namespace takt::pipeline::test {

RankLoop::RankLoop(const Pipeline& pipeline, const Tiling& tiling)
    : pipeline_(pipeline),
      memory_(pipeline, tiling),
      tile_kernels_(pipeline),
      headers_(pipeline.stages.size()),
      frames_(pipeline.stages.size()),
      is_present_(pipeline.stages.size()) {
  for (std::size_t i = 0; i < frames_.size(); ++i)
    if (memory_.has_frame(i)) frames_[i] = {&headers_[i], memory_.frame(i).bytes};
  for (const std::size_t source : pipeline.sources())
    fill_with_noise(frames_[source], pipeline.stages[source].output.element);
  std::vector<bool> is_in_step(pipeline.stages.size());
  for (std::size_t i = 0; i < pipeline.stages.size(); ++i) {
    if (pipeline.stages[i].kind != StageKind::kernel || is_in_step[i]) continue;
    Step step{.stage = i};
    if (tiling[i]) {
      step.group = std::make_unique<Group>(Group{*group_from(pipeline, tiling, tiling[i]->group), {}, {}});
      for (const TileGroup::Member& member : step.group->group.members) is_in_step[member.stage] = true;
      step.group->work.resize(step.group->group.members.size());
      step.group->run = std::make_unique<TiledRun>(
          pipeline, step.group->group, tile_kernels_,
          [](std::size_t, Kernel& kernel, const KernelCall& call) { return call_kernel(kernel, call); });
    } else {
      step.kernel = pipeline.make_kernel(i);
    }
    steps_.push_back(std::move(step));
  }
}

void RankLoop::begin(const std::byte* frame) {
  const std::size_t source = pipeline_.sources().front();
  frames_[source].bytes = {const_cast<std::byte*>(frame), frames_[source].bytes.size()};
  is_present_.assign(is_present_.size(), false);
  for (const std::size_t each : pipeline_.sources()) {
    headers_[each] = {.sequence = sequence_, .parts = 1};
    is_present_[each] = true;
  }
  ++sequence_;
}

void RankLoop::run(const std::byte* frame) {
  begin(frame);
  for (Step& step : steps_) run(step);
}

std::vector<std::byte> RankLoop::run(const std::byte* frame, std::size_t stage) {
  begin(frame);
  std::vector<std::byte> output;
  // Later outputs may have the same place.
  for (Step& step : steps_) {
    const bool was_present = is_present_[stage];
    run(step);
    if (is_present_[stage] && !was_present)
      output.assign(frames_[stage].bytes.begin(), frames_[stage].bytes.end());
  }
  return output;
}

void RankLoop::run_kernel(Step& step) {
  inputs_.clear();
  for (const std::size_t input : pipeline_.stages[step.stage].inputs) {
    if (!is_present_[input]) return;
    inputs_.push_back({frames_[input].header, frames_[input].bytes});
  }
  const KernelResult result =
      call_kernel(*step.kernel, {.inputs = inputs_, .output = frames_[step.stage], .has_canary = true});
  is_present_[step.stage] = result.outcome == Outcome::produced;
}

void RankLoop::run_group(Group& group) {
  const std::size_t root = group.group.root;
  if (!is_present_[root]) return;
  for (std::size_t i = 0; i < group.work.size(); ++i) {
    group.work[i] = {};
    if (group.group.members[i].is_kept) group.work[i].output = frames_[group.group.members[i].stage];
  }
  group.run->run({{frames_[root].header, frames_[root].bytes}, true, false}, group.work);
  for (std::size_t i = 0; i < group.work.size(); ++i)
    is_present_[group.group.members[i].stage] = group.work[i].is_present;
}

RankLoop::Traffic RankLoop::traffic() const {
  Traffic traffic;
  const auto bytes_of = [&](std::size_t stage) { return pipeline_.stages[stage].output.size().count; };
  for (const Step& step : steps_) {
    const auto count = [&](std::size_t stage, bool reads_whole, bool writes_whole) {
      const double share = pipeline_.calls_a_frame(stage);
      for (const std::size_t input : pipeline_.stages[stage].inputs) {
        const auto bytes = static_cast<std::uint64_t>(share * static_cast<double>(bytes_of(input)));
        traffic.all += bytes;
        traffic.whole += reads_whole ? bytes : 0;
      }
      const auto bytes =
          static_cast<std::uint64_t>(pipeline_.stages[stage].gives * static_cast<double>(bytes_of(stage)));
      traffic.all += bytes;
      traffic.whole += writes_whole ? bytes : 0;
    };
    if (!step.group) {
      count(step.stage, true, true);
      continue;
    }
    for (const TileGroup::Member& member : step.group->group.members)
      count(member.stage, !member.parent, member.is_kept);
  }
  return traffic;
}

std::vector<std::size_t> RankLoop::tiles() const {
  std::vector<std::size_t> tiles;
  for (const Step& step : steps_)
    if (step.group) tiles.push_back(step.group->group.members.front().input.tiles);
  return tiles;
}

}  // namespace takt::pipeline::test
