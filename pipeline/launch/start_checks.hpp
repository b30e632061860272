#pragma once
/// Finds faults before a run starts.

#include <filesystem>
#include <optional>

#include "pipeline/config/pipeline.hpp"

namespace takt::pipeline {

/// Files from the command line of a run.
struct RunFiles {
  std::optional<std::filesystem::path> profile, schedule, report;
};

/// Throws one ConfigError with everything that would end the run before its first frame, each with its place:
/// files that cannot be read or written, or would be overwritten; a profile or schedule of another pipeline;
/// a machine whose number of processors differs from that of ranks; more ranks than this computer can start;
/// ports in use and foreign addresses, unless nothing is received: planning is possible during a run of the
/// same pipeline.
void check_start(const Pipeline& pipeline, const RunFiles& files, bool receives = true);

/// Throws ConfigError if the required rate exceeds that of the sources: no plan can hold it.
void check_rate(const Pipeline& pipeline);

}  // namespace takt::pipeline
