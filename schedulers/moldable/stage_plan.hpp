#pragma once
/// A moldable graph cut into stages for the highest frequency: Subhlok and Vondran's problem.
///
/// A stage is a run of neighbouring tasks of the topological order. Each of its copies is a group of
/// processors of one cluster that does the stage's tasks one after the other, all of them on all of its
/// processors; the copies take the frames in turn, so a stage of stateless tasks keeps up with a frame every
/// (time / copies). Tasks with state have one copy.
///
/// Source: Subhlok and Vondran, "Optimal mapping of sequences of data parallel tasks" (PPoPP 1995), whose
/// dynamic program over (tasks, processors) is here one over tasks for each period tried, with the least
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
  /// Processors of a copy, and of each copy its cluster and the place of its first processor in it.
  std::size_t processors = 1;
  struct Copy {
    std::size_t cluster = 0;
    std::size_t first = 0;
  };
  std::vector<Copy> copies;
};

/// Stages whose slowest one is fastest; copies are powers of two, at most so many, so that a repetition holds
/// as many frames as the stage with the most copies. Times count at the pace of the slowest cluster. Takes
/// O(n^2 log P log copies) for each of about 40 periods; n P numbers of memory.
[[nodiscard]] std::vector<Stage> best_stages(const TaskGraph& graph, const Clusters& clusters,
                                             std::size_t most_copies);

}  // namespace takt::schedulers
