#pragma once
/// Updates of the live page (core/pictures/web/src/live.ts).

#include <string>

#include "pipeline/protocol/run_record.hpp"

namespace takt::pipeline {

/// Returns the activity of the run in words: `measuring and planning`, `running`, `running, nothing is
/// written`, `ended`, `failed: ...`.
[[nodiscard]] std::string live_state(const RunRecord& record);

/// One line of JSON. `seconds` since the start of the run.
[[nodiscard]] std::string live_update(const RunRecord& record, double seconds);

/// The pipeline's graph as a view; empty before there is a plan.
[[nodiscard]] std::string live_graph(const RunRecord& record);

}  // namespace takt::pipeline
