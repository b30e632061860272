#pragma once
/// Opens the channels of a rank, and provides its sources with memory that other ranks can read.

#include <optional>
#include <vector>

#include <mpi.h>

#include "pipeline/runtime/channels/open_channels.hpp"
#include "pipeline/runtime/rank_memory.hpp"
#include "pipeline/runtime/rank_stages.hpp"
#include "pipeline/runtime/rank_state.hpp"

namespace takt::pipeline {

/// Returns the properties of a rank's neighbours and sources. `nodes` as in open_channels.
[[nodiscard]] Neighbourhood neighbourhood(const RankProgram& program, const std::vector<int>& nodes,
                                          const std::vector<bool>& lends_many, MPI_Comm communicator);

/// `neighbourhood` is that of the memory's layout, and `releases_early` as in SourceReader. Collective.
/// Throws WorkError when memory cannot be shared.
[[nodiscard]] Channels open_rank_channels(const RankState& state, const RankMemory& memory,
                                          const RankStages& stages, const Neighbourhood& neighbourhood,
                                          bool releases_early, const std::vector<int>& nodes,
                                          const std::vector<std::optional<std::size_t>>& memory_nodes,
                                          MPI_Comm communicator);

}  // namespace takt::pipeline
