#pragma once
/// Options of an executor, apart from its program.

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

/// The state from which a run restarts, and what it keeps for the next restart.
struct Restarting {
  /// The checkpoint to begin with; nothing at the first start.
  std::optional<Checkpoint> from;
  /// Directory of the output books of this host, and the files that sinks of all hosts began before.
  std::filesystem::path books;
  BegunFiles begun = {};
  /// Receives the checkpoint of this rank, before the first iteration and after every `rounds` iterations.
  std::uint64_t rounds = 1;
  std::function<void(Checkpoint)> give;
  /// Receives each file that a sink begins.
  std::function<void(const BegunFiles&)> tell = {};

  /// Returns the state of a stage in the checkpoint; null if there is none.
  [[nodiscard]] const SavedStage* saved(std::size_t stage) const {
    return from ? from->find(stage) : nullptr;
  }
  /// Returns the book in which a sink enters its files.
  [[nodiscard]] sensors::OutputBook book_of(std::size_t sink) const;
};

struct RunOptions {
  StreamLimits limits;
  /// Share of this rank in its node.
  NodeShare share;
  /// The clock of this rank minus the clock of the source's rank.
  std::int64_t clock_offset_ns = 0;
  /// UTC at which sources that generate frames begin, the same on all ranks; nanoseconds since 1970.
  std::int64_t start_utc_ns = 0;
  /// Processors of the thread that processes frames; applied after sources have started their own threads.
  std::optional<cpu_set_t> processors;
  /// By rank, the NUMA node where it reads frames; nothing, or an empty list: any.
  std::vector<std::optional<std::size_t>> memory_nodes = {};
  /// Nice value of that thread from then on (pinning.hpp); 0: unchanged.
  int niceness = 0;
  /// True to check what kernels write (memory_check.hpp).
  bool checks_memory = false;
  /// Frames whose events are recorded.
  std::optional<TracedFrames> traced;
  /// Parameter updates; null if there are none. Must outlive the executor.
  UpdateQueue* changes = nullptr;
  /// Receives the end times of iterations, by stage; null: not recorded. Must outlive the executor.
  std::vector<IterationTimes>* iteration_times = nullptr;
  /// Null unless the run may restart. Must outlive the executor.
  const Restarting* restarting = nullptr;
  /// Output placements that trials have compared; null: none. Must outlive the executor.
  OutputPlacements* output_placements = nullptr;
  /// Number of the first frame: a paused executor has processed the earlier ones.
  std::uint64_t first_frame = 0;

  [[nodiscard]] const SavedStage* saved(std::size_t stage) const {
    return restarting != nullptr ? restarting->saved(stage) : nullptr;
  }
};

}  // namespace takt::pipeline
