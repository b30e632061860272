#pragma once
/// The best relay chain of all, proven or within a limit.

#include <cstddef>

#include "schedulers/relay/lower_set_search.hpp"
#include "schedulers/relay/stages.hpp"
#include "schedulers/search/workload.hpp"

namespace takt::schedulers {

struct ExactChain {
  /// The best known chain, and its period.
  Stages stages;
  Time period{0};
  /// No relay chain has a smaller period; equal to `period` if the search has finished.
  Time bound{0};

  [[nodiscard]] bool is_proven() const { return bound == period; }
};

/// Bisects between a lower bound of every relay chain's period and a known chain with find_relay_chain; stops
/// at the first query that takes more than `most_lower_sets` lower sets. Subtracts the examined lower sets
/// from `budget`, which also limits them.
[[nodiscard]] ExactChain find_best_chain(const Workload& workload, Time bound, Stages known,
                                         std::size_t most_lower_sets, std::uint64_t& budget);

}  // namespace takt::schedulers
