#pragma once
/// Pictures of networks.

#include <span>
#include <string>

#include "core/network.hpp"

namespace takt {

/// Nodes at the places of core/pictures/network_layout.hpp, a line for each pair of nodes with a link in one
/// or both directions: the wider the busier, where loads are known (of both links the larger one).
[[nodiscard]] std::string network_to_svg(const Network& network, std::span<const double> loads = {});

/// Text that Graphviz draws: undirected where each link has one back of the same cost.
[[nodiscard]] std::string network_to_dot(const Network& network);

}  // namespace takt
