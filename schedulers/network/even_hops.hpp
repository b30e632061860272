#pragma once
/// Messages that all go about equally far, and not far.

#include <vector>

#include "logp/machine.hpp"
#include "schedulers/delay/delay_model.hpp"

namespace takt::schedulers {

/// The same tasks together, on processors that have changed places: processors of one speed exchange all
/// their tasks, pair by pair in ascending order, while that makes the sum of the squares of all messages'
/// hop counts smaller; the squares are what keeps single messages from going far. Unchanged on a machine
/// without a network.
///
/// Source: the channel allocation of BU "tries to keep the hop count of every message roughly a constant
/// constrained by the processor network topology" (Y.-K. Kwok, I. Ahmad, "Static scheduling algorithms for
/// allocating directed task graphs to multiprocessors", ACM Computing Surveys 31(4), 1999, section 8); how it
/// does is left to each topology.
///
/// O(P^2 D) for the distances and O(P^2 + P m) a round, at most 32; O(P^2 + m) memory.
[[nodiscard]] std::vector<ProcessorId> even_hops(const DelayModel& model, const logp::Machine& machine,
                                                 std::vector<ProcessorId> processor_of);

}  // namespace takt::schedulers
