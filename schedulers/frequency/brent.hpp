#pragma once
/// `brent`: the tasks of every layer are dealt to the processors in turn, and all of them exchange data
/// between two layers.
///
/// Source: R. P. Brent, "The parallel evaluation of general arithmetic expressions" (1974), as the thesis on
/// frequency-oriented scheduling for LOIS uses it (section 6.1). Each layer starts again at processor 1, in
/// the order of the tasks' ids; speeds play no part. O(n + m log m + layers P^2).

#include "schedulers/scheduler.hpp"

namespace takt::schedulers {

[[nodiscard]] Schedule brent(const TaskGraph& graph, const logp::Machine& machine, const Options& options);

}  // namespace takt::schedulers
