#pragma once
/// Local search over the stages of a chain.

#include <cstdint>

#include "schedulers/search/stage_loads.hpp"

namespace takt::schedulers {

/// Numbers for searches, which need many and not very good ones (xorshift64*, Vigna 2016).
class SearchRandom {
 public:
  explicit SearchRandom(std::uint64_t seed) : state_(seed * 0x9E3779B97F4A7C15ULL | 1) {}
  /// Below `bound`, which must be positive.
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

/// Moves items between the stages, and swaps them, for as long as the budget lasts or until the period is not
/// above `bound`; leaves the best stages found in `loads`. The budget counts moves that were tried and is
/// lowered by them.
///
/// The aim is always a period one tick below the best one so far, and the loads' excess over it is what is
/// made smaller: late acceptance hill climbing (Burke and Bykov, 2017), which needs no floating-point numbers
/// and so takes the same way on every machine.
void improve_stages(StageLoads& loads, Time bound, std::uint64_t& budget, SearchRandom& random);

}  // namespace takt::schedulers
