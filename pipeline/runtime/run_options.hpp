#pragma once
/// What an executor is asked for, apart from its program.

#include <cstdint>
#include <filesystem>
#include <functional>
#include <optional>
#include <vector>

#include <sched.h>

#include "pipeline/config/stream_limits.hpp"
#include "pipeline/protocol/checkpoint.hpp"
#include "pipeline/protocol/restart_folder.hpp"
#include "pipeline/protocol/status.hpp"
#include "pipeline/runtime/channels/nodes.hpp"
#include "pipeline/runtime/counting/iteration_times.hpp"
#include "pipeline/runtime/output_placement.hpp"
#include "pipeline/runtime/update_queue.hpp"
#include "sensors/output_book.hpp"

namespace takt::pipeline {

/// Where a run that starts again begins, and what it keeps for the next start.
struct Restarting {
  /// The checkpoint to begin with; nothing at the first start.
  std::optional<Checkpoint> from;
  /// Directory of the output books of this host, and the files that sinks of all hosts had begun before.
  std::filesystem::path books;
  BegunFiles begun = {};
  /// Receives the checkpoint of this rank, before the first iteration and after every `rounds` iterations.
  std::uint64_t rounds = 1;
  std::function<void(Checkpoint)> give;
  /// Receives each file that a sink begins.
  std::function<void(const BegunFiles&)> tell = {};

  /// The state of a stage in the checkpoint; null where there is none.
  [[nodiscard]] const SavedStage* saved(std::size_t stage) const {
    return from ? from->find(stage) : nullptr;
  }
  /// In which a sink enters its files.
  [[nodiscard]] sensors::OutputBook book_of(std::size_t sink) const;
};

struct RunOptions {
  StreamLimits limits;
  /// What this rank's node gives it.
  NodeShare share;
  /// The clock of this rank minus the clock of the source's rank.
  std::int64_t clock_offset_ns = 0;
  /// UTC at which sources begin that generate their frames, the same on all ranks; nanoseconds since 1970.
  std::int64_t start_utc_ns = 0;
  /// Processors of the thread that processes frames, once sources have started threads of their own.
  std::optional<cpu_set_t> processors;
  /// Nice value of that thread from then on (pinning.hpp); 0: unchanged.
  int niceness = 0;
  /// Check what kernels write (memory_check.hpp).
  bool checks_memory = false;
  /// Frames whose events are recorded.
  std::optional<TracedFrames> traced;
  /// Parameter updates; null where there are none. Must outlive the executor.
  UpdateQueue* changes = nullptr;
  /// Where to record the ends of iterations, by stage; null: nowhere. Must outlive the executor.
  std::vector<IterationTimes>* iteration_times = nullptr;
  /// Of a run that may start again; null of others. Must outlive the executor.
  const Restarting* restarting = nullptr;
  /// Output placements that trials have compared; null: none. Must outlive the executor.
  OutputPlacements* output_placements = nullptr;
  /// Number of the first frame: earlier ones went through an executor that was paused.
  std::uint64_t first_frame = 0;

  [[nodiscard]] const SavedStage* saved(std::size_t stage) const {
    return restarting != nullptr ? restarting->saved(stage) : nullptr;
  }
};

}  // namespace takt::pipeline
