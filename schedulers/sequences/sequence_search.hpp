#pragma once
/// Local search over all assignments and orders, cyclic quotients included.

#include <cstdint>

#include "logp/timing.hpp"
#include "schedulers/search/stage_search.hpp"
#include "schedulers/search/workload.hpp"
#include "schedulers/sequences/arrangement.hpp"

namespace takt::schedulers {

/// Returns whether the search supports the workload: one instance, and few enough tasks and processors.
[[nodiscard]] bool can_improve_sequences(const Workload& workload);

/// Moves tasks to other processors and to other positions in the processors' sequences, until
/// the budget is spent or the period meets `bound`; returns the best allocation found, which may
/// be the given one. Subtracts tried moves from the budget, those of large graphs several times.
///
/// In contrast to a chain, processors may wait for each other's results in cycles. A processor
/// is then occupied while it waits, which can still be better than a chain with uneven loads.
/// The goal is a period one tick below the best one so far. For a period, every operation starts
/// as early as possible; then each processor's start is delayed until it ends in time, for as
/// many passes as there are processors. The search minimises the remaining lateness (late
/// acceptance, as in stage_search.hpp) and restarts from the best allocation after some random
/// moves. Messages are those of logp::time_task_messages, one per task and destination; the
/// network's capacity is ignored. A move takes O((n + m) P). Bundles stay together, if there are
/// any.
[[nodiscard]] logp::Allocation improve_sequences(const Workload& workload, const logp::Allocation& allocation,
                                                 Time bound, std::uint64_t& budget, SearchRandom& random,
                                                 const Bundles* bundles = nullptr);

}  // namespace takt::schedulers
