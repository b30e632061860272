#pragma once
/// Costs in the form of a machine file, and the machine that results.

#include <array>
#include <cstdint>
#include <utility>
#include <vector>

#include "core/formats/yaml_tree.hpp"
#include "logp/machine.hpp"
#include "logp/machine_yaml_names.hpp"

namespace takt::logp {

/// The costs of a pair in a file: missing ones are those of the pair's level.
struct PairEntry {
  ProcessorId from;
  ProcessorId to;
  std::vector<std::pair<Cost LinkCosts::*, Cost>> costs;
};

/// The same for a pair of clusters, by their numbers.
struct ClusterEntry {
  std::uint32_t from = 0;
  std::uint32_t to = 0;
  std::vector<std::pair<Cost LinkCosts::*, Cost>> costs;
};

struct FileCosts {
  std::array<LinkCosts, level_count> levels;
  std::vector<PairEntry> pairs;
  std::vector<ClusterEntry> clusters;
  /// Levels that the file should define but does not.
  std::vector<LevelName> missing;
  YamlNode node;
};

/// Returns the machine; throws ConfigError like its constructor.
[[nodiscard]] Machine machine_of(const Platform& platform, const FileCosts& costs);

}  // namespace takt::logp
