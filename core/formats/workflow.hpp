#pragma once
/// Conversion of workflows (tasks that exchange files) from WfCommons and Pegasus to task graphs.

#include <cstdint>
#include <string>
#include <string_view>
#include <unordered_map>
#include <unordered_set>
#include <utility>
#include <vector>

#include "core/graphs/task_graph.hpp"

namespace takt {

struct WorkflowTask {
  std::string id;
  Time runtime{0};
  /// Names of files.
  std::vector<std::string> outputs = {};
  std::unordered_set<std::string> inputs = {};
  /// Each once, in the order in which they were added.
  std::vector<TaskId> children = {};
  std::unordered_set<TaskId> known_children = {};
};

struct Workflow {
  std::vector<WorkflowTask> tasks;
  std::unordered_map<std::string, std::uint64_t> file_sizes;

  /// Returns false if the parent already has this child. O(1) expected.
  bool add_dependency(TaskId parent, TaskId child);
  /// Returns false if the file already has another size, which stays. O(1) expected.
  bool set_file_size(const std::string& file, std::uint64_t bytes);
  /// Returns, for each task, the other tasks that write its input files, ascending.
  [[nodiscard]] std::vector<std::vector<TaskId>> file_parents() const;
  /// Returns the parent of an edge of workflow_graph, and the index of its child.
  [[nodiscard]] std::pair<TaskId, std::size_t> dependency(EdgeId edge) const;
};

/// The largest accepted size of a file, in bytes: the sizes of a task's files add up without overflow.
inline constexpr std::uint64_t largest_workflow_file = 1'000'000'000'000'000;
/// The longest accepted runtime of a task, in seconds.
inline constexpr double longest_workflow_runtime = 4e9;

/// Returns a graph with one edge per parent and child, with the size of all files that the parent writes and
/// the child reads. Children of the same files share a datum. Edges are ordered by parent, then by
/// `children`. Files of unknown size have 0 bytes. Throws GraphError. O(files of all edges) expected.
[[nodiscard]] TaskGraph workflow_graph(const Workflow& workflow);

}  // namespace takt
