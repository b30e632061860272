#pragma once
/// Jobs of one processor with heads and tails: the problem 1 | r, q | Cmax.

#include <cstdint>
#include <optional>
#include <vector>

#include "core/units.hpp"

namespace takt::schedulers {

/// A task of one processor, with the least times before its start and after its end.
struct Job {
  Time head{0}, work{0}, tail{0};
};

/// Returns the end of Jackson's preemptive schedule, which runs the available job with the largest tail. No
/// schedule ends earlier. Reorders the jobs. O(n log n).
[[nodiscard]] Time preemptive_end(std::vector<Job>& jobs);

/// Returns starts without overlap so that all jobs and their tails end by the limit; nothing if there are
/// none, or if `effort`, which each step lowers by one, reaches 0. Schrage's schedule and, where it is too
/// long, J. Carlier, "The one-machine sequencing problem", European Journal of Operational Research 11, 1982.
[[nodiscard]] std::optional<std::vector<Time>> starts_within(const std::vector<Job>& jobs, Time limit,
                                                             std::uint64_t& effort);

}  // namespace takt::schedulers
