#pragma once
/// Pages about machines.

#include <string>
#include <vector>

#include "core/network.hpp"
#include "core/pictures/page.hpp"
#include "logp/machine.hpp"

namespace takt::logp {

/// A machine's network, or where it has none its nodes, each connected with each.
[[nodiscard]] Network picture_of(const Machine& machine);

/// A machine: its network where it has one (of up to 64 nodes without one: each connected with each), its
/// clusters, nodes and processors with what messages between them cost, the costs as a table by size, and
/// where pairs have costs of their own a matrix of the latencies.
[[nodiscard]] Page machine_page(const std::string& name, const Machine& machine);

/// What a lone message of 1 KiB and of 1 MiB takes from each processor to each, of machines of 512 processors
/// at most whose pairs are not all alike; otherwise nothing.
[[nodiscard]] std::vector<View> message_matrices(const Machine& machine);

}  // namespace takt::logp
