#include "logp/calibration/quick.hpp"

#include <algorithm>
#include <array>
#include <iterator>
#include <vector>

#include "core/system/kept_affinity.hpp"
#include "logp/calibration/calibrate.hpp"
#include "logp/calibration/host_links.hpp"
#include "logp/calibration/link_campaign.hpp"
#include "logp/calibration/point_curve.hpp"
#include "logp/mpi/own_communicator.hpp"

namespace takt::logp {

namespace {

constexpr Bytes largest_measured{1 << 20};
/// Limit per link for oversubscribed cores, where every message waits: some sizes are then left out.
constexpr Time longest{std::chrono::seconds{10}};

LinkCalibration measure_link(Coordinator& coordinator, const LinkKind& kind, const QuickOptions& options,
                             Time duration) {
  using Clock = LinkCampaign::Clock;
  // At least one iteration, and no additional visits to disturbed sizes.
  LinkCampaign campaign(coordinator, {kind.ranks[0], kind.ranks[1]},
                        {.largest = std::min(options.largest, largest_measured),
                         .first_rounds = 1,
                         .most_sizes = 0,
                         .least_visits = 0,
                         .longest_burst = options.window,
                         .slots = 1});
  const Clock::time_point now = Clock::now();
  campaign.measure(now + duration, now + longest, [] {});
  LinkCalibration link{.kind = kind, .observations = campaign.observations()};
  std::erase_if(link.observations.sizes, [](const SizeObservations& entry) {
    return std::ranges::any_of(entry.visits, [](const auto& visits) { return visits.empty(); });
  });
  link.fit.predict.costs = join_points(link.observations);
  return link;
}

}  // namespace

std::optional<Machine> measure_quickly(MPI_Comm communicator, const QuickOptions& options) {
  const mpi::OwnCommunicator own(communicator);
  const KeptAffinity binding;
  int rank = 0;
  MPI_Comm_rank(own.get(), &rank);
  Calibration calibration{.ranks = find_locations(own.get(), true)};
  calibration.platform = platform_of(calibration.ranks);
  Performer performer(own.get(), options.endpoints, true);
  if (rank != 0) {
    follow(own.get(), performer);
    return std::nullopt;
  }
  Coordinator coordinator(own.get(), performer, false);
  std::vector<LinkKind> kinds = find_link_kinds(calibration.ranks);
  const std::vector<HostPair> between_hosts = host_pairs(calibration.ranks);
  // Each pair of hosts separately, if there are several.
  if (!between_hosts.empty())
    std::erase_if(kinds, [](const LinkKind& kind) { return kind.level != Level::node; });
  const Time share = options.duration /
                     static_cast<Time::rep>(std::max<std::size_t>(1, kinds.size() + between_hosts.size()));
  for (const LinkKind& kind : kinds)
    calibration.links.push_back(measure_link(coordinator, kind, options, share));
  std::vector<MeasuredPair> measured;
  for (const HostPair& pair : between_hosts) {
    const LinkKind kind{.level = pair.level, .ranks = {pair.ranks[0], pair.ranks[1]}};
    measured.push_back({pair, measure_link(coordinator, kind, options, share).fit.predict.costs});
  }
  std::array<LinkCosts, level_count> costs = calibration.costs(&LinkFit::predict);
  std::vector<PairCosts> pairs;
  for (const LinkClass& each : classify(measured)) {
    const LinkCosts& of_class = measured[each.members.front()].costs;
    if (each.is_of_level)
      costs[static_cast<std::size_t>(each.level)] = of_class;
    else
      for (const std::size_t member : each.members)
        std::ranges::move(costs_between(measured[member].pair, of_class, calibration.platform),
                          std::back_inserter(pairs));
  }
  return Machine(calibration.platform, costs, std::move(pairs));
}

}  // namespace takt::logp
