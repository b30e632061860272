#pragma once
/// Division of a moldable graph into stages for the highest frequency: Subhlok and Vondran's problem.
///
/// A stage is a run of neighbouring tasks of the topological order. Each of its copies is a group of
/// processors of one cluster that executes the stage's tasks one after the other, each on all of its
/// processors. Successive frames go to successive copies, so a stage of stateless tasks sustains one frame
/// every (time / copies). Stateful tasks have one copy.
///
/// Source: Subhlok and Vondran, "Optimal mapping of sequences of data parallel tasks" (PPoPP 1995). Its
/// dynamic program over (tasks, processors) is here one over tasks for each tried period, with the fewest
/// processors as its value: groups fill the clusters in order, and the earliest place is kept.

#include <cstdint>
#include <optional>
#include <vector>

#include "core/graphs/task_graph.hpp"
#include "schedulers/moldable/clusters.hpp"

namespace takt::schedulers {

struct Stage {
  /// Tasks first .. end - 1 of the topological order.
  std::size_t first = 0;
  std::size_t end = 0;
  /// Processors of a copy, and of each copy its cluster and the position of its first processor in it.
  std::size_t processors = 1;
  struct Copy {
    std::size_t cluster = 0;
    std::size_t first = 0;
  };
  std::vector<Copy> copies;
};

/// Returns the stages with the least time of the slowest one. Numbers of copies are powers of two up to
/// `most_copies`, so an iteration holds as many frames as the stage with the most copies. Times use the speed
/// of the slowest cluster. O(n^2 log P log copies) for each of about 40 periods; n P numbers of memory.
[[nodiscard]] std::vector<Stage> best_stages(const TaskGraph& graph, const Clusters& clusters,
                                             std::size_t most_copies);

}  // namespace takt::schedulers
