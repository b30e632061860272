#pragma once
/// The processors available to this process: fewer than the computer has inside a batch system's job, a
/// container or taskset.

#include <cstddef>
#include <vector>

namespace takt {

/// Returns the processors of the calling thread's affinity mask, ascending; {0} if unknown.
[[nodiscard]] std::vector<std::size_t> allowed_processors();

}  // namespace takt
