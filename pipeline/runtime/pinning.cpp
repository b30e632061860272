#include "pipeline/runtime/pinning.hpp"

#include <algorithm>
#include <cerrno>
#include <cmath>
#include <cstdint>
#include <cstring>
#include <set>

#include <fmt/format.h>
#include <sys/prctl.h>
#include <sys/resource.h>

#include "core/error.hpp"
#include "core/system/allowed_processors.hpp"
#include "core/system/host_name.hpp"
#include "logp/calibration/topology.hpp"

namespace takt::pipeline {

namespace {

cpu_set_t own_processors() {
  cpu_set_t own;
  CPU_ZERO(&own);
  ::sched_getaffinity(0, sizeof(own), &own);
  return own;
}

/// Returns the processors of this rank, one for each core.
std::vector<std::size_t> as_the_user_says(const Pinning& pinning, const std::vector<int>& nodes, int own_rank,
                                          std::size_t cores) {
  const auto rank = static_cast<std::size_t>(own_rank);
  const auto refuse = [&](const std::string& reason) {
    throw ConfigError(pinning.where,
                      fmt::format("'deployment': parameter 'pin': host '{}' {}", host_name(), reason));
  };
  const cpu_set_t allowed = own_processors();
  std::vector<std::size_t> own;
  for (std::size_t core = rank * cores; core < (rank + 1) * cores; ++core) {
    const std::size_t number = own.emplace_back(pinning.processors.at(core));
    for (std::size_t i = 0; i < nodes.size() * cores; ++i)
      if (const std::size_t other = i / cores;
          other != rank && nodes[other] == nodes[rank] && pinning.processors.at(i) == number)
        refuse(fmt::format("has ranks {} and {}, both bound to processor {}", std::min(rank, other),
                           std::max(rank, other), number));
    if (number >= CPU_SETSIZE || !CPU_ISSET(number, &allowed))
      refuse(fmt::format("has no processor {} available to rank {}", number, rank));
  }
  return own;
}

/// Returns equally many neighbouring processors for each rank of a node; none if there are not enough.
std::vector<std::size_t> share_of(const std::vector<int>& nodes, int own_rank, std::size_t cores) {
  const auto rank = static_cast<std::size_t>(own_rank);
  const std::vector<std::size_t> allowed = allowed_processors();
  const auto here = [&](std::size_t ranks) {
    return static_cast<std::size_t>(
        std::count(nodes.begin(), nodes.begin() + static_cast<std::ptrdiff_t>(ranks), nodes[rank]));
  };
  if (here(nodes.size()) * cores > allowed.size()) return {};
  const auto first = allowed.begin() + static_cast<std::ptrdiff_t>(here(rank) * cores);
  return {first, first + static_cast<std::ptrdiff_t>(cores)};
}

/// Binds the workers to all processors but the first, and returns that one.
std::optional<cpu_set_t> bind_workers(const std::vector<std::size_t>& processors, RankTasks& tasks) {
  if (processors.empty()) return std::nullopt;
  tasks.bind(std::span(processors).subspan(1));
  cpu_set_t first;
  CPU_ZERO(&first);
  CPU_SET(processors.front(), &first);
  return first;
}

}  // namespace

std::optional<cpu_set_t> processors_to_keep_to(const Pinning& pinning, const RankPlaces& places,
                                               const std::vector<int>& nodes, RankTasks& tasks,
                                               MPI_Comm communicator) {
  int rank = 0;
  MPI_Comm_rank(communicator, &rank);
  if (places.bind()) {
    const std::vector<std::size_t>& own = places.processors.at(static_cast<std::size_t>(rank));
    if (own.empty()) return std::nullopt;
    cpu_set_t set;
    CPU_ZERO(&set);
    for (const std::size_t processor : own) CPU_SET(processor, &set);
    return set;
  }
  if (!pinning.processors.empty())
    return bind_workers(as_the_user_says(pinning, nodes, rank, tasks.cores()), tasks);
  if (!pinning.is_automatic) return std::nullopt;
  if (tasks.cores() > 1) return bind_workers(share_of(nodes, rank, tasks.cores()), tasks);
  const cpu_set_t before = own_processors();
  // Binds each rank of a computer to a core of its own if there are enough cores.
  const std::vector<logp::RankLocation> locations = logp::find_locations(communicator, true);
  const cpu_set_t own = own_processors();
  keep_to(before);
  const auto here = std::ranges::count(locations, locations[static_cast<std::size_t>(rank)].computer,
                                       &logp::RankLocation::computer);
  if (static_cast<std::uint64_t>(here) > locations[static_cast<std::size_t>(rank)].cores) return std::nullopt;
  return own;
}

std::optional<std::size_t> memory_node_of(const std::optional<cpu_set_t>& processors,
                                          const std::vector<logp::HostProcessor>& host) {
  std::set<std::size_t> all, own;
  for (const logp::HostProcessor& each : host) {
    all.insert(each.numa);
    if (processors && CPU_ISSET(each.number, &*processors)) own.insert(each.numa);
  }
  if (all.size() < 2 || own.size() != 1) return std::nullopt;
  return *own.begin();
}

int niceness_of_share(double share) {
  constexpr double step = 1.25, least = 19;
  return static_cast<int>(std::clamp(std::round(-std::log(share) / std::log(step)), 0.0, least));
}

void be_nice(int niceness) {
  // In Linux, the nice value is per thread.
  if (::getpriority(PRIO_PROCESS, 0) >= niceness) return;
  if (::setpriority(PRIO_PROCESS, 0, niceness) != 0)
    throw WorkError(fmt::format("cannot set a rank's priority: {}", std::strerror(errno)));
}

void keep_off(std::size_t processor) {
  const cpu_set_t own = own_processors();
  cpu_set_t others = own;
  CPU_CLR(processor, &others);
  if (CPU_COUNT(&others) == 0) return;
  keep_to(others);
  keep_to(own);
}

void be_punctual() {
  ::prctl(PR_SET_TIMERSLACK, 1, 0, 0, 0);
}

void keep_to(const cpu_set_t& processors) {
  if (::sched_setaffinity(0, sizeof(processors), &processors) != 0)
    throw WorkError(fmt::format("cannot bind a rank to its processor: {}", std::strerror(errno)));
}

}  // namespace takt::pipeline
