#pragma once
/// The costs of stages on hosts of several kinds.

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "pipeline/costs/stage_cost.hpp"

namespace takt::pipeline {

/// Costs measured by each kind of host, and the kind of each rank's host.
struct HostCosts {
  std::vector<std::vector<StageCost>> kinds;
  std::vector<std::size_t> kind_of_rank;
};

/// Merges the costs into one list: rank 0's where all kinds differ by less than accuracy_of_costs at every
/// stage, as two measurements of one host do. Otherwise the list holds the costs of every rank
/// (StageCost::by_rank) and no groups, which need equal ranks.
[[nodiscard]] std::vector<StageCost> merge_costs(const HostCosts& hosts);

/// Returns the costs on a rank that has this share of a processor: its calls take longer. They are measured
/// without the pauses by which control groups limit processor time. 1 and more: the same.
[[nodiscard]] StageCost with_share(StageCost cost, double share);

/// Converts costs to one line of JSON for messages and back; throws ConfigError for an invalid text.
[[nodiscard]] std::string costs_to_text(const std::vector<StageCost>& costs);
[[nodiscard]] std::vector<StageCost> costs_from_text(std::string_view text);

}  // namespace takt::pipeline
