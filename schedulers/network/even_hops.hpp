#pragma once
/// Exchange of processors for short and similar routes of all messages.

#include <vector>

#include "logp/machine.hpp"
#include "schedulers/delay/delay_model.hpp"

namespace takt::schedulers {

/// Returns the same groups of tasks on exchanged processors: processors of one speed exchange all their
/// tasks, pair by pair in ascending order, while that lowers the sum of the squares of all messages'
/// hop counts; the squares avoid long routes of single messages. Unchanged on a machine without a
/// network.
///
/// Source: the channel allocation of BU "tries to keep the hop count of every message roughly a
/// constant constrained by the processor network topology" (Y.-K. Kwok, I. Ahmad, "Static scheduling
/// algorithms for allocating directed task graphs to multiprocessors", ACM Computing Surveys 31(4),
/// 1999, section 8); the method depends on the topology there.
///
/// O(P^2 D) for the distances and O(P^2 + P m) a pass, at most 32; O(P^2 + m) memory.
[[nodiscard]] std::vector<ProcessorId> even_hops(const DelayModel& model, const logp::Machine& machine,
                                                 std::vector<ProcessorId> processor_of);

}  // namespace takt::schedulers
