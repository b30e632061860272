#pragma once
/// Networks in Graphviz's DOT language.

#include <string>

#include "core/network.hpp"

namespace takt {

/// Returns an undirected graph if the two links between any two nodes have equal costs, otherwise a directed
/// one. O(links log links).
[[nodiscard]] std::string network_to_dot(const Network& network);

}  // namespace takt
