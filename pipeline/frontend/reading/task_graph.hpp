#pragma once
/// The task graph of a program: a task for each call, a datum for each flow.

#include <span>
#include <string>

#include "core/graphs/task_graph.hpp"
#include "core/units.hpp"
#include "pipeline/frontend/reading/program.hpp"

namespace takt::frontend {

/// Returns the name of a call's task: `InterSum.3` for the program's call 3.
[[nodiscard]] std::string task_name(const Program& program, CallId call);

/// Returns the graph; task i is call i, datum j is flow j, and its size is in bytes. `work` has one entry a
/// call. O(calls + flows + readers).
[[nodiscard]] TaskGraph task_graph(const Program& program, std::span<const Time> work);

}  // namespace takt::frontend
