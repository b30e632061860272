#pragma once
/// Formats texts about the ranks of a run and how they ended.

#include <cstddef>
#include <string>
#include <vector>

#include "pipeline/launch/jobs/rank_output.hpp"
#include "pipeline/protocol/run_record.hpp"

namespace takt::pipeline {

/// Returns `rank 1 (host a, pid 7; fft stokes)` for messages.
[[nodiscard]] std::string describe_rank(const RunRecord& record, std::size_t rank);

/// Returns `; last seen running task 'fft'` for a rank that ended without a report.
[[nodiscard]] std::string last_seen(const RunRecord& record, std::size_t rank);

/// Returns one sentence for each rank without a heartbeat for a second or more; ranks send two heartbeats a
/// second or more.
[[nodiscard]] std::vector<std::string> silent_ranks(const RunRecord& record);

/// Explains in one sentence why the run failed; `status` is mpirun's, from waitpid.
[[nodiscard]] std::string explain_end(const RunRecord& record, const RankOutput& output, int status);

}  // namespace takt::pipeline
