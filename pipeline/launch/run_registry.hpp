#pragma once
/// The run registry: status of the running runs, for other terminals.

#include <cstdint>
#include <filesystem>
#include <vector>

#include "pipeline/protocol/run_record.hpp"

namespace takt::pipeline {

/// Recent status of a run.
struct RunningRun {
  /// Process id of its launcher.
  std::int64_t pid = 0;
  /// Its private directory: set_parameter (parameter_updates.hpp).
  std::filesystem::path folder = {};
  RunRecord record;
};

/// Writes the record to the run's directory. Ignores write errors.
void post(const std::filesystem::path& run_folder, const RunRecord& record);

/// Returns the runs on this computer that this user may read and whose launchers are alive, by pid.
[[nodiscard]] std::vector<RunningRun> running_runs();

}  // namespace takt::pipeline
