#pragma once
/// Simulates a schedule on a stream of frames: many iterations with bounded buffers, variable times and a
/// live input.
///
/// Every processor repeats its operations in the schedule's order, each as soon as possible:
///
///   an operation waits for the previous one on its processor, and for the gap after the last send (or
///   receive); a receive waits for its message; a task without inputs waits for the arrival of its frame; a
///   send waits until the receiver has received the message of `buffers` iterations before; a task whose
///   state travels waits for the end of its instance before.
///
/// A message with a route uses each link at its reserved time or, if it is late, in the first free
/// interval: links carry one message at a time.
///
/// In a pipelined schedule the operations of an iteration are in order of their start within it, and each is
/// executed for its own frame (core/offsets.hpp); at the end of the stream the pipeline drains. Senders may
/// be ahead at least by the difference of the offsets.
///
/// The work of a task on devices (Schedule::devices) goes there after the task's operation, on each to the
/// unit that is free first, in the order in which tasks start it. The operation of a task waits for the end
/// of its work of `depth` instances before. Jitter, drift and slowness apply to processors only.
///
/// So the start times of one iteration follow from those of the previous iterations by maxima and sums,
/// without a queue of events. The bounded buffers replace LogP's capacity of ceil(L / g) messages.
/// Without jitter, drift and slow processors, with enough buffers and no limit of the input, the
/// sustained period is the smallest one of the order (logp/period.hpp); with routes it is the schedule's
/// own.

#include "core/schedule.hpp"
#include "logp/machine.hpp"
#include "logp/simulation_options.hpp"
#include "logp/simulation_result.hpp"

namespace takt::logp {

/// The same options and schedule yield the same result on every machine. O(frames * operations). Throws
/// ConfigError on an invalid option, if the schedule's operations wait for each other in a cycle, or if
/// groups of processors work on moldable tasks.
[[nodiscard]] SimulationResult simulate(const TaskGraph& graph, const Machine& machine,
                                        const Schedule& schedule, const SimulationOptions& options);

}  // namespace takt::logp
