#pragma once
/// The processors that this process may use: fewer than the computer has inside a batch system's job, a
/// container or taskset.

#include <cstddef>
#include <vector>

namespace takt {

/// Numbers of those that the calling thread may run on, ascending; {0} where the system does not say.
[[nodiscard]] std::vector<std::size_t> allowed_processors();

}  // namespace takt
