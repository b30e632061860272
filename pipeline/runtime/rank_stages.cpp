#include "pipeline/runtime/rank_stages.hpp"

#include <algorithm>
#include <utility>

#include <fmt/format.h>

#include "pipeline/runtime/parameter_tracker.hpp"
#include "pipeline/runtime/stage_error.hpp"
#include "pipeline/watching/activity.hpp"

namespace takt::pipeline {

std::vector<bool> KeptStages::has_states(std::size_t count) const {
  std::vector<bool> found(count);
  for (std::size_t i = 0; i < count; ++i)
    found[i] = (i < kernels.size() && kernels[i]) || (i < sinks.size() && sinks[i]) ||
               (i < tile_kernels.size() && !tile_kernels[i].empty());
  return found;
}

RankStages::RankStages(const RankState& state, const RunOptions& options, const StageMakers& makers,
                       JoinedSources* joined, bool is_shared, EndOfStream& end, KeptStages kept)
    : pipeline_(state.pipeline),
      program_(state.program),
      options_(options),
      joined_(joined),
      is_shared_(is_shared),
      draining_(end.draining()),
      tile_kernels_(state.pipeline, std::move(kept.tile_kernels)),
      was_open_(state.pipeline.stages.size()) {
  const std::size_t count = pipeline_.stages.size();
  for (KeptStages* const each : {&stages_, &kept}) {
    each->sources.resize(count);
    each->kernels.resize(count);
    each->sinks.resize(count);
  }
  stages_.memories = std::move(kept.memories);
  for (const auto& [first, group] : program_.tiled)
    for (const TileGroup::Member& member : group.members)
      as_stage(pipeline_, member.stage, 0, [&] { return tile_kernels_.of(member).size(); });
  for (std::size_t i = 0; i < program_.steps.size(); ++i) {
    const Step& step = program_.steps[i];
    if (step.kind != OperationKind::compute) continue;
    if (pipeline_.stages[step.index].kind != StageKind::source) end.expect(step.index);
    if (!is_tiled(program_, i))
      as_stage_at(pipeline_, step.index, Deadline::set_up, [&] { return make(step.index, makers, kept), 0; });
  }
  for (std::size_t i = 0; i < count; ++i)
    if (stages_.sources[i]) own_sources_.push_back(i);
}

void RankStages::make(std::size_t stage, const StageMakers& makers, KeptStages& kept) {
  const auto take_over = [&](auto& own, auto& other) {
    if (own[stage] || !other[stage]) return;
    own[stage] = std::move(other[stage]);
    was_open_[stage] = true;
  };
  take_over(stages_.sources, kept.sources);
  if (stages_.sources[stage] && was_open_[stage]) stages_.sources[stage]->obey(draining_);
  take_over(stages_.kernels, kept.kernels);
  take_over(stages_.sinks, kept.sinks);
  const StageKind kind = pipeline_.stages[stage].kind;
  if (kind == StageKind::source && !stages_.sources[stage])
    stages_.sources[stage] = make_source(stage, makers);
  if (kind == StageKind::kernel && !stages_.kernels[stage]) {
    stages_.kernels[stage] = makers.kernel(stage);
    if (const SavedStage* before = options_.saved(stage); before && before->state)
      stages_.kernels[stage]->load(*before->state);
  }
  if (kind == StageKind::sink && !stages_.sinks[stage]) {
    stages_.sinks[stage] = makers.sink ? makers.sink(stage) : pipeline_.make_sink(stage);
    note_descriptions(stage);
    if (options_.restarting != nullptr)
      stages_.sinks[stage]->use_output_book(options_.restarting->book_of(stage));
  }
}

std::unique_ptr<SourceFeed> RankStages::make_source(std::size_t stage, const StageMakers& makers) {
  std::unique_ptr<sensors::Source> source;
  if (joined_ != nullptr)
    source = joined_->make(stage, options_.clock_offset_ns, makers.source ? makers.source(stage) : nullptr);
  else
    source = makers.source ? makers.source(stage) : pipeline_.make_source(stage);
  source->begin_at(options_.start_utc_ns);
  auto feed = std::make_unique<SourceFeed>(std::move(source), options_.limits, draining_);
  if (joined_ != nullptr) joined_->set_feed(*feed);
  if (is_shared_) feed->share();
  const SourceKind* const kind = pipeline_.kernels.find_source(pipeline_.stages[stage].type);
  if (!makers.source && kind != nullptr && kind->is_live) feed->measure_age();
  if (options_.restarting != nullptr) feed->follow_stream();
  if (const SavedStage* before = options_.saved(stage); before && before->stream)
    feed->resume(*before->stream, joined_ != nullptr);
  return feed;
}

/// Adds the descriptions of recordings upstream of a sink (Stage::description) to its history.
void RankStages::note_descriptions(std::size_t sink) {
  for (std::size_t source = 0; source < sink; ++source) {
    const Stage& each = pipeline_.stages[source];
    if (each.description.empty() || !is_downstream(pipeline_, sink, source)) continue;
    for (const std::string& line : each.description)
      stages_.sinks[sink]->note(fmt::format("source {}: {}", each.name, line));
  }
}

bool RankStages::has_live_source() const {
  return std::ranges::any_of(own_sources_,
                             [&](std::size_t stage) { return !stages_.sources[stage]->has_ended(); });
}

std::vector<bool> RankStages::lend_many() const {
  std::vector<bool> found(pipeline_.stages.size());
  for (const std::size_t stage : own_sources_)
    found[stage] = !was_open_[stage] && stages_.sources[stage]->source().least_pool() > 0;
  return found;
}

void RankStages::open_sinks() {
  for (std::size_t i = 0; i < stages_.sinks.size(); ++i) {
    if (!stages_.sinks[i] || was_open_[i]) continue;
    as_stage_at(pipeline_, i, Deadline::set_up, [&] {
      if (const SavedStage* before = options_.saved(i); before && before->state)
        stages_.sinks[i]->resume(*before->state);
      else
        stages_.sinks[i]->open();
      return 0;
    });
  }
}

void RankStages::start_sources() {
  for (const std::size_t stage : own_sources_)
    if (!was_open_[stage])
      as_stage_at(pipeline_, stage, Deadline::set_up,
                  [&] { return stages_.sources[stage]->source().start(), 0; });
}

void RankStages::change(std::size_t stage, const Parameters& parameters) {
  as_stage(pipeline_, stage, 0, [&] {
    std::unique_ptr<Kernel>& kernel = stages_.kernels[stage];
    if (kernel && !kernel->change(parameters)) kernel = pipeline_.make_kernel(stage, parameters);
    // Groups that do the same for different instances share their kernels.
    for (const auto& [first, group] : program_.tiled)
      for (const TileGroup::Member& member : group.members)
        if (member.stage == stage) return tile_kernels_.change(member, parameters), 0;
    return 0;
  });
}

KeptStages RankStages::take() {
  own_sources_.clear();
  stages_.tile_kernels = tile_kernels_.take(pipeline_.stages.size());
  return std::exchange(stages_, {});
}

void RankStages::destroy() {
  std::vector<TileKernels::Kernels> tiles = tile_kernels_.take(pipeline_.stages.size());
  for (std::size_t i = 0; i < stages_.sources.size(); ++i) {
    end_finishing(pipeline_.stages[i].name);
    const AtOtherWork at_work(pipeline_.stages[i].name, Deadline::end);
    stages_.sources[i].reset();
    stages_.kernels[i].reset();
    tiles[i].clear();
    stages_.sinks[i].reset();
  }
  own_sources_.clear();
}

}  // namespace takt::pipeline
