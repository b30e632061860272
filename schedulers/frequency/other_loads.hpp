#pragma once
/// What other schedulers' schedules have at least, before there are messages.

#include "schedulers/scheduler.hpp"

namespace takt::schedulers {

/// Whether another scheduler gives some processor work for as long as that before there is a message, which
/// no timing makes less; false where it does not tell what it decides, and of moldable tasks. As long as its
/// decisions take.
[[nodiscard]] bool works_as_long(const OtherScheduler& other, const TaskGraph& graph,
                                 const logp::Machine& machine, const Options& options, Time repetition);

}  // namespace takt::schedulers
