#pragma once
/// `brent`: deals the tasks of every layer to the processors in a cycle, with an all-to-all exchange between
/// two layers.
///
/// Source: R. P. Brent, "The parallel evaluation of general arithmetic expressions" (1974), as used by the
/// thesis on frequency-oriented scheduling for LOIS (section 6.1). Each layer starts again at processor 1, in
/// the order of the tasks' ids; speeds have no influence. O(n + m log m + layers P^2).
///
/// The thesis does not define the size of the messages. Here each has the size of the data of its layer that
/// the receiver needs, at least one unit; other interpretations are options of the timing.

#include "logp/timing.hpp"
#include "schedulers/scheduler.hpp"

namespace takt::schedulers {

[[nodiscard]] Schedule brent(const TaskGraph& graph, const logp::Machine& machine, const Options& options);
/// With another interpretation of its messages, which are all-to-all for every value of `messages`.
[[nodiscard]] Schedule brent_with_messages(const TaskGraph& graph, const logp::Machine& machine,
                                           logp::LayerMessageOptions messages);
/// The same tasks on the same processors, with those messages only that carry data. O(n + m log m).
[[nodiscard]] Schedule brent_with_needed_messages(const TaskGraph& graph, const logp::Machine& machine,
                                                  const Options& options);

}  // namespace takt::schedulers
