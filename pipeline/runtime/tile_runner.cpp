#include "pipeline/runtime/tile_runner.hpp"

#include <algorithm>
#include <span>

namespace takt::pipeline {

TileRunner::TileRunner(RankState& state, RankMemory& memory, EndOfStream& end, RankStages& stages,
                       MessageIo& io, KernelRunner& kernels, const ParameterTracker& parameters)
    : state_(state), memory_(memory), end_(end), io_(io), kernels_(kernels), parameters_(parameters) {
  std::size_t most_members = 0;
  for (const auto& [first, group] : state.program.tiled) {
    most_members = std::max(most_members, group.members.size());
    runs_.push_back(
        std::make_unique<TiledRun>(state.pipeline, group, stages.tile_kernels(),
                                   [this](std::size_t stage, Kernel& kernel, const KernelCall& input) {
                                     return kernels_.call(stage, frame_, kernel, input);
                                   }));
  }
  work_.resize(most_members);
}

void TileRunner::run(TiledRun& run, const Step& first) {
  const TileGroup& group = run.group();
  const Datum& root = memory_.data[state_.slot(first.instance, group.root)];
  if (pass_on_end(group, first.instance, root)) return;
  prepare(group, first.instance, root);
  const std::span work = std::span(work_).first(group.members.size());
  state_.record(first);
  state_.timeline.follow(Use::compute);
  frame_ = state_.frames.of(first);
  const FrameView frame{root.header, {root.bytes, state_.bytes[group.root]}};
  run.run({frame, root.present, root.ended}, work);
  // A trace shows the members one after the other, each with all its tiles.
  for (std::size_t i = 0; state_.recorder && i + 1 < work.size(); ++i) {
    state_.record({OperationKind::compute, first.instance, group.members[i + 1].stage, first.offset});
    state_.timeline.enter(Use::compute, state_.timeline.since() + work[i].time_ns);
  }
  state_.timeline.enter(Use::other);
  count(group, first.instance, root);
}

bool TileRunner::pass_on_end(const TileGroup& group, std::uint32_t instance, const Datum& root) {
  const auto output = [&](const TileGroup::Member& member) -> Datum& {
    return memory_.data[state_.slot(instance, member.stage)];
  };
  if (root.paused) {
    for (const TileGroup::Member& member : group.members) end_.pause_stage(member.stage, output(member));
    return true;
  }
  const auto is_open = [&](const TileGroup::Member& member) { return !end_.has_finished(member.stage); };
  if (root.present || (root.ended && std::ranges::any_of(group.members, is_open))) return false;
  for (const TileGroup::Member& member : group.members)
    output(member) = {.ended = root.ended, .cut_off = root.cut_off, .after_end = root.after_end};
  return true;
}

void TileRunner::prepare(const TileGroup& group, std::uint32_t instance, const Datum& root) {
  for (std::size_t i = 0; i < group.members.size(); ++i) {
    const TileGroup::Member& member = group.members[i];
    const std::size_t slot = state_.slot(instance, member.stage);
    if (root.present && root.header->change > parameters_.known(member.stage)) [[unlikely]]
      kernels_.update(member.stage, root.header->change);
    work_[i] = {.has_finished = end_.has_finished(member.stage)};
    if (member.is_kept) work_[i].output = io_.output_buffer(slot, state_.bytes[member.stage]);
    if (const OutputPlacement* const placement = memory_.placements[slot])
      work_[i].bypasses_caches = placement->kind() == PlacementKind::past_caches;
  }
}

void TileRunner::count(const TileGroup& group, std::uint32_t instance, const Datum& root) {
  for (std::size_t i = 0; i < group.members.size(); ++i) {
    const TileGroup::Member& member = group.members[i];
    const TiledRun::Work& done = work_[i];
    const std::size_t slot = state_.slot(instance, member.stage);
    StageTally& tally = state_.tally.stages[member.stage];
    if (done.has_finished && !end_.has_finished(member.stage)) end_.finish(member.stage);
    Datum& output = memory_.data[slot];
    output = {done.output.header, done.output.bytes.data(), done.is_present, done.has_ended, root.cut_off,
              root.after_end};
    if (done.was_called) tally.ran(done.time_ns);
    if (done.is_present) tally.counts["given"].add(1);
    if (OutputPlacement* const placement = memory_.placements[slot]; placement != nullptr && done.is_present)
      placement->took(done.time_ns);
    if (member.is_kept) state_.show(member.stage, output);
  }
}

}  // namespace takt::pipeline
