#include "pipeline/runtime/pinning.hpp"

#include <algorithm>
#include <cerrno>
#include <cmath>
#include <cstdint>
#include <cstring>

#include <fmt/format.h>
#include <sys/prctl.h>
#include <sys/resource.h>

#include "core/error.hpp"
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

cpu_set_t as_the_user_says(const Pinning& pinning, const std::vector<int>& nodes, int own_rank) {
  const auto rank = static_cast<std::size_t>(own_rank);
  const std::size_t number = pinning.processors.at(rank);
  const auto refuse = [&](const std::string& reason) {
    throw ConfigError(pinning.where,
                      fmt::format("'deployment': parameter 'pin': host '{}' {}", host_name(), reason));
  };
  for (std::size_t other = 0; other < nodes.size(); ++other)
    if (other != rank && nodes[other] == nodes[rank] && pinning.processors.at(other) == number)
      refuse(fmt::format("has ranks {} and {}, both bound to processor {}", std::min(rank, other),
                         std::max(rank, other), number));
  const cpu_set_t allowed = own_processors();
  if (number >= CPU_SETSIZE || !CPU_ISSET(number, &allowed))
    refuse(fmt::format("has no processor {} available to rank {}", number, rank));
  cpu_set_t processors;
  CPU_ZERO(&processors);
  CPU_SET(number, &processors);
  return processors;
}

}  // namespace

std::optional<cpu_set_t> processors_to_keep_to(const Pinning& pinning, const std::vector<int>& nodes,
                                               MPI_Comm communicator) {
  int rank = 0;
  MPI_Comm_rank(communicator, &rank);
  if (!pinning.processors.empty()) return as_the_user_says(pinning, nodes, rank);
  if (!pinning.is_automatic) return std::nullopt;
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
