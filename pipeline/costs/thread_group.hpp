#pragma once
/// A group whose members are threads of this process, for measurements of kernels without ranks.

#include <cstddef>
#include <functional>

#include "pipeline/group.hpp"

namespace takt::pipeline {

/// Runs `work` once for each member, each on its own thread, and waits for all of them. If one throws, the
/// other members are released from their exchanges, and the first member's exception is rethrown.
void run_as_group(std::size_t size, const std::function<void(Group&)>& work);

}  // namespace takt::pipeline
