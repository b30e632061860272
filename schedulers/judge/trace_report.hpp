#pragma once
/// Reports a scheduler's decisions step by step.

#include <string>

#include <nlohmann/json_fwd.hpp>

#include "core/decision.hpp"
#include "core/graphs/task_graph.hpp"
#include "core/schedule.hpp"
#include "schedulers/scheduler.hpp"

namespace takt::schedulers {

/// The decisions of a scheduler on a graph, with the resulting schedule.
///
/// In addition to the algorithm's own trace, each step lists the other ready tasks, whose parents were all
/// placed, as long as every step places a ready task. Algorithms that do not decide one task after the other
/// leave no trace; their report lists the schedule in order of time.
struct Narration {
  const Scheduler& scheduler;
  const TaskGraph& graph;
  const Trace& trace;
  const Schedule& schedule;
};

/// Returns the steps in the form of a schedule file, with a text of the compared value. O(steps).
[[nodiscard]] Decisions decisions_of(const Trace& trace);

/// Returns a table for users, below a sentence about the algorithm. O(steps log n + m).
[[nodiscard]] std::string trace_to_text(const Narration& narration);
/// Returns a JSON list; docs/reference/cli.md documents the keys.
[[nodiscard]] nlohmann::ordered_json trace_json(const Narration& narration);

}  // namespace takt::schedulers
