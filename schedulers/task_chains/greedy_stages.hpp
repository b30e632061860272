#pragma once
/// Greedy cuts of a chain into stages, under a period found by bisection.

#include "schedulers/task_chains/core_chain.hpp"

namespace takt::schedulers {

/// OTAC: the fewest cores of one class for a period, stage by stage from the front; optimal on equal cores. A
/// stage has as many tasks as fit one core. A stateless one extends to the next stateful task, on as many
/// cores as needed, and leaves tasks to the next stage if that saves a core and they fit together with that
/// task on one core. O(n log(w P)) for the longest task w. Throws ConfigError without a core of the class.
/// Source: Orhan, Pilla, et al., "OTAC: optimal scheduling for pipelined and replicated task chains for
/// software-defined radio" (2023).
[[nodiscard]] ChainStages otac_stages(const CoreChain& chain, std::size_t cores, std::size_t core_class);

/// FERTAC (first efficient resources): each stage on little cores if these sustain the period, else on big
/// ones. O(n log(w P)). Source: arXiv 2502.10000, algorithm 4.
[[nodiscard]] ChainStages fertac_stages(const CoreChain& chain, const CoreCounts& cores);

/// 2CATAC (two-choice allocation): tries both classes for each stage; of two valid solutions chooses the one
/// with more little and fewer big cores, or with fewer cores, or the one that changes class. States (task,
/// cores left) are evaluated once: O(n P^2 log(w P)) time, O(n P^2) memory, while the paper's recursion takes
/// O(2^n). Source: arXiv 2502.10000, algorithm 5.
[[nodiscard]] ChainStages twocatac_stages(const CoreChain& chain, const CoreCounts& cores);

}  // namespace takt::schedulers
