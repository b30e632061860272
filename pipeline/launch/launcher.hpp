#pragma once
/// Starts the ranks of a run under mpirun, monitors them, and ends them after a failure.

#include "pipeline/launch/launch_options.hpp"
#include "pipeline/protocol/run_record.hpp"

namespace takt::pipeline {

/// Runs to the end. SIGINT or SIGTERM drains the run, a second signal ends it immediately. Throws WorkError
/// when mpirun cannot be started; every other failure is in the record.
[[nodiscard]] RunRecord launch(const LaunchOptions& options);

}  // namespace takt::pipeline
