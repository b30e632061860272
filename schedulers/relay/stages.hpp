#pragma once
/// The assignment of items to the processors of a chain.

#include <cstdint>
#include <vector>

#include "core/ids.hpp"
#include "schedulers/relay/chain_partition.hpp"

namespace takt::schedulers {

/// Stage k is processor chain[k]; data only move to higher stages.
struct Stages {
  std::vector<ProcessorId> chain;
  std::vector<std::uint32_t> stage_of;
};

/// Returns the stages of a partition of an order.
[[nodiscard]] inline Stages stages_of(const ChainPartition& partition, std::span<const TaskId> order) {
  Stages stages{partition.chain, std::vector<std::uint32_t>(order.size())};
  for (std::size_t k = 0; k < partition.chain.size(); ++k)
    for (std::size_t i = partition.cuts[k]; i < partition.cuts[k + 1]; ++i)
      stages.stage_of[order[i].index()] = static_cast<std::uint32_t>(k);
  return stages;
}

}  // namespace takt::schedulers
