#pragma once
/// Eviction of memory from the caches before a measurement.

#include <cstddef>
#include <span>

namespace takt {

/// Writes the lines back and evicts them from the caches of all cores. Without such an instruction, reads
/// enough other memory to evict them from this core's caches.
void flush_cache(std::span<const std::byte> memory);

}  // namespace takt
