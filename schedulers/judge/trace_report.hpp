#pragma once
/// A scheduler's decisions, told step by step.

#include <string>

#include <nlohmann/json_fwd.hpp>

#include "core/decision.hpp"
#include "core/graphs/task_graph.hpp"
#include "core/schedule.hpp"
#include "schedulers/scheduler.hpp"

namespace takt::schedulers {

/// The decisions of a scheduler on a graph, with the schedule that came of them.
///
/// Beside what the algorithm itself says, each step has the other tasks that were ready, that is, whose
/// parents were all placed: as long as every step places a ready task. Algorithms that decide something else
/// than one task after the other leave no trace; for them the schedule is told in order of time.
struct Narration {
  const Scheduler& scheduler;
  const TaskGraph& graph;
  const Trace& trace;
  const Schedule& schedule;
};

/// The steps as a schedule file keeps them, with what was compared in words. O(steps).
[[nodiscard]] Decisions decisions_of(const Trace& trace);

/// A table for people, below a sentence about the algorithm. O(steps log n + m).
[[nodiscard]] std::string trace_to_text(const Narration& narration);
/// A JSON list; docs/reference/cli.md documents the keys.
[[nodiscard]] nlohmann::ordered_json trace_json(const Narration& narration);

}  // namespace takt::schedulers
