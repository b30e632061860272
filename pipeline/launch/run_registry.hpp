#pragma once
/// What the runs that go on say about themselves, for whoever looks from another terminal.

#include <cstdint>
#include <filesystem>
#include <vector>

#include "pipeline/protocol/run_record.hpp"

namespace takt::pipeline {

/// A run as it was a moment ago.
struct RunningRun {
  /// Of its launcher.
  std::int64_t pid = 0;
  /// Private to it: set_parameter (parameter_updates.hpp).
  std::filesystem::path folder = {};
  RunRecord record;
};

/// Leaves a note in the run's folder. A note that cannot be written is left out.
void post(const std::filesystem::path& run_folder, const RunRecord& record);

/// The runs on this computer whose notes this user may read and whose launchers live, by pid.
[[nodiscard]] std::vector<RunningRun> running_runs();

}  // namespace takt::pipeline
