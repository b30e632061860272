#pragma once
/// Restarts a run after the death of a rank, until it is done or its attempts are exhausted.

#include <functional>

#include "pipeline/launch/launch_options.hpp"

namespace takt::pipeline {

/// Calls `launch_once` as often as `options.restart`, which must be set, allows: each time with the remaining
/// hosts, after the last checkpoint that all ranks have reported. Does not restart after user errors or stop
/// requests. The record is that of the last attempt, with totals of the whole run and the outages.
/// docs/decisions/0050
[[nodiscard]] RunRecord supervise(LaunchOptions options,
                                  const std::function<RunRecord(const LaunchOptions&)>& launch_once);

/// Returns the pause before a restart, by its number (from 1) among consecutive ones without progress.
[[nodiscard]] Time pause_before(const Restart& restart, std::uint64_t attempt);

}  // namespace takt::pipeline
