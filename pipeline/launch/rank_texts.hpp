#pragma once
/// What is said of a run's ranks, and of how they ended.

#include <cstddef>
#include <string>
#include <vector>

#include "pipeline/launch/jobs/rank_output.hpp"
#include "pipeline/protocol/run_record.hpp"

namespace takt::pipeline {

/// `rank 1 (host a, pid 7; fft stokes)`: for messages.
[[nodiscard]] std::string describe_rank(const RunRecord& record, std::size_t rank);

/// `; last seen running task 'fft'`, for the case that it ended without a word.
[[nodiscard]] std::string last_seen(const RunRecord& record, std::size_t rank);

/// Ranks that have given no sign of life for a second and more, a sentence each; they tell two a second
/// and more.
[[nodiscard]] std::vector<std::string> silent_ranks(const RunRecord& record);

/// Why the run did not end well, in one sentence; `status` is how mpirun ended, as waitpid gives it.
[[nodiscard]] std::string explain_end(const RunRecord& record, const RankOutput& output, int status);

}  // namespace takt::pipeline
