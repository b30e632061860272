#pragma once
/// Several successive frames as one graph.

#include <cstdint>
#include <vector>

#include "core/graphs/task_graph.hpp"
#include "core/schedule.hpp"

namespace takt::schedulers {

/// Each task once for each of `frames` frames. The instances of a stateful task are in sequence, by edges
/// without data, and must stay on one processor: they are a bundle. A schedule of one instance of this graph
/// is a schedule of `frames` instances of the given one.
///
/// Borrows the given graph.
class FrameGraph {
 public:
  /// O((n + m) frames).
  FrameGraph(const TaskGraph& graph, std::uint32_t frames);

  [[nodiscard]] const TaskGraph& graph() const { return graph_; }
  [[nodiscard]] std::uint32_t frames() const { return frames_; }
  /// Returns the tasks that must share a processor, bundle by bundle.
  [[nodiscard]] const std::vector<std::vector<std::uint32_t>>& bundles() const { return bundles_; }

  /// Converts between the tasks of a frame and those of the graph.
  [[nodiscard]] TaskId task_of(TaskId of_frame) const {
    return TaskId(of_frame.index() % original_.task_count());
  }
  [[nodiscard]] std::uint32_t frame_of(TaskId of_frame) const {
    return static_cast<std::uint32_t>(of_frame.index() / original_.task_count());
  }
  [[nodiscard]] TaskId of_frame(TaskId task, std::uint32_t frame) const {
    return TaskId(frame * original_.task_count() + task.index());
  }

  /// Returns the same operations as replicas of the given graph. Each bundle must be on one processor.
  /// O(operations).
  [[nodiscard]] Schedule replicated(const Schedule& schedule) const;

 private:
  const TaskGraph& original_;
  std::uint32_t frames_;
  TaskGraph graph_;
  /// Per datum: that of the given graph; empty for the edges within bundles.
  std::vector<DatumId> datum_of_;
  std::vector<std::vector<std::uint32_t>> bundles_;
};

}  // namespace takt::schedulers
