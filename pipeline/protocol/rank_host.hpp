#pragma once
/// The description of its host that a rank sends to the other ranks.

#include <cstddef>
#include <filesystem>
#include <optional>
#include <string>

#include "pipeline/planning/places.hpp"

namespace takt::pipeline {

/// Returns the NUMA node of the network interface with this address, that of a source (its parameter
/// `address`); nothing if the system names none. `interfaces`: the system's folder of interfaces.
[[nodiscard]] std::optional<std::size_t> node_of_interface(
    const std::string& address, const std::filesystem::path& interfaces = "/sys/class/net");

/// Returns the host of this process.
[[nodiscard]] RankHost own_host(const Pipeline& pipeline);

/// Convert a host to one line of text and back. The text lacks RankHost::node, which is therefore an
/// argument.
[[nodiscard]] std::string to_text(const RankHost& host);
[[nodiscard]] RankHost rank_host_from_text(const std::string& text, int node);

}  // namespace takt::pipeline
