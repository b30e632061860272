#pragma once
/// Greedy cuts of a chain into stages, under a period found by bisection.

#include "schedulers/task_chains/core_chain.hpp"

namespace takt::schedulers {

/// OTAC: the fewest cores of one class for a period, stage by stage from the front; optimal on equal cores. A
/// stage takes as many tasks as fit one core; a stateless one goes on to the next task with state, on as many
/// cores as that takes, and leaves tasks to the next stage where that spares a core and they fit beside that
/// task on one core. O(n log(w P)) for the longest task w. Throws ConfigError without a core of the class.
/// Source: Orhan, Pilla, et al., "OTAC: optimal scheduling for pipelined and replicated task chains for
/// software-defined radio" (2023).
[[nodiscard]] ChainStages otac_stages(const CoreChain& chain, std::size_t cores, std::size_t core_class);

/// FERTAC (first efficient resources): each stage on little cores where these hold the period, else on big
/// ones. O(n log(w P)). Source: arXiv 2502.10000, algorithm 4.
[[nodiscard]] ChainStages fertac_stages(const CoreChain& chain, const CoreCounts& cores);

/// 2CATAC (two-choice allocation): both classes are tried for each stage; of two valid ways the one with more
/// little and fewer big cores is taken, or with fewer cores, or the one that changes class. States (task,
/// cores left) are looked at once: O(n P^2 log(w P)) time, O(n P^2) memory, where the paper's recursion takes
/// O(2^n). Source: arXiv 2502.10000, algorithm 5.
[[nodiscard]] ChainStages twocatac_stages(const CoreChain& chain, const CoreCounts& cores);

}  // namespace takt::schedulers
