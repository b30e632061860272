#pragma once
/// The loop of one rank, which runs the steps of its program for each frame.

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <vector>

#include <mpi.h>

#include "core/system/stop_request.hpp"
#include "pipeline/config/pipeline.hpp"
#include "pipeline/program/program.hpp"
#include "pipeline/runtime/bound_steps.hpp"
#include "pipeline/runtime/checkpointing.hpp"
#include "pipeline/runtime/counting/tally.hpp"
#include "pipeline/runtime/end_of_stream.hpp"
#include "pipeline/runtime/joined_sources.hpp"
#include "pipeline/runtime/kernel_runner.hpp"
#include "pipeline/runtime/message_io.hpp"
#include "pipeline/runtime/parameter_tracker.hpp"
#include "pipeline/runtime/probe.hpp"
#include "pipeline/runtime/rank_memory.hpp"
#include "pipeline/runtime/rank_stages.hpp"
#include "pipeline/runtime/rank_state.hpp"
#include "pipeline/runtime/reorder_loop.hpp"
#include "pipeline/runtime/run_options.hpp"
#include "pipeline/runtime/sink_runner.hpp"
#include "pipeline/runtime/source_reader.hpp"
#include "pipeline/runtime/source_sharing.hpp"
#include "pipeline/runtime/step_runner.hpp"
#include "pipeline/runtime/stretches.hpp"
#include "pipeline/runtime/tile_runner.hpp"
#include "pipeline/runtime/travelling_state.hpp"

namespace takt::pipeline {

/// Runs one rank's share of a pipeline. Construction makes the stages and posts the receives; `run` returns
/// when the stream is over and every frame has left. In steady state, it allocates nothing but copies of
/// states that travel, and takes no lock of its own.
///
/// It owns the loop and the end of the stream; each part has one task:
///
///     RankState        program, current frames, counters       RankMemory   memory of outputs
///     RankStages       sources, kernels, sinks                 EndOfStream  the stages that have ended
///     StepRunner       the steps, and the fast path for small frames
///     SourceReader, KernelRunner, TileRunner, SinkRunner, MessageIo   one kind of step each
///     SourceSharing, JoinedSources   sources of several ranks  ReorderLoop  their frames in order
///     ParameterTracker parameter updates                       Checkpointing
///     TravellingState  states that travel with the frames      Stretches    fill and drain the pipeline
///
/// A rank stops when all its stages and channels have ended (EndOfStream).
class Executor {
 public:
  /// Every rank of the communicator must construct one, whether or not its program has steps. Throws
  /// StageError when a stage cannot be made.
  ///
  /// `nodes` is the node of each rank; ranks of a node share memory (runtime/channels/nodes.hpp). Kept stages
  /// are used as they are, with started sources and open sinks. Kept stages that are now placed elsewhere are
  /// not used.
  Executor(const Pipeline& pipeline, const RankProgram& program, MPI_Comm communicator,
           const std::vector<int>& nodes, const StageMakers& makers, const RunOptions& options,
           RankTally& tally, KeptStages kept = {});
  Executor(const Executor&) = delete;
  Executor& operator=(const Executor&) = delete;
  /// Destroys the stages that no other executor took, each as the current task.
  ~Executor();

  /// Opens the sinks, waits for all ranks, and starts the source. Works until the end of the stream, then
  /// waits for all ranks. Throws StageError when a stage fails; only MPI_Abort may then use the
  /// communicator.
  void run();

  /// Advances the joined sources of this rank while one of its kernels waits for other ranks.
  void advance_sources() {
    if (joined_) joined_->advance();
  }

  /// From any thread: sources stop receiving; frames that they have received are still delivered.
  void drain() {
    ask_to_stop();
    end_.drain();
  }

  /// From any thread: ends the work after an iteration as if the stream ended there, but kernels keep their
  /// state and sinks stay open. Only the rank with the source needs this call. Not allowed with joined
  /// sources.
  void pause() { pauses_.store(true, std::memory_order_relaxed); }
  /// Returns whether `run` returned because of a pause; false also if this rank has not noticed it.
  [[nodiscard]] bool was_paused() const { return end_.is_paused(); }
  /// Returns the stages after a pause. The executor is then unusable.
  [[nodiscard]] KeptStages take_stages();

  /// From any thread: commands of the user to all sinks (SinkRunner).
  void trigger_sinks() { sinks_.trigger(); }
  void begin_files() { sinks_.begin_files(); }
  void hold_sinks(bool are_held) { sinks_.hold(are_held); }
  /// Shows frames of this stage, or of none, to the probe. For the thread that calls Probe::look.
  void choose_probe(std::optional<std::size_t> stage);
  [[nodiscard]] Probe& probe() { return state_.probe; }

  /// Return the source or sink of a stage placed here; null elsewhere.
  [[nodiscard]] const SourceFeed* source(std::size_t stage) const { return stages_.source(stage); }
  [[nodiscard]] const sensors::Sink* sink(std::size_t stage) const { return stages_.sink(stage); }
  /// Returns the recorded trace; nothing without tracing. Called after `run` has returned.
  [[nodiscard]] std::optional<RankTrace> trace() const;
  /// Returns how long this rank, which has no task, has waited for the other ranks to end; 0 afterwards. From
  /// any thread.
  [[nodiscard]] std::int64_t idle_ns() const;
  /// Returns how many frames of an iteration of the schedule this rank claims together, if frames are
  /// self-scheduled without an order; 0 otherwise.
  [[nodiscard]] std::size_t claimed_per_round() const;

 private:
  /// Returns whether all stages and channels have ended.
  [[nodiscard]] bool is_over() const;
  /// Prepares the thread for work, and waits until all ranks are ready.
  void start();
  void run_round();
  /// Runs the steps that belong to this iteration.
  void run_steps(std::span<const BoundStep> steps);
  /// Waits until the messages of this rank are read and all ranks are done.
  void finish();
  /// Begins a pause if one is requested and the stream can be paused.
  void pause_when_asked();

  const RunOptions options_;
  MPI_Comm communicator_;
  /// Null if the pipeline has one source.
  std::unique_ptr<JoinedSources> joined_;
  SourceSharing sharing_;
  RankState state_;
  EndOfStream end_;
  ParameterTracker parameters_;
  RankStages stages_;
  /// Output placements if RunOptions has none.
  OutputPlacements own_placements_;
  Neighbourhood neighbourhood_;
  RankMemory memory_;
  const bool releases_early_;
  MessageIo io_;
  KernelRunner kernels_;
  TileRunner tiles_;
  SinkRunner sinks_;
  SourceReader sources_;
  TravellingStates travelling_;
  BoundSteps steps_;
  StepRunner runner_;
  std::optional<ReorderLoop> reorder_;
  Stretches stretches_;
  Checkpointing checkpointing_;
  /// Whether timing may be sampled (Timeline): not if each step lets MPI make progress, nor if memory is
  /// checked.
  bool may_sample_ = false;
  std::atomic<bool> pauses_{false};
  /// When it became idle without a task (now_ns); 0 if it is not idle.
  std::atomic<std::int64_t> idle_since_{0};
};

}  // namespace takt::pipeline
