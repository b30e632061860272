#pragma once
/// Pages about machines.

#include <string>

#include <nlohmann/json_fwd.hpp>

#include "core/network.hpp"
#include "core/pictures/page.hpp"
#include "logp/machine.hpp"

namespace takt::pipeline {

/// Returns a machine's network or, without one, its fully connected nodes.
[[nodiscard]] Network picture_of(const logp::Machine& machine);

/// Returns the page of a machine: its network (without one, up to 64 fully connected nodes), its clusters,
/// nodes and processors with the costs of messages between them, the costs as a table by size and, for pairs
/// with costs of their own, a matrix of the latencies.
[[nodiscard]] Page machine_page(const std::string& name, const logp::Machine& machine);

/// Returns that page with the measurement first: the part `calibration` of its machine file
/// (calibration_page.hpp) and, for machines of at most 512 processors with different pairs, the times of a
/// single message of 1 KiB and of 1 MiB between all processors.
[[nodiscard]] Page measured_machine_page(const std::string& name, const logp::Machine& machine,
                                         const nlohmann::ordered_json& calibration);

}  // namespace takt::pipeline
