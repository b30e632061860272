#pragma once
/// Groups of ranks that process one frame together, as seen by a data-parallel kernel.

#include <cstddef>
#include <cstdint>
#include <limits>
#include <span>
#include <vector>

namespace takt::pipeline {

/// Indices begin .. end - 1 of an axis.
struct Block {
  std::size_t begin = 0;
  std::size_t end = 0;
  [[nodiscard]] constexpr std::size_t size() const { return end - begin; }
  friend bool operator==(const Block&, const Block&) = default;
};

/// Returns the block of member `member` of an axis of `size` indices: i n / p to (i + 1) n / p, rounded down.
/// If p does not divide n, some blocks are one index longer than the rest.
[[nodiscard]] constexpr Block block_of(std::size_t size, std::size_t members, std::size_t member) {
  return {size * member / members, size * (member + 1) / members};
}

/// Distribution of frames over a group. For each input and for the output it names one axis (an index among
/// the frame's axes): member i holds block i of it (block_of) and all of the other axes.
struct BlockDistribution {
  std::vector<std::size_t> inputs;
  std::size_t output = 0;
  /// Largest number of members that the kernel supports; the sizes of the axes limit it, too.
  std::size_t most_members = std::numeric_limits<std::size_t>::max();
};

/// A group of ranks, numbered from 0. All members call the same functions in the same order.
class Group {
 public:
  virtual ~Group() = default;

  [[nodiscard]] virtual std::size_t size() const = 0;
  /// Number of this member.
  [[nodiscard]] virtual std::size_t rank() const = 0;

  /// Sends `outgoing[i]` to member i and receives `incoming[i]` from it, for each member including this one;
  /// both sides know the sizes. Returns when all data has arrived and `outgoing` may be overwritten.
  virtual void exchange(std::span<const std::span<const std::byte>> outgoing,
                        std::span<const std::span<std::byte>> incoming) = 0;
};

/// All-gather of one array: `whole` is an axis of `size` indices of equally many bytes each. Each
/// member fills its own block (block_of) before it calls `run`, which returns when all blocks are
/// complete.
class BlockSharing {
 public:
  /// Group and memory must outlive it.
  BlockSharing(Group& group, std::span<std::byte> whole, std::size_t size);
  void run() { group_.exchange(outgoing_, incoming_); }

 private:
  Group& group_;
  std::vector<std::span<const std::byte>> outgoing_;
  std::vector<std::span<std::byte>> incoming_;
};

}  // namespace takt::pipeline
