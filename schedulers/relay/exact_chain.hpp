#pragma once
/// The best relay chain of all, proven or as far as a limit allows.

#include <cstddef>

#include "schedulers/relay/lower_set_search.hpp"
#include "schedulers/relay/stages.hpp"
#include "schedulers/search/workload.hpp"

namespace takt::schedulers {

struct ExactChain {
  /// The best chain known, and its period.
  Stages stages;
  Time period{0};
  /// No relay chain has a smaller period; equal to `period` if the search has finished.
  Time bound{0};

  [[nodiscard]] bool is_proven() const { return bound == period; }
};

/// Searches between a lower bound of every relay chain's period and a chain that is known, by bisection over
/// find_relay_chain, and stops at the first question that takes more than `most_lower_sets` lower sets.
/// Lowers `budget`, which it also keeps to, by the number of lower sets looked at.
[[nodiscard]] ExactChain find_best_chain(const Workload& workload, Time bound, Stages known,
                                         std::size_t most_lower_sets, std::uint64_t& budget);

}  // namespace takt::schedulers
