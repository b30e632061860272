#pragma once
/// The first step of MCGAS and its guarantee; the rules of HCPA for comparison.

#include <cstdint>
#include <vector>

#include "schedulers/moldable/allotment.hpp"
#include "schedulers/moldable/clusters.hpp"
#include "schedulers/moldable/guarantee.hpp"
#include "schedulers/moldable/trade_off.hpp"
#include "schedulers/scheduler.hpp"

namespace takt::schedulers {

struct McgasPlan {
  MuAndBound parameters;
  Allotment allotment;
  /// Bound of any schedule's makespan, with or without data; rounded up to a tick.
  Time bound{0};
  /// Largest ratio of the makespan to the least one, without communication; infinite without a guarantee.
  double guarantee = 0;
  /// Factors of it from clusters of different speeds, and from few allowed numbers of processors.
  double for_speeds = 1;
  double for_numbers = 1;
};

/// Returns the parameters of the options: one pair, or, for a guarantee, the smallest, the best and the
/// largest mu with that guarantee, of which the shortest schedule is chosen. Throws ConfigError with the
/// expected values.
[[nodiscard]] std::vector<MuAndBound> mcgas_parameters(const Clusters& clusters,
                                                       const MoldableOptions& options);

/// Returns the result of the first step of MCGAS with these parameters.
[[nodiscard]] McgasPlan plan_mcgas(const TaskGraph& graph, const Clusters& clusters,
                                   const TradeOff& trade_off, const AllowedNumbers& allowed,
                                   const MuAndBound& parameters, LeftWork left_work);

/// Also computes the trade-off between all allowed numbers. Throws ConfigError like mcgas_parameters.
[[nodiscard]] std::vector<McgasPlan> plan_mcgas(const TaskGraph& graph, const Clusters& clusters,
                                                const MoldableOptions& options);

/// Returns the machine's capacity in processors of the fastest cluster's speed, rounded down.
[[nodiscard]] double reference_processors(const Clusters& clusters);
/// Returns HCPA's rules on the reference cluster.
[[nodiscard]] CpaRules hcpa_rules(const TaskGraph& graph, const Clusters& clusters);

}  // namespace takt::schedulers
