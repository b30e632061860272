#pragma once
/// `brent`: the tasks of every layer are dealt to the processors in turn, and all of them exchange data
/// between two layers.
///
/// Source: R. P. Brent, "The parallel evaluation of general arithmetic expressions" (1974), as the thesis on
/// frequency-oriented scheduling for LOIS uses it (section 6.1). Each layer starts again at processor 1, in
/// the order of the tasks' ids; speeds play no part. O(n + m log m + layers P^2).
///
/// The thesis does not say how large its messages are. Here each has the size of the data of its layer that
/// the receiver needs, one unit at least; other readings are options of the timing.

#include "logp/timing.hpp"
#include "schedulers/scheduler.hpp"

namespace takt::schedulers {

[[nodiscard]] Schedule brent(const TaskGraph& graph, const logp::Machine& machine, const Options& options);
/// With another reading of its messages; they go from all to all whatever `messages` says.
[[nodiscard]] Schedule brent_with_messages(const TaskGraph& graph, const logp::Machine& machine,
                                           logp::LayerMessageOptions messages);

}  // namespace takt::schedulers
