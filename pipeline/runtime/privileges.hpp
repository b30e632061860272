#pragma once
/// Locked memory and real-time priority for a rank that must not be delayed, and what a rank asked for and
/// did not get.

#include <string>
#include <vector>

#include "pipeline/config/pipeline.hpp"

namespace takt::pipeline {

/// Locks all memory of this process, now and later, if the deployment requests it. Throws ConfigError at that
/// place, with the limit, if the system refuses.
void lock_memory(const Deployment& deployment);

/// Gives the calling thread real-time priority (SCHED_FIFO) if the deployment requests it, but not the
/// threads that it starts later. Throws ConfigError at that place if the system refuses, or if ranks share
/// cores (`is_oversubscribed`): a rank that waits for another one on its core would block that one.
void go_first(const Deployment& deployment, bool is_oversubscribed);

/// Privileges that a rank obtained, as far as the pipeline or its frames request them.
struct Given {
  /// Whether the rank has a core of its own.
  bool is_bound = false;
  /// When the kernel provides huge pages: `always`, `madvise` or `never`; empty: unknown.
  std::string huge_pages = {};
};

/// Returns what the system provides on this host. `is_bound` is the rank's.
[[nodiscard]] Given given_on_this_host(bool is_bound);

/// Returns what a rank asked for and did not get, with what to do, a sentence each: a core of its own (`pin:
/// auto`), and huge pages for frames of 2 MiB and more. What a run cannot do without is refused instead:
/// lock_memory, go_first, named processors.
[[nodiscard]] std::vector<std::string> unmet_requests(const Pipeline& pipeline, const Given& given,
                                                      const std::string& host);

}  // namespace takt::pipeline
