#pragma once
/// Evaluations as text for people and as JSON for programs; docs/reference/cli.md documents the keys.

#include <string>
#include <utility>
#include <vector>

#include "schedulers/judge/evaluation.hpp"

namespace takt::schedulers {

/// One JSON object: figures, findings, occupancy of each processor, tasks, messages, then whatever `more`
/// members there are. Times in ticks, processors from 0.
[[nodiscard]] std::string to_json(const Evaluation& evaluation, const TaskGraph& graph,
                                  const std::vector<std::pair<std::string, std::string>>& more = {});

/// Figures, a Gantt chart of at most `width` letters, occupancy, findings.
[[nodiscard]] std::string to_text(const Evaluation& evaluation, const TaskGraph& graph,
                                  std::size_t width = 100);

/// The verdict, the figures and the findings, as a JSON object.
[[nodiscard]] std::string verdict_to_json(const Evaluation& evaluation);
/// The same as a few lines.
[[nodiscard]] std::string verdict_to_text(const Evaluation& evaluation);

}  // namespace takt::schedulers
