#include "pipeline/runtime/executor.hpp"

#include <algorithm>

#include <fmt/format.h>

#include "core/system/clock.hpp"
#include "logp/mpi/blocking.hpp"
#include "pipeline/program/execution.hpp"
#include "pipeline/runtime/pinning.hpp"
#include "pipeline/runtime/privileges.hpp"
#include "pipeline/watching/activity.hpp"

namespace takt::pipeline {

Executor::Executor(const Pipeline& pipeline, const RankProgram& program, MPI_Comm communicator,
                   const std::vector<int>& nodes, StageMakers makers, const RunOptions& options,
                   RankTally& tally, KeptStages kept)
    : pipeline_(pipeline),
      program_(program),
      communicator_(communicator),
      makers_(std::move(makers)),
      options_(options),
      tally_(tally),
      timeline_(tally.uses),
      tile_kernels_(pipeline, std::move(kept.tile_kernels)),
      kept_(std::move(kept)) {
  tally_.waits.make(nodes.size());
  kept_.sources.resize(pipeline.stages.size());
  kept_.kernels.resize(pipeline.stages.size());
  kept_.sinks.resize(pipeline.stages.size());
  was_open_.resize(pipeline.stages.size());
  for (std::size_t i = 0; i < pipeline.stages.size(); ++i) {
    bytes_.push_back(pipeline.stages[i].output.size().count);
    frames_a_round_.push_back(instances_of(program, i));
  }
  known_changes_.resize(pipeline.stages.size());
  // What kernels keep from before is not known.
  if (options_.first_frame > 0 || (options_.restarting != nullptr && options_.restarting->from))
    for (StageTally& stage : tally_.stages) stage.kept = StageTally::unknown;
  remember_changes();
  join_sources();
  if (options_.traced) {
    recorder_.emplace(*options_.traced);
    timeline_.record(&*recorder_);
  }
  share_source();
  make_stages();
  neighbourhood_ = neighbourhood(nodes);
  layout_ = lay_out(pipeline_, program_, neighbourhood_);
  allocate(nodes);
  bind_steps();
}

Executor::~Executor() {
  std::vector<TileKernels::Kernels> tiles = tile_kernels_.take(pipeline_.stages.size());
  for (std::size_t i = 0; i < pipeline_.stages.size() && i < sources_.size(); ++i) {
    end_finishing(pipeline_.stages[i].name);
    const AtOtherWork at_work(pipeline_.stages[i].name, Deadline::end);
    sources_[i].reset();
    kernels_[i].reset();
    tiles[i].clear();
    sinks_[i].reset();
  }
}

void Executor::join_sources() {
  if (!pipeline_.joins_sources()) return;
  const bool has_sources = std::ranges::any_of(program_.steps, [&](const Step& step) {
    return step.kind == OperationKind::compute && pipeline_.stages[step.index].kind == StageKind::source;
  });
  news_.emplace(communicator_, has_sources);
  if (!has_sources) return;
  sensors::GroupOptions options = pipeline_.group_options();
  options.decides = news_->decides();
  options.granule = program_.instances;
  group_.emplace(options);
}

void Executor::remember_changes() {
  if (options_.changes == nullptr) return;
  for (std::size_t stage = 0; stage < known_changes_.size(); ++stage) {
    // What is made anew begins with the pipeline file's parameters.
    UpdateQueue::Known& known = options_.changes->known(stage);
    if (!kept_.kernels[stage] && !kept_.sinks[stage] && !tile_kernels_.has(stage)) known = {};
    known_changes_[stage] = known.number;
  }
}

void Executor::make_stages() {
  const std::size_t count = pipeline_.stages.size();
  sources_.resize(count);
  kernels_.resize(count);
  sinks_.resize(count);
  finished_.resize(count, true);
  drained_before_rest_.resize(count);
  finishing_since_ns_.resize(count);
  make_tiled_runs();
  std::size_t most_inputs = 0;
  for (std::size_t i = 0; i < program_.steps.size(); ++i) {
    const Step& step = program_.steps[i];
    if (step.kind != OperationKind::compute) continue;
    const Stage& stage = pipeline_.stages[step.index];
    most_inputs = std::max(most_inputs, stage.inputs.size());
    if (stage.kind != StageKind::source) finished_[step.index] = false;
    if (!is_tiled(program_, i))
      as_stage_at(pipeline_, step.index, Deadline::set_up, [&] { return make_stage(step.index), 0; });
  }
  for (std::size_t i = 0; i < count; ++i)
    if (sources_[i]) own_sources_.push_back(i);
  unfinished_ = stages_to_finish_ = static_cast<std::size_t>(std::ranges::count(finished_, false));
  inputs_.resize(most_inputs);
}

void Executor::make_stage(std::size_t index) {
  const StageKind kind = pipeline_.stages[index].kind;
  const auto take_over = [&](auto& own, auto& kept) {
    if (own[index] || !kept[index]) return;
    own[index] = std::move(kept[index]);
    was_open_[index] = true;
  };
  take_over(sources_, kept_.sources);
  if (sources_[index] && was_open_[index]) sources_[index]->obey(draining_);
  take_over(kernels_, kept_.kernels);
  take_over(sinks_, kept_.sinks);
  if (kind == StageKind::source && !sources_[index]) {
    std::unique_ptr<sensors::Source> source;
    if (group_) {
      auto joined = pipeline_.make_joined_source(index, *group_, options_.clock_offset_ns,
                                                 makers_.source ? makers_.source(index) : nullptr);
      joined_.push_back({index, joined.get()});
      source = std::move(joined);
    } else {
      source = makers_.source ? makers_.source(index) : pipeline_.make_source(index);
    }
    source->begin_at(options_.start_utc_ns);
    sources_[index] = std::make_unique<SourceFeed>(std::move(source), options_.limits, draining_);
    if (turns_ || claims_) sources_[index]->share();
    if (options_.restarting != nullptr) sources_[index]->follow_stream();
    if (const SavedStage* before = saved(index); before && before->stream)
      sources_[index]->resume(*before->stream, group_.has_value());
  }
  if (kind == StageKind::kernel && !kernels_[index]) {
    kernels_[index] = makers_.kernel(index);
    if (const SavedStage* before = saved(index); before && before->state)
      kernels_[index]->load(*before->state);
  }
  if (kind == StageKind::sink && !sinks_[index]) {
    sinks_[index] = makers_.sink ? makers_.sink(index) : pipeline_.make_sink(index);
    note_descriptions(index);
    if (options_.restarting != nullptr) sinks_[index]->keep_book(book_of(index));
  }
}

void Executor::make_tiled_runs() {
  std::size_t most_members = 0;
  for (const auto& [first, group] : program_.tiled) {
    most_members = std::max(most_members, group.members.size());
    for (const TileGroup::Member& member : group.members)
      as_stage(pipeline_, member.stage, 0, [&] { return tile_kernels_.of(member).size(); });
    tiled_runs_.push_back(std::make_unique<TiledRun>(
        pipeline_, group, tile_kernels_, [this](std::size_t stage, Kernel& kernel, const KernelCall& input) {
          return call(stage, tiled_frame_, kernel, input);
        }));
  }
  tiled_work_.resize(most_members);
}

Neighbourhood Executor::neighbourhood(const std::vector<int>& nodes) const {
  int rank = 0;
  MPI_Comm_rank(communicator_, &rank);
  const auto node_of = [&](int other) { return nodes[static_cast<std::size_t>(other)]; };
  Neighbourhood neighbourhood;
  for (const ChannelPlan& plan : program_.sends)
    neighbourhood.is_shared.push_back(node_of(plan.peer) == node_of(rank));
  // A source that goes on receives in memory that others do not know.
  for (std::size_t i = 0; i < sources_.size(); ++i)
    neighbourhood.lends_many.push_back(sources_[i] && !was_open_[i] &&
                                       sources_[i]->source().least_pool() > 0);
  return neighbourhood;
}

void Executor::allocate(const std::vector<int>& nodes) {
  data_.resize(layout_.homes.size());
  headers_.resize(layout_.homes.size());
  arena_.emplace(layout_.places, layout_.place_size);
  if (options_.checks_memory) memory_check_.emplace(layout_.place_size);
  output_placements_.resize(layout_.homes.size());
  OutputPlacements& output_placements =
      options_.output_placements != nullptr ? *options_.output_placements : own_output_placements_;
  for (std::size_t i = 0; i < output_placements_.size(); ++i) {
    const std::optional<Home>& home = layout_.homes[i];
    if (!home || (!home->may_be_copied && !home->may_pass_caches)) continue;
    const std::size_t stage = i % pipeline_.stages.size();
    output_placements_[i] =
        &output_placements.of(pipeline_.stages[stage].name, home->may_be_copied, bytes_[stage]);
  }
  if (layout_.may_copy()) workbench_.emplace(1, layout_.place_size);
  sends_.resize(program_.sends.size());
  receives_.resize(program_.receives.size());

  SharedLayout shared;
  for (std::size_t c = 0; c < program_.sends.size(); ++c) {
    std::optional<RingPlace>& ring = shared.rings.emplace_back();
    if (!neighbourhood_.is_shared[c]) continue;
    ring = {.depth = ring_depth(pipeline_, program_.sends[c], program_.instances),
            .stride = layout_.messages[c].bytes};
    ring->offset = shared.add(ring->bytes());
  }
  struct Pool {
    std::size_t stage, offset, frames, stride;
  };
  std::vector<Pool> pools;
  for (std::size_t stage = 0; stage < sources_.size(); ++stage) {
    if (!neighbourhood_.lends_many[stage]) continue;
    // Frames are given back in their order: of every round that somebody still reads, and of that at work,
    // which sources that are joined put together ahead.
    std::size_t rounds = 1;
    for (std::uint32_t instance = 0; instance < program_.instances; ++instance)
      for (std::size_t c : layout_.referring[slot(instance, stage)])
        rounds = std::max(rounds, 1 + shared.rings[c]->depth);
    const std::size_t lent = rounds == 1 && gives_back_early()
                                 ? most_lent(program_, layout_, stage, pipeline_.stages.size())
                                 : rounds * instances_of(program_, stage);
    if (lent == 1) continue;
    constexpr std::size_t line = 64;
    const std::size_t stride = (bytes_[stage] + line - 1) / line * line;
    const std::size_t frames = sources_[stage]->source().least_pool() + lent;
    pools.push_back({stage, shared.add(frames * stride), frames, stride});
  }

  channels_ = open_channels(program_.sends, program_.receives, shared, nodes,
                            window_depth(pipeline_.deployment), communicator_);
  for (const Pool& pool : pools)
    sources_[pool.stage]->source().use_pool(
        {{channels_.memory.begin() + pool.offset, pool.frames * pool.stride}, pool.stride});

  const auto is_mpi = [](const auto& channel) { return !channel->is_shared(); };
  waiting_.naps = group_ || std::ranges::any_of(channels_.sends, is_mpi) ||
                  std::ranges::any_of(channels_.receives, is_mpi);
  waiting_.is_oversubscribed = options_.niceness > 0 || options_.share.is_oversubscribed();
  may_skim_ = !waiting_.naps && !memory_check_ && program_.tiled.empty();
}

void Executor::bind_steps() {
  std::size_t operands = 0;
  for (const Step& step : program_.steps)
    if (step.kind == OperationKind::compute) operands += pipeline_.stages[step.index].inputs.size();
  operands_.reserve(operands);
  auto tiled = program_.tiled.begin();
  // By step of the program, where it is among those that are bound.
  std::vector<std::size_t> places;
  for (std::size_t i = 0; i < program_.steps.size(); ++i) {
    places.resize(i + 1, bound_steps_.size());
    bound_steps_.push_back(bind(program_.steps[i]));
    if (bound_steps_.back().feed != nullptr && gives_back_early()) bound_steps_.back().number = i;
    if (tiled == program_.tiled.end() || tiled->first != i) continue;
    bound_steps_.back().is_simple = false;
    bound_steps_.back().tiles = tiled_runs_[static_cast<std::size_t>(tiled - program_.tiled.begin())].get();
    i += tiled->group.members.size() - 1;
    ++tiled;
  }
  places.resize(program_.steps.size() + 1, bound_steps_.size());
  if (reordering_) prepare_collection(places);
}

BoundStep Executor::bind(const Step& step) {
  BoundStep made{step};
  if (step.kind != OperationKind::compute) return made;
  const std::size_t index = slot(step.instance, step.index);
  made.stage = &pipeline_.stages[step.index];
  made.output = &data_[index];
  const std::size_t first = operands_.size();
  for (const std::size_t input : made.stage->inputs) operands_.push_back(&data_[slot(step.instance, input)]);
  made.inputs = std::span(operands_).subspan(first);
  made.tally = &tally_of(step.index);
  if (!made.stage->inputs.empty()) made.input_bytes = bytes_[made.stage->inputs.front()];
  if (made.stage->kind == StageKind::source) {
    made.feed = sources_[step.index].get();
    made.is_simple = !layout_.homes[index];
  }
  if (made.stage->kind != StageKind::kernel) return made;
  made.kernel = &kernels_[step.index];
  if (const std::optional<Home>& home = layout_.homes[index]; home && !home->channel)
    made.buffer = output_buffer(index, bytes_[step.index]);
  made.output_placement = output_placements_[index];
  made.only_moves = made.stage->type == redistribution_type;
  made.is_simple =
      made.inputs.size() == 1 && made.buffer && made.output_placement == nullptr && !made.only_moves;
  return made;
}

void Executor::run() {
  open_sinks();
  set_phase(Phase::waiting_for_set_up);
  mpi::barrier(communicator_);
  set_phase(Phase::starting_sources);
  timeline_.start();
  for (const std::size_t source : own_sources_)
    if (!was_open_[source])
      as_stage_at(pipeline_, source, Deadline::set_up, [&] { return sources_[source]->source().start(), 0; });
  set_phase(Phase::running);
  timeline_.enter(Use::other);
  if (options_.processors) keep_to(*options_.processors);
  go_first(pipeline_.deployment, waiting_.is_oversubscribed);
  be_punctual();
  if (options_.niceness > 0) be_nice(options_.niceness);

  const std::uint64_t checkpoint_rounds = options_.restarting != nullptr ? options_.restarting->rounds : 0;
  if (checkpoint_rounds > 0 && options_.first_frame == 0) look_for_checkpoint();
  while (!over()) {
    look_for_pause();
    collection_ ? collect() : run_round();
    ++round_;
    for (const std::size_t source : own_sources_) release_frames(source);
    if (checkpoint_rounds > 0 && round_ % checkpoint_rounds == 0) [[unlikely]]
      look_for_checkpoint();
  }
  timeline_.enter(Use::blocked);
  for (StageTally& stage : tally_.stages) stage.end();
  std::int64_t since = timeline_.since();
  Wait wait(waiting_, since);
  for (std::size_t i = 0; i < channels_.sends.size(); ++i) {
    const auto& channel = channels_.sends[i];
    while (!channel->is_idle()) {
      wait.pause(progress(),
                 [&](std::int64_t latest) { channel->sleep_until_released(channel->released(), latest); });
    }
    const std::int64_t now = now_ns();
    blocked_at(i).add(static_cast<std::uint64_t>(now - std::exchange(since, now)));
  }
  if (is_paused_)
    for (const std::size_t source : own_sources_) release_frames(source);
  const std::int64_t end = timeline_.enter(Use::starved);
  if (program_.steps.empty()) idle_since_.store(end, std::memory_order_relaxed);
  set_phase(Phase::waiting_for_end);
  mpi::barrier(communicator_);
  idle_since_.store(0, std::memory_order_relaxed);
  if (news_) news_->end();
  timeline_.enter(Use::other);
}

bool Executor::over() const {
  if (unfinished_ > 0) return false;
  const bool has_frames =
      std::ranges::any_of(sources_, [](const auto& feed) { return feed && !feed->has_ended(); });
  return (is_paused_ || !has_frames) &&
         std::all_of(sends_.begin(), sends_.end(), [](const Sending& sending) { return sending.closed; }) &&
         std::all_of(receives_.begin(), receives_.end(),
                     [](const Receiving& receiving) { return receiving.closed; });
}

void Executor::begin_rest() {
  if (std::exchange(has_rest_begun_, true)) return;
  set_phase(Phase::draining);
  timeline_.enter(timeline_.use(), now_ns());
  tally_.worked_ns.set(tally_.work_ns());
  tally_.processor_ns.set(static_cast<std::uint64_t>(thread_processor_ns()));
}

void Executor::look_for_pause() {
  if (is_paused_ || !pauses_.load(std::memory_order_relaxed)) return;
  is_paused_ = std::ranges::any_of(sources_, [](const auto& feed) { return feed && !feed->has_ended(); });
}

KeptStages Executor::take_stages() {
  kept_.sources = std::move(sources_);
  kept_.kernels = std::move(kernels_);
  kept_.tile_kernels = tile_kernels_.take(pipeline_.stages.size());
  kept_.sinks = std::move(sinks_);
  kept_.memories.push_back(std::move(channels_.memory));
  return std::move(kept_);
}

void Executor::pass_triggers_on() {
  const std::uint32_t triggers = triggers_.load(std::memory_order_relaxed);
  if (triggers == triggers_passed_on_) return;
  triggers_passed_on_ = triggers;
  for (const auto& sink : sinks_)
    if (sink) sink->trigger(std::nullopt);
}

void Executor::begin_files() {
  for (const auto& sink : sinks_)
    if (sink) sink->begin_file();
}

void Executor::hold_sinks(bool are_held) {
  if (!are_held) begin_files();
  are_held_.store(are_held, std::memory_order_release);
}

void Executor::choose_probe(std::optional<std::size_t> stage) {
  const bool is_known = stage && *stage < pipeline_.stages.size();
  probe_.choose(is_known ? stage : std::nullopt,
                is_known ? pipeline_.stages[*stage].output : sensors::FrameType{});
}

void Executor::run_round() {
  take_turn();
  timeline_.begin_round(program_.steps.size(), may_skim_);
  pass_triggers_on();
  run_steps(bound_steps_);
  if (!closing_.empty()) [[unlikely]]
    close_sinks();
  release_round();
  if (claims_) claims_->end_round();
}

void Executor::record(const Step& step) {
  const std::uint64_t frame = frame_of(step.instance);
  if (step.kind == OperationKind::compute)
    return recorder_->begin(frame, TraceKind::task, static_cast<std::uint32_t>(step.index), -1);
  const bool is_send = step.kind == OperationKind::send;
  const ChannelPlan& plan = is_send ? program_.sends[step.index] : program_.receives[step.index];
  recorder_->begin(frame, is_send ? TraceKind::send : TraceKind::receive,
                   static_cast<std::uint32_t>(plan.tag), plan.peer);
}

std::optional<RankTrace> Executor::trace() const {
  if (!recorder_) return std::nullopt;
  return recorder_->trace(options_.clock_offset_ns);
}

std::int64_t Executor::idle_ns() const {
  const std::int64_t since = idle_since_.load(std::memory_order_relaxed);
  return since == 0 ? 0 : now_ns() - since;
}

void Executor::advance_sources() {
  if (!group_) return;
  news_->exchange(*group_);
  for (const Joined& joined : joined_)
    as_stage(pipeline_, joined.stage, 0, [&] {
      const std::int64_t now = now_ns();
      sources_[joined.stage]->stop_when_due(now);
      return joined.source->advance(now), 0;
    });
  news_->exchange(*group_);
}

}  // namespace takt::pipeline
