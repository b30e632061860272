#pragma once
/// What every stage of a pipeline costs on this machine, measured with the pipeline's real shapes.

#include <functional>
#include <vector>

#include "pipeline/config/pipeline.hpp"
#include "pipeline/costs/stage_cost.hpp"

namespace takt::pipeline {

struct ProfileOptions {
  /// Time spent on each stage, after warming up: at least `least_runs` frames, and less time where the mean
  /// is settled before, and up to four times as much where a stage has given hardly a frame yet.
  Time budget{std::chrono::milliseconds{100}};
  std::size_t least_runs = 5;
  /// Written by a sink at most, where that allows `least_runs`.
  Bytes most_written{64 << 20};
  /// Watch what kernels write (memory_check.hpp): what that takes is part of their times.
  bool checks_memory = false;
  /// Called before each stage is measured.
  std::function<void(const Stage&)> on_stage;
};

/// Runs each kernel and sink by itself on frames as the pipeline makes them (sample_frames.hpp); sinks write
/// to a file without a name among the system's temporary ones. Before each run the caches are made what they
/// are where one rank runs the pipeline: the other tasks have gone through their frames where they lie then
/// (loop_memory.hpp). Sources
/// that make or read frames by themselves do so; a live one, whose packets are received beside the pipeline's
/// own thread, is charged nothing but the copying of its frame. Kernels that hand each other tiles are
/// measured together, as they will run when no rank comes between them.
[[nodiscard]] std::vector<StageCost> profile(const Pipeline& pipeline, const ProfileOptions& options = {});

/// The pipeline's task graph with these costs: a kernel whose groups were measured is a moldable task.
/// Sources are charged the copies of their frames or not.
[[nodiscard]] TaskGraph task_graph_of(const Pipeline& pipeline, const std::vector<StageCost>& costs,
                                      bool charges_copies);

/// Tasks whose costs are those of whole frames though they could be done part by part; ascending.
[[nodiscard]] std::vector<TaskId> tasks_on_whole_frames(const std::vector<StageCost>& costs);

/// The pipeline's task graph with the costs measured now.
[[nodiscard]] TaskGraph measured_task_graph(const Pipeline& pipeline);

}  // namespace takt::pipeline
