#pragma once
/// Evaluations as text for people and as JSON for programs; docs/reference/cli.md documents the keys.

#include <iosfwd>
#include <string>

#include <nlohmann/json_fwd.hpp>

#include "schedulers/judge/evaluation.hpp"

namespace takt::schedulers {

/// One JSON object: figures, findings, occupancy of each processor, tasks, messages. Times in ticks,
/// processors from 0.
[[nodiscard]] std::string to_json(const Evaluation& evaluation, const TaskGraph& graph);
/// The same, for more to be added to it.
[[nodiscard]] nlohmann::ordered_json evaluation_json(const Evaluation& evaluation, const TaskGraph& graph);

/// The same with nothing in the place of tasks and messages, and the whole as text with them: of schedules of
/// millions of tasks and messages these are in memory one after the other only.
[[nodiscard]] nlohmann::ordered_json evaluation_json_without_lists(const Evaluation& evaluation);
void write_with_lists(std::ostream& out, const nlohmann::ordered_json& json, const Evaluation& evaluation,
                      const TaskGraph& graph);

/// Figures, a Gantt chart, occupancy, findings: in lines of 80 letters.
[[nodiscard]] std::string to_text(const Evaluation& evaluation, const TaskGraph& graph);

/// The verdict, the figures and the findings, as a JSON object.
[[nodiscard]] std::string verdict_to_json(const Evaluation& evaluation);
/// The same as a few lines.
[[nodiscard]] std::string verdict_to_text(const Evaluation& evaluation);

}  // namespace takt::schedulers
