#pragma once
/// Mixed-parallel HEFT: how many processors and which, in one step.
///
/// Tasks by falling upward rank (time on one processor of mean speed, data between two processors of a
/// cluster); each on the cluster and number of processors with which it ends first, its data counted; of
/// equals the fewest processors. Numbers with a parallel efficiency T(1) / (p T(p)) below one half are not
/// looked at: without this limit each task takes a whole cluster, and tasks that could run at once run one by
/// one.
///
/// Sources: Casanova, Desprez, Suter, "From heterogeneous task scheduling to heterogeneous mixed parallel
/// scheduling" (Euro-Par 2004); the limit, there M-HEFT-EFF50%, from N'Takpe, Suter, Casanova (ISPDC 2007).
/// O(n (P log P + P data)) for P processors.

#include "schedulers/scheduler.hpp"

namespace takt::schedulers {

[[nodiscard]] Schedule m_heft(const TaskGraph& graph, const logp::Machine& machine, const Options& options);

}  // namespace takt::schedulers
