#pragma once
/// What the system grants a rank that must not be held up: to go before others, and never to be swapped out.

#include "pipeline/config/pipeline.hpp"

namespace takt::pipeline {

/// All memory of this process, now and later, where the deployment asks for it. Throws ConfigError at that
/// place, with the limit, where the system refuses.
void lock_memory(const Deployment& deployment);

/// The calling thread goes before ordinary ones, where the deployment asks for it; threads that it starts
/// later do not. Throws ConfigError at that place where the system refuses, or where ranks share cores
/// (`is_oversubscribed`): one that waits for another on its core would keep that from going on.
void go_first(const Deployment& deployment, bool is_oversubscribed);

}  // namespace takt::pipeline
