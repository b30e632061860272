#include "pipeline/runtime/trials/group_measurement.hpp"

#include <numeric>
#include <string>

#include "logp/mpi/blocking.hpp"
#include "pipeline/costs/group_profile.hpp"
#include "pipeline/runtime/mpi_group.hpp"
#include "pipeline/watching/activity.hpp"

namespace takt::pipeline {

void measure_groups(const Pipeline& pipeline, std::vector<StageCost>& costs, MPI_Comm communicator) {
  int number = 0, count = 0;
  MPI_Comm_rank(communicator, &number);
  MPI_Comm_size(communicator, &count);
  const auto rank = static_cast<std::size_t>(number);
  set_phase(Phase::measuring);
  for (std::size_t stage = 0; stage < pipeline.stages.size(); ++stage)
    for (const std::size_t size : measured_group_sizes(pipeline, stage, static_cast<std::size_t>(count))) {
      const std::string runs =
          mpi::broadcast(rank == 0 ? std::to_string(group_runs(costs[stage].cost)) : "", communicator);
      if (rank < size) {
        std::vector<int> ranks(size);
        std::iota(ranks.begin(), ranks.end(), 0);
        MpiGroup group(communicator, std::move(ranks), rank, 0);
        const Time time = time_member(pipeline, stage, group, std::stoul(runs));
        if (rank == 0) costs[stage].groups.push_back({static_cast<std::uint32_t>(size), time});
      }
      mpi::barrier(communicator);
    }
}

}  // namespace takt::pipeline
