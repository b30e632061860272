#include "logp/calibration/calibrate.hpp"

#include <algorithm>
#include <array>
#include <cstdlib>
#include <iterator>
#include <limits>
#include <string_view>

#include <fmt/format.h>
#include <unistd.h>

#include "core/error.hpp"
#include "logp/calibration/host_links.hpp"
#include "logp/calibration/link_campaign.hpp"
#include "logp/calibration/point_curve.hpp"
#include "logp/calibration/priority.hpp"
#include "logp/calibration/trials.hpp"
#include "logp/mpi/own_communicator.hpp"

extern char** environ;  // NOLINT: POSIX

namespace takt::logp {

namespace {

using Clock = std::chrono::steady_clock;

/// Returns the value of Open MPI's control variable for the waiting mode of ranks.
std::string progress_mode() {
  int provided = 0, index = 0;
  if (MPI_T_init_thread(MPI_THREAD_SINGLE, &provided) != MPI_SUCCESS) return "unknown";
  std::string mode = "unknown";
  MPI_T_cvar_handle handle = nullptr;
  int count = 0;
  if (MPI_T_cvar_get_index("mpi_yield_when_idle", &index) == MPI_SUCCESS &&
      MPI_T_cvar_handle_alloc(index, nullptr, &handle, &count) == MPI_SUCCESS) {
    // A boolean of one byte or of an int, by version; Open MPI writes no larger type.
    std::array<unsigned char, 16> value{};
    if (MPI_T_cvar_read(handle, value.data()) == MPI_SUCCESS) mode = value[0] != 0 ? "yields" : "spins";
    MPI_T_cvar_handle_free(&handle);
  }
  MPI_T_finalize();
  return mode;
}

/// Whether an environment variable is an Open MPI setting that changes the cost of messages.
bool concerns_messages(std::string_view variable) {
  if (variable.find("backing_directory") != std::string_view::npos) return false;
  for (const char* prefix : {"OMPI_MCA_btl", "OMPI_MCA_pml", "OMPI_MCA_mtl", "OMPI_MCA_mpi_", "UCX_"})
    if (variable.starts_with(prefix)) return true;
  return false;
}

MpiFacts find_mpi_facts() {
  std::array<char, MPI_MAX_LIBRARY_VERSION_STRING> library{};
  int length = 0, version = 0, subversion = 0, level = MPI_THREAD_SINGLE;
  MPI_Get_library_version(library.data(), &length);
  MPI_Get_version(&version, &subversion);
  MPI_Query_thread(&level);
  const std::string_view name(library.data());
  MpiFacts facts{
      .version = fmt::format("{}, MPI {}.{}", name.substr(0, name.find_first_of(",\n")), version, subversion),
      .thread_level = level == MPI_THREAD_SINGLE       ? "single"
                      : level == MPI_THREAD_FUNNELED   ? "funneled"
                      : level == MPI_THREAD_SERIALIZED ? "serialized"
                                                       : "multiple",
      .progress = progress_mode()};
  for (char** variable = environ; *variable != nullptr; ++variable)
    if (concerns_messages(*variable)) facts.settings.emplace_back(*variable);
  std::sort(facts.settings.begin(), facts.settings.end());
  return facts;
}

/// Whether kernel threads transport the messages, between hosts or over loopback: real-time ranks can delay
/// them on every core, for seconds.
bool kernel_carries_messages(const std::vector<LinkKind>& kinds) {
  const char* ways = std::getenv("OMPI_MCA_btl");
  const bool without_shared_memory = ways != nullptr && *ways != '^' &&
                                     std::string_view(ways).find("vader") == std::string_view::npos &&
                                     std::string_view(ways).find("sm") == std::string_view::npos;
  return without_shared_memory || std::any_of(kinds.begin(), kinds.end(),
                                              [](const LinkKind& kind) { return kind.level != Level::node; });
}

/// Quick measurement of every pair of hosts: returns one kind of link for each class of similar pairs,
/// instead of one kind for all hosts of a level.
std::vector<LinkKind> find_kinds(Coordinator& coordinator, const std::vector<RankLocation>& ranks) {
  constexpr Bytes largest_looked_at{65536};
  std::vector<LinkKind> kinds = find_link_kinds(ranks);
  std::vector<MeasuredPair> measured;
  for (const HostPair& pair : host_pairs(ranks)) {
    LinkCampaign look(coordinator, {pair.ranks[0], pair.ranks[1]},
                      {.largest = largest_looked_at, .first_rounds = 2, .most_sizes = 0, .least_visits = 0});
    look.measure(Clock::now(), Clock::time_point::max(), [] {});
    // On a busy host both visits may be disturbed: all samples count.
    measured.push_back({pair, join_points(look.observations(), Samples::all)});
  }
  for (const LinkClass& each : classify(measured)) {
    const HostPair& pair = measured[each.members.front()].pair;
    if (each.is_of_level) {
      // The level's own kind is measured between two typical hosts.
      const auto kind = std::ranges::find(kinds, each.level, &LinkKind::level);
      if (kind != kinds.end() && each.members.size() < measured.size())
        kind->ranks = {pair.ranks[0], pair.ranks[1]};
      continue;
    }
    LinkKind kind{.level = each.level, .ranks = {pair.ranks[0], pair.ranks[1]}};
    for (const std::size_t member : each.members) kind.host_pairs.push_back(measured[member].pair.ranks);
    kinds.push_back(std::move(kind));
  }
  return kinds;
}

/// Raises costs to valid ones: a line fitted to few or disturbed samples can fall below 0 near its ends,
/// which only a latency may.
LinkCosts made_sound(LinkCosts link) {
  for (Cost* cost : {&link.send_overhead, &link.receive_overhead, &link.send_gap, &link.receive_gap})
    *cost = cost->at_least_zero();
  return link;
}

/// Begin and deadline of the measurements of a link.
struct TimeForLink {
  Clock::time_point begin, until;
};

LinkCalibration calibrate_link(Coordinator& coordinator, const LinkKind& kind,
                               const CalibrationOptions& options, TimeForLink time,
                               const std::function<void(const char* activity, double share)>& report) {
  const Clock::duration planned = time.until - time.begin;
  const auto report_time = [&](const char* activity) {
    const Clock::duration passed = Clock::now() - time.begin;
    report(activity, std::min(0.9, std::chrono::duration<double>(passed) / planned));
  };

  CampaignOptions campaign_options{.largest = options.largest, .seed = options.seed};
  campaign_options.samples = kind.on_one_core ? Samples::all : Samples::quiet;
  campaign_options.looks_at_state = !kind.on_one_core;
  LinkCampaign campaign(coordinator, {kind.ranks[0], kind.ranks[1]}, campaign_options);
  std::optional<TrialCampaign> trials;
  LinkCalibration link{.kind = kind};
  const auto fit = [&] {
    link.observations = campaign.observations();
    link.fit = fit_link(link.observations, {.samples = campaign_options.samples});
    if (!trials || (!link.fit.sizes.empty() && link.fit.sizes.back() > trials->reach()))
      trials.emplace(coordinator, kind.ranks, link.fit,
                     TrialOptions{.slots = campaign_options.slots,
                                  .longest_burst = campaign_options.longest_burst,
                                  .samples = campaign_options.samples,
                                  .looks_at_state = campaign_options.looks_at_state,
                                  .seed = options.seed});
  };
  // Alternates iterations and trials, then completes nine visits to each trial, as far as there is time.
  const auto measure_and_try = [&](Clock::time_point end, const char* activity) {
    constexpr int least_visits = 9;
    const auto progress = [&] { report_time(activity); };
    do {
      campaign.measure_round(end, progress);
      trials->visit(progress);
    } while (Clock::now() < end);
    fit();
    while (trials->visits() == 0 || (trials->visits() < least_visits && Clock::now() < end + planned / 4))
      trials->visit(progress);
    link.trials = trials->judged(link.fit, link.observations.state());
  };

  // Sizes and protocols first: they determine the trials.
  campaign.measure(time.begin + planned / 2, time.begin + planned * 3 / 4, [&] { report_time("measuring"); });
  fit();
  measure_and_try(time.until, "measuring and running trials");
  // Migrated cores of a virtual machine, or memory traffic of other processes, make messages more expensive
  // for seconds. Of two different states, the quieter one counts if it occurs often enough.
  constexpr int patience = 3;
  const auto is_uncertain = [&] {
    return !link.fit.objections.empty() || !objections_of(link.trials, options.tolerance).empty();
  };
  while (is_uncertain() && Clock::now() < time.begin + patience * planned) {
    constexpr const char* activity = "measuring longer, since costs or trials are uncertain";
    // Sizes that are missing or were disturbed first.
    const Clock::time_point now = Clock::now();
    campaign.measure(now + planned / 16, now + planned / 8, [&] { report_time(activity); });
    measure_and_try(now + planned / 4, activity);
  }
  return link;
}

/// Runs on rank 0.
Calibration calibrate_all(Coordinator& coordinator, Calibration calibration,
                          const CalibrationOptions& options) {
  const std::vector<LinkKind> kinds = find_kinds(coordinator, calibration.ranks);
  const Clock::time_point start = Clock::now();
  const auto links = static_cast<int>(kinds.size());
  for (int i = 0; i < links; ++i) {
    const LinkKind& kind = kinds[static_cast<std::size_t>(i)];
    // Each link has its share of the time, plus the rest of earlier ones; at least half a share.
    const Clock::time_point begin = Clock::now();
    const auto share = options.duration / links;
    const TimeForLink time{begin, std::max(begin + share / 2, start + share * (i + 1))};
    const auto report = [&](const char* activity, double done) {
      if (options.on_progress)
        options.on_progress({fmt::format("{}: {}", name_of(kind), activity), (i + done) / links});
    };
    calibration.links.push_back(calibrate_link(coordinator, kind, options, time, report));
  }
  calibration.duration = std::chrono::duration_cast<Time>(Clock::now() - start);
  return calibration;
}

}  // namespace

bool Calibration::has_costs() const {
  return std::none_of(links.begin(), links.end(),
                      [](const LinkCalibration& link) { return link.fit.sizes.empty(); });
}

std::vector<std::string> Calibration::objections() const {
  std::vector<std::string> all;
  for (const LinkCalibration& link : links)
    for (const std::vector<std::string>& objections :
         {link.fit.objections, objections_of(link.trials, tolerance)})
      for (const std::string& objection : objections)
        all.push_back(fmt::format("{}: {}", name_of(link.kind), objection));
  return all;
}

std::array<LinkCosts, level_count> Calibration::costs(ProfileFit LinkFit::*profile) const {
  constexpr Bytes typical{65536};
  std::array<LinkCosts, level_count> costs;
  std::array<double, level_count> slowest{};
  // Lines are arbitrary beyond the measured sizes.
  slowest.fill(std::numeric_limits<double>::lowest());
  for (const LinkCalibration& link : links) {
    if (!link.kind.host_pairs.empty()) continue;
    const auto level = static_cast<std::size_t>(link.kind.level);
    const double time = lone_message_time(link.fit.predict.costs, typical);
    if (time < slowest[level]) continue;
    slowest[level] = time;
    costs[level] = (link.fit.*profile).costs;
  }
  for (LinkCosts& link : costs) link = made_sound(std::move(link));
  return costs;
}

std::vector<PairCosts> Calibration::pair_costs(ProfileFit LinkFit::*profile) const {
  std::vector<PairCosts> pairs;
  for (const LinkCalibration& link : links)
    for (const std::array<int, 2>& hosts : link.kind.host_pairs)
      std::ranges::move(
          costs_between({link.kind.level, hosts}, made_sound((link.fit.*profile).costs), platform),
          std::back_inserter(pairs));
  return pairs;
}

std::optional<Calibration> calibrate(MPI_Comm communicator, const CalibrationOptions& options) {
  const mpi::OwnCommunicator own(communicator);
  int rank = 0, size = 0;
  MPI_Comm_rank(own.get(), &rank);
  MPI_Comm_size(own.get(), &size);
  if (size < 2) throw ConfigError("a calibration needs at least two ranks");

  Calibration calibration{.date = std::chrono::system_clock::now(),
                          .ranks = find_locations(own.get(), options.bind),
                          .mpi = find_mpi_facts(),
                          .data = options.data,
                          .tolerance = options.tolerance};
  calibration.platform = platform_of(calibration.ranks);
  const Arena arena(LinkCampaign::memory({.largest = options.largest}), options.data);
  Performer performer(own.get(), plain_endpoints(own.get(), arena), false);
  // Two ranks on one core must not have real-time priority.
  const std::vector<LinkKind> kinds = find_link_kinds(calibration.ranks);
  const bool on_own_cores =
      std::none_of(kinds.begin(), kinds.end(), [](const LinkKind& kind) { return kind.on_one_core; });
  const RealTimePriority priority(options.real_time && on_own_cores && !kernel_carries_messages(kinds));
  calibration.real_time = priority.is_granted();
  if (rank != 0) {
    follow(own.get(), performer);
    return std::nullopt;
  }
  Coordinator coordinator(own.get(), performer, priority.is_granted());
  return calibrate_all(coordinator, std::move(calibration), options);
}

}  // namespace takt::logp
