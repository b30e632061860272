#pragma once
/// Pages about machines.

#include <string>
#include <vector>

#include "core/network.hpp"
#include "core/pictures/page.hpp"
#include "logp/machine.hpp"

namespace takt::logp {

/// Returns a machine's network or, without one, its fully connected nodes.
[[nodiscard]] Network picture_of(const Machine& machine);

/// Returns the page of a machine: its network (without one, up to 64 fully connected nodes), its clusters,
/// nodes and processors with the costs of messages between them, the costs as a table by size and, for pairs
/// with costs of their own, a matrix of the latencies.
[[nodiscard]] Page machine_page(const std::string& name, const Machine& machine);

/// Returns the times of a single message of 1 KiB and of 1 MiB between all processors, for machines of at
/// most 512 processors with different pairs; otherwise empty.
[[nodiscard]] std::vector<View> message_matrices(const Machine& machine);

}  // namespace takt::logp
