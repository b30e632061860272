#pragma once
/// Output placements: the ways in which a kernel's output is written to a message in shared memory.

#include <cstddef>
#include <cstdint>
#include <span>

namespace takt::pipeline {

enum class PlacementKind : std::uint8_t {
  /// The kernel writes directly to the message; or tiles stay close to its core and are written with
  /// plain stores. A store to a cache line that the reader's core still holds waits for the line: 7
  /// to 25 ns per line between cores with separate caches, hardly anything between threads of one
  /// core.
  in_place,
  /// The kernel writes to memory that stays in this core's cache, and a copy overwrites whole lines without
  /// reading them (copy_out in core/copy_out.hpp): 2 ns per line on some processors.
  copied,
  /// The same with non-temporal stores for the copy, or that of a tile (copy_past_caches): 2.5 ns per line
  /// for any pair of cores, but the reader loads it from memory.
  past_caches,
};

/// Copies an output that was not made in place; afterwards it may be published to other cores.
void copy_by(PlacementKind way, std::span<std::byte> message, const std::byte* made);

/// Returns the reader's additional time in ns for a message of this size, compared with one made in place, on
/// a quiet host: 1 to 4 ns for each line from memory, depending on the access pattern.
[[nodiscard]] std::int64_t lost_by_reader_ns(PlacementKind way, std::size_t bytes);

}  // namespace takt::pipeline
