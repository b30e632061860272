#pragma once
/// The names in machine files, for the reader and the writer.

#include <array>
#include <cstdint>
#include <string_view>
#include <vector>

#include "logp/machine.hpp"

namespace takt::logp {

/// One of the costs of a link.
struct CostField {
  std::string_view name;
  Cost LinkCosts::*member;
};

inline constexpr std::array cost_fields{CostField{"latency", &LinkCosts::latency},
                                        CostField{"send_overhead", &LinkCosts::send_overhead},
                                        CostField{"receive_overhead", &LinkCosts::receive_overhead},
                                        CostField{"send_gap", &LinkCosts::send_gap},
                                        CostField{"receive_gap", &LinkCosts::receive_gap},
                                        CostField{"backbone", &LinkCosts::backbone}};

/// One name for the send and the receive side.
struct SharedField {
  std::string_view name;
  Cost LinkCosts::*send;
  Cost LinkCosts::*receive;
};

inline constexpr std::array shared_cost_fields{
    SharedField{"overhead", &LinkCosts::send_overhead, &LinkCosts::receive_overhead},
    SharedField{"gap", &LinkCosts::send_gap, &LinkCosts::receive_gap}};

struct LevelName {
  std::string_view name;
  Level level;
};

inline constexpr std::array level_names{LevelName{"node", Level::node}, LevelName{"cluster", Level::cluster},
                                        LevelName{"wide", Level::wide}};

/// Returns the cluster of each node if a file names none.
[[nodiscard]] std::vector<std::uint32_t> in_one_cluster(const std::vector<std::uint32_t>& node_of);

}  // namespace takt::logp
