#pragma once
/// Starts the ranks of a run under mpirun, follows them, and ends them when something goes wrong.

#include <cstddef>
#include <string>

#include "pipeline/launch/launch_options.hpp"
#include "pipeline/launch/run_record.hpp"

namespace takt::pipeline {

/// Runs to the end. SIGINT or SIGTERM drains the run, a second one ends it at once. Throws WorkError when
/// mpirun cannot be started; every other failure is in the record.
[[nodiscard]] RunRecord launch(const LaunchOptions& options);

/// `rank 1 (host a, pid 7; fft stokes)`: for messages.
[[nodiscard]] std::string describe_rank(const RunRecord& record, std::size_t rank);

/// Ranks that have given no sign of life for a second and more, a sentence each; they tell two a second
/// and more.
[[nodiscard]] std::vector<std::string> silent_ranks(const RunRecord& record);

}  // namespace takt::pipeline
