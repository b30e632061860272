#pragma once
/// Limits of processor time by control groups.

#include <filesystem>
#include <optional>

namespace takt {

/// Returns the processor time that the control groups of this process allow in a time, as a share of one
/// processor (0.5: half of it), the least of its group and of those that contain it; empty without a limit.
/// Reads `cpu.max` (version 2), or `cpu.cfs_quota_us` and `cpu.cfs_period_us` (version 1). `groups` is the
/// file with the names of the groups, `mount` the folder of all of them.
[[nodiscard]] std::optional<double> processor_limit(const std::filesystem::path& groups = "/proc/self/cgroup",
                                                    const std::filesystem::path& mount = "/sys/fs/cgroup");

}  // namespace takt
