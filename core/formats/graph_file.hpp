#pragma once
/// The result of a reader of graph files.

#include <string>
#include <vector>

#include "core/graphs/task_graph.hpp"

namespace takt {

struct GraphFile {
  TaskGraph graph;
  /// Assumptions and changes by the reader, one sentence each: default weights, rounded values.
  std::vector<std::string> notes = {};
};

}  // namespace takt
