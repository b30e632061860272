#pragma once
/// HeRAD: the best cut of a chain into stages on two classes of cores, by dynamic programming.

#include "schedulers/task_chains/core_chain.hpp"

namespace takt::schedulers {

/// Returns the stages with the smallest period; of equal ones those that use fewer big and more little cores,
/// or no more cores of either class. Joins adjacent stateless stages of one class. O(n^2 b l (b + l)) time at
/// most (a stateful stage only tries one core), O(n b l) memory for b big and l little cores. Source: arXiv
/// 2502.10000, algorithms 6 to 9.
[[nodiscard]] ChainStages herad_stages(const CoreChain& chain, const CoreCounts& cores);

}  // namespace takt::schedulers
