#pragma once
/// Local search over all assignments and orders, cyclic quotients included.

#include <cstdint>

#include "logp/timing.hpp"
#include "schedulers/search/stage_search.hpp"
#include "schedulers/search/workload.hpp"
#include "schedulers/sequences/arrangement.hpp"

namespace takt::schedulers {

/// Whether this search is for such a graph and machine: one instance, and few enough tasks and processors.
[[nodiscard]] bool can_improve_sequences(const Workload& workload);

/// Moves tasks to other processors and to other places in the processors' sequences, for as long as the
/// budget lasts or until the period is not above `bound`; returns the best allocation found, which may be the
/// given one. The budget counts moves that were tried, those of large graphs several times, and is
/// lowered by them.
///
/// Unlike in a chain, a processor may wait for results of another one that waits for its own: it is then
/// occupied while it waits, which can still be better than a chain that does not fill the processors evenly.
/// The aim is a period one tick below the best one so far. For a period, every operation starts as early as
/// it can, then each processor is made to start late enough to be done in time, and so on for as many rounds
/// as there are processors; by how much they are late still is what is made smaller (late acceptance, as in
/// stage_search.hpp); when that is stuck, it starts again from the best allocation with some random moves.
/// Messages are those of logp::time_task_messages, one for a task and a destination; the network's capacity
/// is not looked at. A move takes O((n + m) P). Bundles stay together, where there are any.
[[nodiscard]] logp::Allocation improve_sequences(const Workload& workload, const logp::Allocation& allocation,
                                                 Time bound, std::uint64_t& budget, SearchRandom& random,
                                                 const Bundles* bundles = nullptr);

}  // namespace takt::schedulers
