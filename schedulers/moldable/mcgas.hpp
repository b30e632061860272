#pragma once
/// The first step of MCGAS and what it promises; of HCPA what the comparison with it needs.

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
  /// Of any schedule's makespan, data or not; rounded up to a tick.
  Time bound{0};
  /// The makespan over the least one at most, were data moved in no time; infinite where nothing is promised.
  double guarantee = 0;
  /// What of it comes from clusters of unlike speed, and from few allowed numbers of processors: factors.
  double for_speeds = 1;
  double for_numbers = 1;
};

/// The parameters that the options mean: one pair, or, for a guarantee, the smallest, the best and the
/// largest mu that promise it, from which the shortest schedule is taken. Throws ConfigError that says what
/// was expected.
[[nodiscard]] std::vector<MuAndBound> mcgas_parameters(const Clusters& clusters,
                                                       const MoldableOptions& options);

/// Whether the work that rounding leaves of what is promised goes to the critical path.
enum class LeftWork : std::uint8_t {
  /// Rounding's allotment as it is.
  stays,
  /// Tasks of the critical path get more processors, as in CPA, up to b, while the work is at most 1 / mu
  /// times the
  /// best one and the path longer than the work per processor. The promise's proof asks for no more than
  /// that.
  is_used,
};

/// The first step of MCGAS with these parameters.
[[nodiscard]] McgasPlan plan_mcgas(const TaskGraph& graph, const Clusters& clusters,
                                   const TradeOff& trade_off, const AllowedNumbers& allowed,
                                   const MuAndBound& parameters, LeftWork left_work);

/// The same with its own trade-off between all allowed numbers. Throws ConfigError as mcgas_parameters.
[[nodiscard]] std::vector<McgasPlan> plan_mcgas(const TaskGraph& graph, const Clusters& clusters,
                                                const MoldableOptions& options,
                                                LeftWork left_work = LeftWork::is_used);

/// How many processors of the fastest cluster's speed the machine is worth, rounded down.
[[nodiscard]] double reference_processors(const Clusters& clusters);
/// HCPA's rules on the reference cluster.
[[nodiscard]] CpaRules hcpa_rules(const TaskGraph& graph, const Clusters& clusters);

}  // namespace takt::schedulers
