#pragma once
/// What a terminal shows while a run goes on.

#include <cstddef>
#include <optional>
#include <string>

#include "pipeline/config/stream_limits.hpp"
#include "pipeline/launch/launcher.hpp"

namespace takt::pipeline {

/// One line for a terminal while the run goes on.
[[nodiscard]] std::string progress_line(const RunRecord& record);

/// The counts of frames in it, for a line above the table.
[[nodiscard]] std::string progress_counts(const RunRecord& record);

/// What the ranks and the tasks do, as a table for a terminal with room for `width` letters: where that is
/// little, columns are left out and names are cut, numbers never; empty before there is a plan.
[[nodiscard]] std::string progress_table(const RunRecord& record, std::size_t width);

/// Which share of a run that ends by itself is done; nothing where it has no end that is known.
[[nodiscard]] std::optional<double> share_done(const RunRecord& record, const StreamLimits& limits);

}  // namespace takt::pipeline
