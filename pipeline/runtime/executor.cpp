#include "pipeline/runtime/executor.hpp"

#include "core/system/clock.hpp"
#include "logp/mpi/blocking.hpp"
#include "pipeline/runtime/pinning.hpp"
#include "pipeline/runtime/privileges.hpp"
#include "pipeline/runtime/rank_channels.hpp"
#include "pipeline/watching/activity.hpp"

namespace takt::pipeline {

namespace {

std::unique_ptr<JoinedSources> join_sources(const Pipeline& pipeline, const RankProgram& program,
                                            MPI_Comm communicator) {
  if (!pipeline.joins_sources()) return nullptr;
  return std::make_unique<JoinedSources>(pipeline, program, communicator);
}

}  // namespace

Executor::Executor(const Pipeline& pipeline, const RankProgram& program, MPI_Comm communicator,
                   const std::vector<int>& nodes, const StageMakers& makers, const RunOptions& options,
                   RankTally& tally, KeptStages kept)
    : options_(options),
      communicator_(communicator),
      joined_(join_sources(pipeline, program, communicator)),
      sharing_(pipeline, program, communicator),
      state_(pipeline, program, sharing_.reordering() ? sharing_.reordering()->program : program, tally),
      end_(state_),
      parameters_(pipeline, options.changes, kept.has_states(pipeline.stages.size())),
      stages_(state_, options_, makers, joined_.get(), sharing_.is_shared(), end_, std::move(kept)),
      neighbourhood_(neighbourhood(state_.program, nodes, stages_.lend_many(), communicator)),
      memory_(state_, neighbourhood_,
              options.output_placements != nullptr ? *options.output_placements : own_placements_),
      releases_early_(SourceReader::releases_early(state_.program, sharing_, joined_.get())),
      io_(state_, memory_, end_,
          open_rank_channels(state_, memory_, stages_, neighbourhood_, releases_early_, nodes,
                             options.memory_nodes, communicator),
          {.is_oversubscribed = options.niceness > 0 || options.share.is_oversubscribed(),
           .is_pinned = options.processors.has_value(),
           .reorders = sharing_.reordering().has_value(),
           .joined = joined_.get()}),
      kernels_(state_, memory_, end_, stages_, io_, parameters_,
               {.checks_memory = options.checks_memory, .restarts = options.restarting != nullptr}),
      tiles_(state_, memory_, end_, stages_, io_, kernels_, parameters_),
      sinks_(state_, end_, stages_, parameters_, options.clock_offset_ns, options.iteration_times),
      sources_(state_, memory_, end_, stages_, io_, parameters_, sharing_, joined_.get(),
               options.first_frame),
      travelling_(share_states(
          pipeline, program, sharing_.self_scheduling() != nullptr ? 0 : options.first_frame, communicator)),
      steps_(state_, memory_, stages_, travelling_, io_, tiles_, releases_early_),
      runner_(state_, end_, io_, sources_, kernels_, tiles_, sinks_, parameters_),
      stretches_(state_.program, options.restarting != nullptr ? options.restarting->rounds : 0),
      checkpointing_(options.restarting, state_, stages_, end_),
      may_sample_(!io_.polls_mpi() && !options.checks_memory && state_.program.tiled.empty()) {
  state_.frames = sharing_.first_frames(options.first_frame);
  tally.waits.make(nodes.size());
  // The frames that kernels hold from earlier are unknown.
  if (options.first_frame > 0 || (options.restarting != nullptr && options.restarting->from))
    for (StageTally& stage : tally.stages) stage.kept = StageTally::unknown;
  if (options.traced) {
    state_.recorder.emplace(*options.traced);
    state_.timeline.record(&*state_.recorder);
  }
  if (sharing_.reordering())
    reorder_.emplace(state_, memory_, end_, stages_, io_, sharing_, parameters_, runner_, steps_);
}

Executor::~Executor() {
  // Sources receive into the memory of the channels.
  stages_.destroy();
}

void Executor::run() {
  start();
  if (options_.first_frame == 0) checkpointing_.save_when_due();
  while (!is_over()) {
    pause_when_asked();
    run_round();
    const bool holds_no_frame = stretches_.end_round(state_);
    sources_.release_all();
    if (holds_no_frame) checkpointing_.save_when_due();
  }
  finish();
}

void Executor::start() {
  stages_.open_sinks();
  set_phase(Phase::waiting_for_set_up);
  mpi::barrier(communicator_);
  set_phase(Phase::starting_sources);
  state_.timeline.start();
  stages_.start_sources();
  set_phase(Phase::running);
  state_.timeline.enter(Use::other);
  if (options_.processors) keep_to(*options_.processors);
  go_first(state_.pipeline.deployment, io_.waits().policy().is_oversubscribed);
  be_punctual();
  if (options_.niceness > 0) be_nice(options_.niceness);
}

void Executor::run_round() {
  Timeline& timeline = state_.timeline;
  if (sharing_.is_shared() && !reorder_ && stretches_.has(state_.round, 0))
    sharing_.begin_iteration(state_, io_, *stages_.source(stages_.own_sources().front()),
                             parameters_.allowed());
  timeline.begin_iteration(state_.program.steps.size(), may_sample_);
  sinks_.pass_triggers_on();
  if (reorder_) {
    reorder_->run();
  } else {
    run_steps(steps_.of(state_.round));
    io_.release_messages();
    sharing_.end_iteration(state_.frames);
  }
  sinks_.close_ended();
}

void Executor::run_steps(std::span<const BoundStep> steps) {
  if (stretches_.has_all(state_.round)) [[likely]]
    return runner_.run(steps);
  for (const BoundStep& step : steps)
    if (stretches_.has(state_.round, step.offset)) runner_.run({&step, 1});
}

void Executor::finish() {
  for (StageTally& stage : state_.tally.stages) stage.end();
  io_.release_all();
  io_.wait_until_read();
  if (end_.is_paused()) sources_.release_all();
  const std::int64_t end = state_.timeline.enter(Use::starved);
  if (state_.program.steps.empty()) idle_since_.store(end, std::memory_order_relaxed);
  set_phase(Phase::waiting_for_end);
  mpi::barrier(communicator_);
  idle_since_.store(0, std::memory_order_relaxed);
  if (joined_) joined_->end();
  state_.timeline.enter(Use::other);
}

bool Executor::is_over() const {
  return end_.is_complete() && (end_.is_paused() || !stages_.has_live_source()) && io_.has_ended();
}

void Executor::pause_when_asked() {
  if (end_.is_paused() || !pauses_.load(std::memory_order_relaxed)) return;
  if (stages_.has_live_source()) end_.pause();
}

KeptStages Executor::take_stages() {
  KeptStages kept = stages_.take();
  kept.memories.push_back(io_.take_memory());
  return kept;
}

void Executor::choose_probe(std::optional<std::size_t> stage) {
  const bool is_known = stage && *stage < state_.pipeline.stages.size();
  state_.probe.choose(is_known ? stage : std::nullopt,
                      is_known ? state_.pipeline.stages[*stage].output : sensors::FrameType{});
}

std::optional<RankTrace> Executor::trace() const {
  if (!state_.recorder) return std::nullopt;
  return state_.recorder->trace(options_.clock_offset_ns);
}

std::int64_t Executor::idle_ns() const {
  const std::int64_t since = idle_since_.load(std::memory_order_relaxed);
  return since == 0 ? 0 : now_ns() - since;
}

std::size_t Executor::claimed_per_round() const {
  if (sharing_.self_scheduling() == nullptr || reorder_ || !state_.program.sends.empty()) return 0;
  return state_.frames_per_round[state_.pipeline.sources().front()];
}

}  // namespace takt::pipeline
