#pragma once
/// Costs of stages where ranks run on hosts of several kinds.

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "pipeline/costs/stage_cost.hpp"

namespace takt::pipeline {

/// What each kind of host measured, and the kind of each rank's host.
struct HostCosts {
  std::vector<std::vector<StageCost>> kinds;
  std::vector<std::size_t> kind_of_rank;
};

/// One list of costs for all: rank 0's where the kinds differ by less than the accuracy of costs at every
/// stage, as two measurements of one host do; otherwise its with the costs of every
/// rank (StageCost::by_rank), and without groups, which are made of equal ranks.
[[nodiscard]] std::vector<StageCost> merge_costs(const HostCosts& hosts);

/// Costs on their way from rank to rank, as one line of JSON; throws ConfigError where the text is none.
[[nodiscard]] std::string costs_to_text(const std::vector<StageCost>& costs);
[[nodiscard]] std::vector<StageCost> costs_from_text(std::string_view text);

}  // namespace takt::pipeline
