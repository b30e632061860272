#pragma once
/// Costs as a machine file has them, and the machine that they make.

#include <array>
#include <cstdint>
#include <utility>
#include <vector>

#include "core/formats/yaml_tree.hpp"
#include "logp/machine.hpp"
#include "logp/machine_yaml_names.hpp"

namespace takt::logp {

/// The costs of a pair as a file has them: what it leaves out is as the pair's level has it.
struct PairEntry {
  ProcessorId from;
  ProcessorId to;
  std::vector<std::pair<Cost LinkCosts::*, Cost>> costs;
};

/// The same of a pair of clusters, by their numbers.
struct ClusterEntry {
  std::uint32_t from = 0;
  std::uint32_t to = 0;
  std::vector<std::pair<Cost LinkCosts::*, Cost>> costs;
};

struct FileCosts {
  std::array<LinkCosts, level_count> levels;
  std::vector<PairEntry> pairs;
  std::vector<ClusterEntry> clusters;
  /// Levels of which the file says nothing, and where it should.
  std::vector<LevelName> missing;
  YamlNode node;
};

/// The machine; throws ConfigError as its constructor does.
[[nodiscard]] Machine machine_of(const Platform& platform, const FileCosts& costs);

}  // namespace takt::logp
