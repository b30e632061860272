#pragma once
/// Mixed-parallel HEFT: chooses the number of processors and the processors in one step.
///
/// Tasks by falling upward rank (time on one processor of mean speed, data between two processors of a
/// cluster). Each runs on the cluster and number of processors with the earliest end, including its data; of
/// equals the fewest processors. Numbers with a parallel efficiency T(1) / (p T(p)) below one half are
/// excluded: without this limit each task uses a whole cluster, and independent tasks run one after the
/// other.
///
/// Sources: Casanova, Desprez, Suter, "From heterogeneous task scheduling to heterogeneous mixed parallel
/// scheduling" (Euro-Par 2004); the limit, there M-HEFT-EFF50%, from N'Takpe, Suter, Casanova (ISPDC 2007).
/// O(n (P log P + P data)) for P processors.

#include "schedulers/scheduler.hpp"

namespace takt::schedulers {

[[nodiscard]] Schedule m_heft(const TaskGraph& graph, const logp::Machine& machine, const Options& options);

}  // namespace takt::schedulers
