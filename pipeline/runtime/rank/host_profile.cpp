#include "pipeline/runtime/rank/host_profile.hpp"

#include <algorithm>
#include <cstdint>

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
  // The first rank of each kind of host measures.
  std::vector<std::size_t> measuring;
  std::vector<std::uint64_t> fingerprints;
  const std::vector<logp::RankLocation> places = logp::find_locations(communicator, false);
  for (std::size_t i = 0; i < places.size(); ++i) {
    const auto known = std::ranges::find(fingerprints, places[i].fingerprint);
    hosts.kind_of_rank.push_back(static_cast<std::size_t>(known - fingerprints.begin()));
    if (known != fingerprints.end()) continue;
    fingerprints.push_back(places[i].fingerprint);
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
