#pragma once
/// Types of processors, on computers that have fast and slow ones.

#include <filesystem>
#include <span>
#include <vector>

namespace takt::tasking {

/// The type of each of these processors for Options::core_types: 0 for the fastest, 1 for the next ones. From
/// Linux' `cpu_capacity`, or else the highest clock frequency; frequencies within 10 % are one type. All 0
/// where the system says nothing.
[[nodiscard]] std::vector<int> core_types_of(std::span<const int> cores,
                                             const std::filesystem::path& folder = "/sys/devices/system/cpu");

}  // namespace takt::tasking
