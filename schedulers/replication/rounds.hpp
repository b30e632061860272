#pragma once
/// A search whose results on the way are looked at, too.

#include <algorithm>
#include <cstdint>

namespace takt::schedulers {

/// Calls `improve(moves)`, which lowers the moves by those that it tries, in rounds that are each twice as
/// long as the one before, until the budget is used up or a round leaves some of its moves. All rounds but
/// the last one are the same whatever the budget: what is found at their ends is found with every larger one.
template <class Improve>
void improve_in_rounds(std::uint64_t& budget, const Improve& improve) {
  for (std::uint64_t round = 1'000; budget > 0; round *= 2) {
    std::uint64_t moves = std::min(budget, round);
    budget -= moves;
    improve(moves);
    budget += moves;
    if (moves > 0) return;
  }
}

}  // namespace takt::schedulers
