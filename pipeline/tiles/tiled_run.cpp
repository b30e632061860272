#include "pipeline/tiles/tiled_run.hpp"

#include <algorithm>

#include <fmt/format.h>

#include "core/copy_out.hpp"
#include "core/error.hpp"
#include "core/system/clock.hpp"
#include "pipeline/shared_places.hpp"

namespace takt::pipeline {

namespace {

const FrameType& input_type(const Pipeline& pipeline, std::size_t stage) {
  return pipeline.stages[pipeline.stages[stage].inputs.front()].output;
}

/// Returns true if the output for a tile of the input is that tile of the whole output.
bool is_tile_of(const FrameType& tile, const FrameType& whole, Cut cut) {
  if (!can_cut(whole, cut)) return false;
  const FrameType expected = tile_type(whole, cut, 0);
  return tile.element == expected.element && tile.parts == expected.parts &&
         std::ranges::equal(tile.axes, expected.axes, {}, &Axis::size, &Axis::size);
}

/// Marks parts missing in one tile as missing in the frame.
void merge_missing(const FrameHeader& tile, FrameHeader& frame) {
  frame.missing_parts = std::max(frame.missing_parts, tile.missing_parts);
  frame.missing_mask |= tile.missing_mask;
}

}  // namespace

TileKernels::TileKernels(const Pipeline& pipeline, std::vector<Kernels> kept) : pipeline_(pipeline) {
  for (std::size_t stage = 0; stage < kept.size(); ++stage)
    if (!kept[stage].empty()) by_stage_[stage] = std::move(kept[stage]);
}

std::vector<TileKernels::Kernels> TileKernels::take(std::size_t stages) {
  std::vector<Kernels> kernels(stages);
  for (auto& [stage, of_stage] : by_stage_) kernels[stage] = std::move(of_stage);
  by_stage_.clear();
  return kernels;
}

std::span<const std::unique_ptr<Kernel>> TileKernels::of(const TileGroup::Member& member) {
  const Stage& task = pipeline_.stages[member.stage];
  Kernels& kernels = by_stage_[member.stage];
  for (std::size_t tile = kernels.size(); tile < member.input.tiles; ++tile) {
    FrameType output;
    kernels.push_back(
        pipeline_.make_kernel(member.stage, task.parameters,
                              tile_type(input_type(pipeline_, member.stage), member.input, tile), output));
    if (!is_tile_of(output, task.output, member.output))
      throw ConfigError(
          fmt::format("kernel {} declares tiles along axis {} of its input and axis {} of its output, but "
                      "produces {} for each of {} tiles of {}",
                      task.type, member.input.axis, member.output.axis, output.to_string(),
                      member.input.tiles, task.output.to_string()));
  }
  return kernels;
}

void TileKernels::change(const TileGroup::Member& member, const Parameters& parameters) {
  Kernels& kernels = by_stage_[member.stage];
  for (std::size_t tile = 0; tile < kernels.size(); ++tile) {
    FrameType output;
    if (!kernels[tile]->change(parameters))
      kernels[tile] =
          pipeline_.make_kernel(member.stage, parameters,
                                tile_type(input_type(pipeline_, member.stage), member.input, tile), output);
  }
}

TilePlaces tile_places(const Pipeline& pipeline, const TileGroup& group) {
  const std::size_t count = group.members.size();
  TilePlaces places{.size = Bytes{canary_bytes}};
  places.of.resize(count + 1);
  // The root's tile exists before the first member runs, so all steps are shifted by one.
  std::vector<Lifetime> lifetimes;
  std::vector<std::size_t> owners;
  const auto add = [&](std::size_t owner, const TileCopier& copier, std::size_t from) {
    Lifetime life{from, from};
    for (std::size_t i = 0; i < count; ++i)
      if (group.members[i].parent.value_or(count) == owner) life.to = i + 1;
    lifetimes.push_back(life);
    owners.push_back(owner);
    places.size = std::max(places.size, Bytes{copier.bytes() + canary_bytes});
  };
  const TileCopier root(pipeline.stages[group.root].output, group.members.front().input);
  if (!root.is_contiguous()) add(count, root, 0);
  for (std::size_t i = 0; i < count; ++i) {
    const TileGroup::Member& member = group.members[i];
    const TileCopier copier(pipeline.stages[member.stage].output, member.output);
    if (!member.is_kept || !copier.is_contiguous()) add(i, copier, i + 1);
  }
  const std::vector<std::size_t> shared = share_places(lifetimes);
  for (std::size_t i = 0; i < owners.size(); ++i) {
    places.of[owners[i]] = shared[i];
    places.count = std::max(places.count, shared[i] + 1);
  }
  return places;
}

TiledRun::TiledRun(const Pipeline& pipeline, const TileGroup& group, TileKernels& kernels, Caller caller)
    : pipeline_(pipeline),
      group_(group),
      caller_(std::move(caller)),
      tiles_(group.members.front().input.tiles),
      root_copier_(pipeline.stages[group.root].output, group.members.front().input),
      places_(tile_places(pipeline, group)),
      memory_(std::max<std::size_t>(places_.count, 1), places_.size) {
  for (const TileGroup::Member& member : group.members)
    members_.push_back({.kernels = kernels.of(member),
                        .copier = TileCopier(pipeline.stages[member.stage].output, member.output)});
}

void TiledRun::run(const Input& input, std::span<Work> work) {
  for (Work& own : work) own.time_ns = 0;
  std::int64_t moment = now_ns();
  for (std::size_t tile = 0; tile < tiles_; ++tile) {
    take_root(tile, input);
    for (std::size_t i = 0; i < members_.size(); ++i) {
      run_member(i, tile, input, work[i]);
      const std::int64_t end = now_ns();
      work[i].time_ns += end - moment;
      moment = end;
    }
  }
  if (std::ranges::any_of(work, &Work::bypasses_caches)) end_copies_past_caches();
  for (std::size_t i = 0; i < members_.size(); ++i) {
    work[i].has_finished = work[i].has_finished || members_[i].has_flushed;
    work[i].has_ended = members_[i].has_ended;
  }
}

void TiledRun::take_root(std::size_t tile, const Input& input) {
  if (!input.is_present) return;
  const std::size_t bytes = root_copier_.bytes();
  const std::optional<std::size_t> place = places_.of.back();
  if (place) {
    std::byte* const copy = memory_.frame(*place).data();
    root_copier_.out_of(input.frame.bytes, tile, copy);
    root_tile_ = {input.frame.header, {copy, bytes}};
  } else {
    root_tile_ = {input.frame.header, input.frame.bytes.subspan(root_copier_.offset(tile), bytes)};
  }
}

void TiledRun::run_member(std::size_t index, std::size_t tile, const Input& input, Work& work) {
  Member& member = members_[index];
  const std::optional<std::size_t> parent = group_.members[index].parent;
  const bool is_there = parent ? members_[*parent].is_present : input.is_present;
  const bool has_ended = parent ? members_[*parent].has_ended : input.has_ended;
  const FrameView& from = parent ? members_[*parent].tile : root_tile_;
  const bool finishes = has_ended && !work.has_finished;

  KernelResult result;
  const std::size_t bytes = member.copier.bytes();
  const std::optional<std::size_t> place = places_.of[index];
  if (is_there || finishes) {
    const FrameBuffer output{&member.header,
                             place ? memory_.frame(*place).first(bytes)
                                   : work.output.bytes.subspan(member.copier.offset(tile), bytes)};
    result = caller_(group_.members[index].stage, *member.kernels[tile],
                     {is_there ? std::span(&from, 1) : std::span<const FrameView>{}, finishes, output, true});
    member.tile = {output.header, output.bytes};
  }
  const bool is_present = (is_there || finishes) && result.outcome == Outcome::produced;
  if (tile > 0 && is_present != member.is_present)
    throw WorkError(fmt::format("task '{}' produces {} from the first tile of a frame and {} from tile {}",
                                pipeline_.stages[group_.members[index].stage].name,
                                member.is_present ? "something" : "nothing",
                                is_present ? "something" : "nothing", tile));
  member.is_present = is_present;
  member.has_flushed = result.has_finished;
  member.has_ended = has_ended && (work.has_finished || result.has_finished);
  work.was_called = is_there;
  work.is_present = is_present;
  if (!is_present || !group_.members[index].is_kept) return;
  if (place && work.bypasses_caches)
    member.copier.into_past_caches(work.output.bytes, tile, member.tile.bytes.data());
  else if (place)
    member.copier.into(work.output.bytes, tile, member.tile.bytes.data());
  if (tile == 0)
    *work.output.header = member.header;
  else
    merge_missing(member.header, *work.output.header);
}

}  // namespace takt::pipeline
