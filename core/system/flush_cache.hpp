#pragma once
/// Drives memory out of the caches, so that what comes next finds it as it is after other work.

#include <cstddef>
#include <span>

namespace takt {

/// Writes the lines back and drops them from the caches of all cores. Where the processor has no instruction
/// for that, reads enough other memory to push them out of this core's.
void flush_cache(std::span<const std::byte> memory);

}  // namespace takt
