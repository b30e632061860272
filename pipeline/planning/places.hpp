#pragma once
/// Finds the ranks that may run a stage (Place), and the processors to which they are bound.

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include "logp/calibration/host_processors.hpp"
#include "pipeline/config/pipeline.hpp"
#include "pipeline/planning/run_plan.hpp"

namespace takt::pipeline {

/// The host of a rank.
struct RankHost {
  std::string name;
  /// Equal for ranks of one host.
  int node = 0;
  /// Those that the rank may use.
  std::vector<logp::HostProcessor> processors;
  /// By stage, for sources with `numa: interface`: the NUMA node of the network interface on this host.
  std::vector<std::optional<std::size_t>> interface_nodes = {};
};

struct RankPlaces {
  /// By stage, the ranks that may run it, ascending; empty: all.
  std::vector<std::vector<std::size_t>> ranks;
  /// By rank, the processors to which places bind it; empty: as `pin` says.
  std::vector<std::vector<std::size_t>> processors;
  /// What a place asks for and the host does not have, a sentence each.
  std::vector<std::string> unmet = {};

  /// Returns true if places bind a rank.
  [[nodiscard]] bool bind() const;
};

/// Returns true if a stage has a place.
[[nodiscard]] bool has_places(const Pipeline& pipeline);

/// Finds the ranks of all places. A core, or a NUMA node, that no rank has takes the first free rank of the
/// host; with `pin: auto`, the other ranks of its host get the processors that remain, in order, if there are
/// enough. With a list in `pin` nothing is bound anew. Throws ConfigError at the first place that cannot
/// hold.
///
/// Pure. O(stages * ranks^2 * processors).
[[nodiscard]] RankPlaces find_places(const Pipeline& pipeline, const std::vector<RankHost>& hosts);

/// Throws ConfigError at the first place whose stage the plan has on another rank.
void check_places(const Pipeline& pipeline, const RankPlaces& places, const RunPlan& plan);

/// Sets `place` and `may_run_on` of the plan's stages.
void note_places(const Pipeline& pipeline, const RankPlaces& places, RunPlan& plan);

}  // namespace takt::pipeline
