#pragma once
/// The Standard Task Graph set's format.
///
/// The first line contains the number n of tasks without the dummies; a second number in it is ignored. Then
/// each line is a task: its number, its processing time, the number of its predecessors, and their numbers.
/// Numbers increase from 0, the dummy entry, to n + 1, the dummy exit; a file may omit the entry and begin
/// with 1. `#` begins a comment. There are no sizes: every edge carries 0 units.
///
/// A variant has communication costs: the line of a task ends with the number of its predecessors, and as
/// many lines follow, each with a predecessor and the cost of its message, which is the size of the edge.
///
/// Source: Tobita and Kasahara, "A standard task graph set for fair evaluation of multiprocessor scheduling
/// algorithms" (2002).

#include <string>
#include <string_view>

#include "core/graphs/task_graph.hpp"

namespace takt {

/// Reads a graph; dummies are normal tasks, and tasks are named by their numbers. Throws ConfigError with
/// file:line:column. O(size of the text), for any announced number of tasks.
[[nodiscard]] TaskGraph graph_from_stg(std::string_view text, const std::string& file);

/// Writes the variant without costs. Names, sizes, work tables and statelessness are lost. Dummies are added
/// unless the first task is the only entry and the last one the only exit, both without work.
[[nodiscard]] std::string graph_to_stg(const TaskGraph& graph);

}  // namespace takt
