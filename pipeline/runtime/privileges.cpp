#include "pipeline/runtime/privileges.hpp"

#include <algorithm>
#include <cerrno>
#include <cstdint>
#include <cstring>
#include <fstream>

#include <fmt/format.h>
#include <sched.h>
#include <sys/mman.h>
#include <sys/resource.h>

#include "core/error.hpp"
#include "core/system/host_name.hpp"

namespace takt::pipeline {

namespace {

/// Returns the soft limit of a resource as text for messages.
std::string soft_limit(int resource) {
  rlimit limit{};
  if (::getrlimit(static_cast<__rlimit_resource>(resource), &limit) != 0) return "unknown";
  return limit.rlim_cur == RLIM_INFINITY ? "unlimited" : fmt::format("{}", limit.rlim_cur);
}

}  // namespace

void lock_memory(const Deployment& deployment) {
  if (!deployment.locks_memory || ::mlockall(MCL_CURRENT | MCL_FUTURE) == 0) return;
  throw ConfigError(
      deployment.lock_memory_where,
      fmt::format("'deployment': parameter 'lock_memory': host '{}' refuses: {}; the limit is {} bytes: "
                  "expected more (ulimit -l, or LimitMEMLOCK= of the service)",
                  host_name(), std::strerror(errno), soft_limit(RLIMIT_MEMLOCK)));
}

void go_first(const Deployment& deployment, bool is_oversubscribed) {
  if (deployment.realtime == 0) return;
  if (is_oversubscribed)
    throw ConfigError(deployment.realtime_where,
                      fmt::format("'deployment': parameter 'realtime': host '{}' has fewer cores than ranks, "
                                  "and real-time ranks would block each other: expected a core per rank",
                                  host_name()));
  const sched_param parameters{.sched_priority = deployment.realtime};
  if (::sched_setscheduler(0, SCHED_FIFO | SCHED_RESET_ON_FORK, &parameters) == 0) return;
  throw ConfigError(
      deployment.realtime_where,
      fmt::format("'deployment': parameter 'realtime': host '{}' refuses: {}; the highest priority is {}: "
                  "expected {} (ulimit -r, or LimitRTPRIO= of the service)",
                  host_name(), std::strerror(errno), soft_limit(RLIMIT_RTPRIO), deployment.realtime));
}

Given given_on_this_host(bool is_bound) {
  Given given{.is_bound = is_bound};
  std::ifstream file("/sys/kernel/mm/transparent_hugepage/enabled");
  // The chosen one of `always [madvise] never` is in brackets.
  for (std::string word; file >> word;)
    if (word.starts_with('[') && word.ends_with(']')) given.huge_pages = word.substr(1, word.size() - 2);
  return given;
}

std::vector<std::string> unmet_requests(const Pipeline& pipeline, const Given& given,
                                        const std::string& host) {
  constexpr std::uint64_t huge_page = std::uint64_t{2} << 20;
  std::vector<std::string> unmet;
  if (pipeline.deployment.pinning.is_automatic && !given.is_bound)
    unmet.push_back(
        fmt::format("'pin: auto': host '{}' has fewer cores than ranks, so that no rank is bound: use fewer "
                    "'ranks', or name "
                    "processors ('pin: [0, 1]')",
                    host));
  const bool has_large_frames = std::ranges::any_of(
      pipeline.stages, [](const Stage& stage) { return stage.output.size().count >= huge_page; });
  if (has_large_frames && given.huge_pages == "never")
    unmet.push_back(
        fmt::format("host '{}' provides no huge pages for frames of 2 MiB and more: echo madvise > "
                    "/sys/kernel/mm/transparent_hugepage/enabled",
                    host));
  return unmet;
}

}  // namespace takt::pipeline
