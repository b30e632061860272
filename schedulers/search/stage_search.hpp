#pragma once
/// Local search over the stages of a chain.

#include <cstdint>

#include "schedulers/search/stage_loads.hpp"

namespace takt::schedulers {

/// Fast random numbers of moderate quality for searches (xorshift64*, Vigna 2016).
class SearchRandom {
 public:
  explicit SearchRandom(std::uint64_t seed) : state_(seed * 0x9E3779B97F4A7C15ULL | 1) {}
  /// Returns a number below `bound`, which must be positive.
  std::size_t below(std::size_t bound) {
    return static_cast<std::size_t>(static_cast<std::uint64_t>((next() >> 32) * bound) >> 32);
  }
  std::uint64_t next() {
    state_ ^= state_ >> 12;
    state_ ^= state_ << 25;
    state_ ^= state_ >> 27;
    return state_ * 0x2545F4914F6CDD1DULL;
  }

 private:
  std::uint64_t state_;
};

/// Moves items between the stages, and swaps them, until the budget is spent or the period
/// meets `bound`; leaves the best stages found in `loads`. Subtracts tried moves from the
/// budget.
///
/// The goal is always a period one tick below the best one so far, and the search minimises the
/// loads' excess over it: late acceptance hill climbing (Burke and Bykov, 2017), which needs no
/// floating-point numbers and so takes the same path on every machine.
void improve_stages(StageLoads& loads, Time bound, std::uint64_t& budget, SearchRandom& random);

}  // namespace takt::schedulers
