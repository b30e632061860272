#pragma once
/// A group whose members are threads of this process: for kernels that are tried out without ranks.

#include <cstddef>
#include <functional>

#include "pipeline/group.hpp"

namespace takt::pipeline {

/// Runs `work` once for each member, each on a thread of its own, and waits for all of them. Where one
/// throws, the others are released from their exchanges, and the first member's exception is thrown.
void run_as_group(std::size_t size, const std::function<void(Group&)>& work);

}  // namespace takt::pipeline
