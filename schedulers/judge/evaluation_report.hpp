#pragma once
/// Evaluations as text for users and as JSON for programs; docs/reference/cli.md documents the keys.

#include <iosfwd>
#include <string>

#include <nlohmann/json_fwd.hpp>

#include "schedulers/judge/evaluation.hpp"

namespace takt::schedulers {

/// Returns one JSON object: figures, findings, occupancy of each processor, tasks, messages. Times in ticks,
/// processors from 0.
[[nodiscard]] std::string to_json(const Evaluation& evaluation, const TaskGraph& graph);
/// Returns the same object, for additions.
[[nodiscard]] nlohmann::ordered_json evaluation_json(const Evaluation& evaluation, const TaskGraph& graph);

/// Returns the object with null for tasks and messages; the next function writes the whole as text. So the
/// lists of millions of tasks and messages are in memory one after the other only.
[[nodiscard]] nlohmann::ordered_json evaluation_json_without_lists(const Evaluation& evaluation);
void write_with_lists(std::ostream& out, const nlohmann::ordered_json& json, const Evaluation& evaluation,
                      const TaskGraph& graph);

/// Returns figures, a Gantt chart, occupancy and findings, in lines of 80 characters.
[[nodiscard]] std::string to_text(const Evaluation& evaluation, const TaskGraph& graph);

/// Returns the verdict, the figures and the findings, as a JSON object.
[[nodiscard]] std::string verdict_to_json(const Evaluation& evaluation);
/// Returns the same as a few lines of text.
[[nodiscard]] std::string verdict_to_text(const Evaluation& evaluation);

}  // namespace takt::schedulers
