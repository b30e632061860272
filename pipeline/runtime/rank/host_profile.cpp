#include "pipeline/runtime/rank/host_profile.hpp"

#include <algorithm>
#include <string>

#include <fmt/format.h>

#include "core/system/processor_limit.hpp"
#include "logp/calibration/topology.hpp"
#include "logp/mpi/blocking.hpp"
#include "pipeline/costs/host_costs.hpp"
#include "pipeline/watching/activity.hpp"

namespace takt::pipeline {

std::vector<StageCost> profile_hosts(const Pipeline& pipeline, MPI_Comm communicator,
                                     const ProfileOptions& options) {
  int number = 0;
  MPI_Comm_rank(communicator, &number);
  const auto rank = static_cast<std::size_t>(number);
  HostCosts hosts;
  // The first rank of each kind measures.
  std::vector<std::size_t> measuring;
  std::vector<std::string> kinds;
  const std::vector<logp::RankLocation> places = logp::find_locations(communicator, false);
  const std::vector<std::string> limits =
      mpi::gather(fmt::format("{}", processor_limit().value_or(0)), communicator);
  for (std::size_t i = 0; i < places.size(); ++i) {
    const std::string kind = fmt::format("{} {} {}", places[i].fingerprint, limits[i], places[i].core_type);
    const auto known = std::ranges::find(kinds, kind);
    hosts.kind_of_rank.push_back(static_cast<std::size_t>(known - kinds.begin()));
    if (known != kinds.end()) continue;
    kinds.push_back(kind);
    measuring.push_back(i);
  }
  const bool measures = std::ranges::find(measuring, rank) != measuring.end();
  if (!measures) set_phase(Phase::waiting_for_costs);
  const std::string own = measures ? costs_to_text(profile(pipeline, options)) : "";
  const std::vector<std::string> all = mpi::gather(own, communicator);
  for (const std::size_t i : measuring) hosts.kinds.push_back(costs_from_text(all[i]));
  return merge_costs(hosts);
}

}  // namespace takt::pipeline
