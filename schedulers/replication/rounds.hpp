#pragma once
/// A search in iterations whose intermediate results are used, too.

#include <algorithm>
#include <cstdint>

namespace takt::schedulers {

/// Calls `improve(moves)`, which subtracts its tried moves, in iterations of doubling length, until the
/// budget is spent or an iteration leaves some of its moves. All iterations except the last are independent
/// of the budget: every larger budget includes their results.
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
