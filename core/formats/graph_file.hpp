#pragma once
/// What a reader of graph files returns.

#include <string>
#include <vector>

#include "core/graphs/task_graph.hpp"

namespace takt {

struct GraphFile {
  TaskGraph graph;
  /// What the reader assumed or changed, a sentence each: default weights, rounded values.
  std::vector<std::string> notes = {};
};

}  // namespace takt
