#pragma once
/// Search for good chains: many orders, cut optimally, then improved by moving items.

#include <cstdint>
#include <span>
#include <vector>

#include "schedulers/relay/chain_routes.hpp"
#include "schedulers/relay/stages.hpp"
#include "schedulers/search/workload.hpp"

namespace takt::schedulers {

/// Stages, and how data get along them.
struct Chain {
  Stages stages;
  ChainRoutes routes;
  /// The largest load, which the schedule's period can exceed where gaps leave blank time.
  Time load{0};
};

struct ChainSearchResult {
  /// The best chains found with relays and with direct messages, best first.
  std::vector<Chain> chains;
  /// No relay chain has a smaller period.
  Time relay_bound{0};
  bool relay_is_proven = false;
};

/// Lowers `budget` by the moves, lower sets and orders tried, and stops when it is used up or a load is not
/// above `bound`. The same seed gives the same result.
[[nodiscard]] ChainSearchResult search_chains(const Workload& workload, Time bound, std::uint64_t& budget,
                                              std::uint64_t seed);

/// From given stages on: moves items between them, with direct messages, each with its share of the budget.
/// The best few, best first, none worse than the stages that it comes from.
[[nodiscard]] std::vector<Chain> improve_chains(const Workload& workload, std::span<const Stages> starts,
                                                Time bound, std::uint64_t& budget, std::uint64_t seed);

}  // namespace takt::schedulers
