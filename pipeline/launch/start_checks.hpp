#pragma once
/// What can be known to go wrong before a run starts.

#include <filesystem>
#include <optional>

#include "pipeline/config/pipeline.hpp"

namespace takt::pipeline {

/// Files that the command line names for a run.
struct RunFiles {
  std::optional<std::filesystem::path> profile, schedule, report;
};

/// Throws one ConfigError with everything that would end the run before its first frame, each with its place:
/// files that cannot be read or written, or would be written over; a profile or a schedule of another
/// pipeline; a machine with another number of processors than there are ranks; more ranks than this computer
/// could start; ports that are in use and addresses that are not this computer's, unless
/// nothing is received: a plan can be made beside a run of the same pipeline.
void check_start(const Pipeline& pipeline, const RunFiles& files, bool receives = true);

/// Throws ConfigError where the required rate is above what the sources give: no plan holds it.
void check_rate(const Pipeline& pipeline);

}  // namespace takt::pipeline
