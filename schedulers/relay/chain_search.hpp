#pragma once
/// Search for good chains: many orders, cut optimally, then improved by moving items.

#include <cstdint>
#include <span>
#include <vector>

#include "schedulers/relay/chain_routes.hpp"
#include "schedulers/relay/stages.hpp"
#include "schedulers/search/workload.hpp"

namespace takt::schedulers {

/// Stages, and the routes of data between them.
struct Chain {
  Stages stages;
  ChainRoutes routes;
  /// The largest load; the schedule's period can exceed it if gaps leave unused time.
  Time load{0};
};

struct ChainSearchResult {
  /// The best chains found with relays and with direct messages, best first.
  std::vector<Chain> chains;
  /// No relay chain has a smaller period.
  Time relay_bound{0};
  bool relay_is_proven = false;
};

/// Subtracts tried moves, lower sets and orders from `budget`; stops when it is spent or a load meets
/// `bound`. The same seed yields the same result.
[[nodiscard]] ChainSearchResult search_chains(const Workload& workload, Time bound, std::uint64_t& budget,
                                              std::uint64_t seed);

/// Moves items between given stages, with direct messages, each start with its share of the budget. Returns
/// the best few, best first, none worse than its start.
[[nodiscard]] std::vector<Chain> improve_chains(const Workload& workload, std::span<const Stages> starts,
                                                Time bound, std::uint64_t& budget, std::uint64_t seed);

}  // namespace takt::schedulers
