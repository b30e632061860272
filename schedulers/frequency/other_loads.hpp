#pragma once
/// Lower bounds of other schedulers' periods from their allocations, without messages.

#include "schedulers/scheduler.hpp"

namespace takt::schedulers {

/// Returns whether another scheduler's allocation already has some processor with at least that work
/// without messages, which no timing reduces. Returns false if it does not expose its decisions, and for
/// moldable tasks. Takes as long as its decisions.
[[nodiscard]] bool has_as_much_work(const OtherScheduler& other, const TaskGraph& graph,
                                    const logp::Machine& machine, const Options& options, Time repetition);

}  // namespace takt::schedulers
