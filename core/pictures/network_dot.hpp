#pragma once
/// Networks for Graphviz and other programs that read its language.

#include <string>

#include "core/network.hpp"

namespace takt {

/// An undirected graph where the two links between any two nodes cost the same, otherwise a directed one.
/// O(links log links).
[[nodiscard]] std::string network_to_dot(const Network& network);

}  // namespace takt
