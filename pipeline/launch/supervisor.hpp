#pragma once
/// Starts a run again when a rank of it dies, until it is done or its attempts are used up.

#include <functional>

#include "pipeline/launch/launch_options.hpp"

namespace takt::pipeline {

/// Calls `launch_once` as often as `options.restart`, which must be there, allows: each time with what is
/// left of the hosts, and behind the last checkpoint that all ranks have told. The user's mistakes, and runs
/// that were asked to end, are not started again. The record is that of the last attempt, with counts of the
/// whole run, and tells of the others. docs/decisions/0050
[[nodiscard]] RunRecord supervise(LaunchOptions options,
                                  const std::function<RunRecord(const LaunchOptions&)>& launch_once);

/// The pause before the restart of this number, from 1 on, of those in a row that got no further.
[[nodiscard]] Time pause_before(const Restart& restart, std::uint64_t attempt);

}  // namespace takt::pipeline
