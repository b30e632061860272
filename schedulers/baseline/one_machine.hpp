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

/// The end of Jackson's preemptive schedule: of the jobs that are there the one with the largest tail. No
/// schedule ends sooner. Reorders the jobs. O(n log n).
[[nodiscard]] Time preemptive_end(std::vector<Job>& jobs);

/// Starts with which no two jobs overlap and all end, with their tails, by the limit; nothing where there are
/// none, or where `effort`, which each step lowers by one, came to 0. Schrage's schedule, and where it is too
/// long, J. Carlier, "The one-machine sequencing problem", European Journal of Operational Research 11, 1982.
[[nodiscard]] std::optional<std::vector<Time>> starts_within(const std::vector<Job>& jobs, Time limit,
                                                             std::uint64_t& effort);

}  // namespace takt::schedulers
