#pragma once
/// Evaluations as text for people and as JSON for programs; docs/reference/cli.md documents the keys.

#include <string>

#include <nlohmann/json_fwd.hpp>

#include "schedulers/judge/evaluation.hpp"

namespace takt::schedulers {

/// One JSON object: figures, findings, occupancy of each processor, tasks, messages. Times in ticks,
/// processors from 0.
[[nodiscard]] std::string to_json(const Evaluation& evaluation, const TaskGraph& graph);
/// The same, for more to be added to it.
[[nodiscard]] nlohmann::ordered_json evaluation_json(const Evaluation& evaluation, const TaskGraph& graph);

/// Figures, a Gantt chart, occupancy, findings: in lines of 80 letters.
[[nodiscard]] std::string to_text(const Evaluation& evaluation, const TaskGraph& graph);

/// The verdict, the figures and the findings, as a JSON object.
[[nodiscard]] std::string verdict_to_json(const Evaluation& evaluation);
/// The same as a few lines.
[[nodiscard]] std::string verdict_to_text(const Evaluation& evaluation);

}  // namespace takt::schedulers
