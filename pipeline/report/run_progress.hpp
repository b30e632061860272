#pragma once
/// Progress of an active run on a terminal.

#include <cstddef>
#include <optional>
#include <string>

#include "pipeline/config/stream_limits.hpp"
#include "pipeline/launch/launcher.hpp"

namespace takt::pipeline {

/// Returns one line about an active run.
[[nodiscard]] std::string progress_line(const RunRecord& record);

/// Returns the counts of frames, for a line above the table.
[[nodiscard]] std::string progress_counts(const RunRecord& record);

/// What the ranks and the tasks do, as a table for a terminal with room for `width` letters: where that is
/// little, columns are left out and names are cut, numbers never; empty before there is a plan.
[[nodiscard]] std::string progress_table(const RunRecord& record, std::size_t width);

/// Returns the completed share of a run of known length; nothing for other runs.
[[nodiscard]] std::optional<double> share_done(const RunRecord& record, const StreamLimits& limits);

}  // namespace takt::pipeline
