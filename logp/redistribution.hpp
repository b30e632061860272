#pragma once
/// What it takes to bring data from one group of processors to another one.
///
/// Both groups hold the data in blocks of equal size (block i of k is [i S / k, (i + 1) S / k), rounded
/// down), in ascending order of processors. What a processor holds already stays where it is; every other
/// part is a message. Each processor sends its parts one after the other, and receives them so, max(o, g)
/// apart; the last one takes o + L + o. Where the costs name a backbone, all bytes that move share it. The
/// slowest of all this is the time of the redistribution, and it occupies no processor: it is the delay model
/// of groups, and for two groups of one processor the cost of a single message.
///
/// It leaves out what groups that exchange data at the same time do to each other.

#include <cstddef>
#include <span>

#include "core/ids.hpp"
#include "core/units.hpp"
#include "logp/machine.hpp"

namespace takt::logp {

/// From one group to another one, both in ascending order. Data of no size still say that their task has
/// ended: one empty message. O(senders + receivers).
[[nodiscard]] Time redistribution_time(const Machine& machine, std::span<const ProcessorId> from,
                                       std::span<const ProcessorId> to, Bytes size);

/// The same between groups without a common processor, all pairs of equal costs: exact where one number
/// divides the other. O(1).
[[nodiscard]] double estimated_redistribution(const LinkCosts& costs, std::size_t senders,
                                              std::size_t receivers, Bytes size);

}  // namespace takt::logp
