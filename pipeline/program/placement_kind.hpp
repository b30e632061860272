#pragma once
/// The ways in which a kernel's output may come into a message that lies in shared memory.

#include <cstddef>
#include <cstdint>
#include <span>

namespace takt::pipeline {

enum class PlacementKind : std::uint8_t {
  /// The kernel writes into the message; or, tile by tile, close to its core and from there with plain stores
  /// into the message. Each store into a cache line that the reader's core still holds waits until the line
  /// is back: 7 to 25 ns a line between cores with caches of their own, next to nothing between threads of
  /// one core.
  in_place,
  /// The kernel writes into memory that stays in this core's cache, and a copy takes whole lines over unread
  /// (copy_out in core/copy_out.hpp): 2 ns a line on some processors.
  copied,
  /// Likewise, but the copy, or that of a tile, goes past the caches (copy_past_caches): 2.5 ns a line
  /// wherever the cores are, and the reader has it from memory.
  past_caches,
};

/// Copies an output that was not made in place; then other cores may be told of it.
void copy_by(PlacementKind way, std::span<std::byte> message, const std::byte* made);

/// What the reader of a message of so many bytes takes longer, in ns, than for one that was made in place, in
/// a calm moment: 1 to 4 for a line that it has from memory, by the order in which it reads.
[[nodiscard]] std::int64_t lost_by_reader_ns(PlacementKind way, std::size_t bytes);

}  // namespace takt::pipeline
