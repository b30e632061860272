#pragma once
/// Size limits of graphs described by a generator or a short file.

#include <cstddef>

namespace takt {

inline constexpr std::size_t largest_task_count = 10'000'000;
inline constexpr std::size_t largest_edge_count = 40'000'000;

/// Throws ConfigError if there are too many. Counts are floating-point so that they cannot overflow.
void check_size(double tasks, double edges);

}  // namespace takt
