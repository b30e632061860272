#pragma once
/// Measures the cost of every stage of a pipeline on this machine, with the pipeline's real shapes.

#include <functional>
#include <vector>

#include "pipeline/config/pipeline.hpp"
#include "pipeline/costs/stage_cost.hpp"

namespace takt::pipeline {

struct ProfileOptions {
  /// Time for each stage after warm-up, for at least `least_runs` frames. Shorter if the mean settles
  /// earlier, and up to four times as long if a stage has produced hardly any frame yet.
  Time budget{std::chrono::milliseconds{100}};
  std::size_t least_runs = 5;
  /// Limit of the bytes that a sink writes, except for `least_runs` frames.
  Bytes most_written{64 << 20};
  /// Enables the check of the kernels' writes (memory_check.hpp), whose cost is part of their times.
  bool checks_memory = false;
  /// Called before each stage is measured.
  std::function<void(const Stage&)> on_stage;
};

/// Measures each kernel and sink on sample frames of the pipeline
/// (sample_frames.hpp); sinks write to an unnamed temporary file. Before each call
/// the caches are brought into the state that they have when one rank runs the
/// pipeline: the other tasks access their frames (loop_memory.hpp). Sources that make
/// or read frames run alone. The cost of a live source, whose thread receives the
/// packets, is the copy of its frame. Kernels connected by tiles are measured
/// together, as in a run on one rank.
[[nodiscard]] std::vector<StageCost> profile(const Pipeline& pipeline, const ProfileOptions& options = {});

/// Returns the pipeline's task graph with these costs: a kernel whose groups were measured is a moldable
/// task. `charges_copies` adds the copies of frames to the costs of sources.
[[nodiscard]] TaskGraph task_graph_of(const Pipeline& pipeline, const std::vector<StageCost>& costs,
                                      bool charges_copies);

/// Returns the separable tasks that were measured on whole frames; ascending.
[[nodiscard]] std::vector<TaskId> tasks_on_whole_frames(const std::vector<StageCost>& costs);

/// Measures the costs and returns the task graph with them.
[[nodiscard]] TaskGraph measured_task_graph(const Pipeline& pipeline);

}  // namespace takt::pipeline
