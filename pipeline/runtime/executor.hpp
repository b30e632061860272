#pragma once
/// The loop of one rank: frame after frame through the steps of its program.

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
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
#include "pipeline/runtime/tile_runner.hpp"

namespace takt::pipeline {

/// Runs one rank's share of a pipeline. Construction makes the stages and posts the receives; `run` returns
/// when the stream is over and every frame has left. In the steady state it allocates nothing and takes no
/// lock of its own.
///
/// It keeps the loop and the end of the stream; each part does one thing with what it was given:
///
///     RankState        program, frames at work, figures        RankMemory   where outputs lie
///     RankStages       sources, kernels, sinks                 EndOfStream  which of them have ended
///     StepRunner       the steps, and the fast path for small frames
///     SourceReader, KernelRunner, TileRunner, SinkRunner, MessageIo   one kind of step each
///     SourceSharing, JoinedSources   sources of several ranks  ReorderLoop  their frames in order
///     ParameterTracker parameter updates                       Checkpointing
///
/// A rank stops when all its stages and channels have ended (EndOfStream).
class Executor {
 public:
  /// Every rank of the communicator must construct one, whether or not its program has steps. Throws
  /// StageError when a stage cannot be made.
  ///
  /// `nodes` says which ranks share memory (runtime/channels/nodes.hpp). Stages that were kept are used as
  /// they are, their sources started and their sinks open; of a stage that is placed elsewhere now, nothing
  /// is used.
  Executor(const Pipeline& pipeline, const RankProgram& program, MPI_Comm communicator,
           const std::vector<int>& nodes, const StageMakers& makers, const RunOptions& options,
           RankTally& tally, KeptStages kept = {});
  Executor(const Executor&) = delete;
  Executor& operator=(const Executor&) = delete;
  /// Ends the stages that no other executor took, each as the task at work.
  ~Executor();

  /// Opens the sinks, waits for all ranks, starts the source, works until the end of the stream, waits for
  /// all ranks. Throws StageError when a stage fails; the communicator is then good for nothing but
  /// MPI_Abort.
  void run();

  /// What a rank does while one of its kernels waits for other ranks: its joined sources go on.
  void go_on() {
    if (joined_) joined_->advance();
  }

  /// From any thread: sources stop receiving; what they took in is still delivered.
  void drain() {
    ask_to_stop();
    end_.drain();
  }

  /// From any thread: ends the work at the end of an iteration as if the stream ended there, but kernels keep
  /// what they have, and sinks stay open. Only the rank with the source needs to be asked. Not with joined
  /// sources.
  void pause() { pauses_.store(true, std::memory_order_relaxed); }
  /// Whether that is why `run` returned; false too where this rank has not noticed.
  [[nodiscard]] bool was_paused() const { return end_.is_paused(); }
  /// Its stages, once it was paused; the executor is good for nothing any more.
  [[nodiscard]] KeptStages take_stages();

  /// From any thread: what the user wants of all sinks (SinkRunner).
  void trigger_sinks() { sinks_.trigger(); }
  void begin_files() { sinks_.begin_files(); }
  void hold_sinks(bool are_held) { sinks_.hold(are_held); }
  /// Shows frames of this stage to the probe, or of none. The thread's that looks.
  void choose_probe(std::optional<std::size_t> stage);
  [[nodiscard]] Probe& probe() { return state_.probe; }

  /// What is placed here, by stage; null elsewhere.
  [[nodiscard]] const SourceFeed* source(std::size_t stage) const { return stages_.source(stage); }
  [[nodiscard]] const sensors::Sink* sink(std::size_t stage) const { return stages_.sink(stage); }
  /// What was recorded; nothing where nothing was to be. When `run` has returned.
  [[nodiscard]] std::optional<RankTrace> trace() const;
  /// How long it has waited for the others to end, without a task of its own; 0 once they have. From any
  /// thread.
  [[nodiscard]] std::int64_t idle_ns() const;
  /// Where frames are self-scheduled without an order: how many of those of an iteration of the schedule this
  /// rank claims at once; 0 elsewhere.
  [[nodiscard]] std::size_t claimed_a_round() const;

 private:
  /// Whether all stages and channels have ended.
  [[nodiscard]] bool is_over() const;
  /// Prepares the thread for work, and waits until all ranks are ready.
  void start();
  void run_round();
  /// Until the messages of this rank are read, and all ranks are done.
  void finish();
  /// Begins a pause where it was asked for, and there is a stream to pause.
  void pause_when_asked();

  const RunOptions options_;
  MPI_Comm communicator_;
  /// Null where the pipeline has one source.
  std::unique_ptr<JoinedSources> joined_;
  SourceSharing sharing_;
  RankState state_;
  EndOfStream end_;
  ParameterTracker parameters_;
  RankStages stages_;
  /// Output placements where RunOptions has none.
  OutputPlacements own_placements_;
  Neighbourhood neighbourhood_;
  RankMemory memory_;
  const bool releases_early_;
  MessageIo io_;
  KernelRunner kernels_;
  TileRunner tiles_;
  SinkRunner sinks_;
  SourceReader sources_;
  BoundSteps steps_;
  StepRunner runner_;
  std::optional<ReorderLoop> reorder_;
  Checkpointing checkpointing_;
  /// Whether iterations may go untimed (Timeline): not where each step lets MPI go on, nor where memory is
  /// checked.
  bool may_skim_ = false;
  std::atomic<bool> pauses_{false};
  /// Since when (now_ns) it is idle, without a task; 0 when it is not.
  std::atomic<std::int64_t> idle_since_{0};
};

}  // namespace takt::pipeline
