#pragma once
/// Time to move data from one group of processors to another one.
///
/// Both groups hold the data in blocks of equal size (block i of k is [i S / k, (i + 1) S / k), rounded
/// down), in ascending order of processors. Data that a processor already has stay there; every other part is
/// a message. Each processor sends its parts one after the other, and receives them so, max(o, g) apart; the
/// last one takes o + L + o. If the costs have a backbone, all moving bytes share it. The slowest of these is
/// the time of the redistribution, which occupies no processor: it is the delay model of groups, and for two
/// groups of one processor the cost of a single message.
///
/// It ignores contention between groups that exchange data at the same time.

#include <cstddef>
#include <span>

#include "core/ids.hpp"
#include "core/units.hpp"
#include "logp/machine.hpp"

namespace takt::logp {

/// Returns the time from one group to another one, both in ascending order. Data of size 0 still signal the
/// end of their task: one empty message. O(senders + receivers).
[[nodiscard]] Time redistribution_time(const Machine& machine, std::span<const ProcessorId> from,
                                       std::span<const ProcessorId> to, Bytes size);

/// Returns the same for groups without a common processor, with equal costs of all pairs: exact if one number
/// divides the other. O(1).
[[nodiscard]] double estimated_redistribution(const LinkCosts& costs, std::size_t senders,
                                              std::size_t receivers, Bytes size);

}  // namespace takt::logp
