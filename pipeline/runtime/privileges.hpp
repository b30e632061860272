#pragma once
/// Locked memory and real-time priority for a rank that must not be delayed.

#include "pipeline/config/pipeline.hpp"

namespace takt::pipeline {

/// Locks all memory of this process, now and later, if the deployment requests it. Throws ConfigError at that
/// place, with the limit, if the system refuses.
void lock_memory(const Deployment& deployment);

/// Gives the calling thread real-time priority (SCHED_FIFO) if the deployment requests it, but not the
/// threads that it starts later. Throws ConfigError at that place if the system refuses, or if ranks share
/// cores (`is_oversubscribed`): a rank that waits for another one on its core would block that one.
void go_first(const Deployment& deployment, bool is_oversubscribed);

}  // namespace takt::pipeline
