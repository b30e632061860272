#pragma once
/// Successive frames side by side, as one graph.

#include <cstdint>
#include <vector>

#include "core/graphs/task_graph.hpp"
#include "core/schedule.hpp"

namespace takt::schedulers {

/// Each task once for each of so many frames. Those of a task with state follow one another, by edges that
/// are no data, and must stay on one processor: they are a bundle. A schedule of one instance of this graph
/// is a schedule of so many instances of the given one.
///
/// Borrows the given graph.
class FrameGraph {
 public:
  /// O((n + m) frames).
  FrameGraph(const TaskGraph& graph, std::uint32_t frames);

  [[nodiscard]] const TaskGraph& graph() const { return graph_; }
  [[nodiscard]] std::uint32_t frames() const { return frames_; }
  /// The tasks that must be on one processor, bundle by bundle.
  [[nodiscard]] const std::vector<std::vector<std::uint32_t>>& bundles() const { return bundles_; }

  /// The task of a frame, and back.
  [[nodiscard]] TaskId task_of(TaskId of_frame) const {
    return TaskId(of_frame.index() % original_.task_count());
  }
  [[nodiscard]] std::uint32_t frame_of(TaskId of_frame) const {
    return static_cast<std::uint32_t>(of_frame.index() / original_.task_count());
  }
  [[nodiscard]] TaskId of_frame(TaskId task, std::uint32_t frame) const {
    return TaskId(frame * original_.task_count() + task.index());
  }

  /// The same operations as replicas of the given graph. The bundles must be on one processor each.
  /// O(operations).
  [[nodiscard]] Schedule replicated(const Schedule& schedule) const;

 private:
  const TaskGraph& original_;
  std::uint32_t frames_;
  TaskGraph graph_;
  /// Of each datum that of the given graph; those of the edges within bundles are of none.
  std::vector<DatumId> datum_of_;
  std::vector<std::vector<std::uint32_t>> bundles_;
};

}  // namespace takt::schedulers
