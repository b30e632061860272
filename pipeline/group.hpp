#pragma once
/// Groups of ranks that work on one frame together, as a data-parallel kernel sees them.

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

/// What member `member` has of an axis that is divided among so many: i n / p to (i + 1) n / p, rounded down.
/// Where p does not divide n, some blocks are one index longer than others.
[[nodiscard]] constexpr Block block_of(std::size_t size, std::size_t members, std::size_t member) {
  return {size * member / members, size * (member + 1) / members};
}

/// How frames are divided among a group: of each input, and of the output, one axis (its index among the
/// frame's axes), of which member i has block i (block_of) and all of the other axes.
struct BlockDistribution {
  std::vector<std::size_t> inputs;
  std::size_t output = 0;
  /// The most members that the kernel can work with; the axes' sizes limit it, too.
  std::size_t most_members = std::numeric_limits<std::size_t>::max();
};

/// The members of a group are numbered from 0. All of them call the same functions in the same order.
class Group {
 public:
  virtual ~Group() = default;

  [[nodiscard]] virtual std::size_t size() const = 0;
  /// Number of this member.
  [[nodiscard]] virtual std::size_t rank() const = 0;

  /// Gives member i `outgoing[i]` and takes `incoming[i]` from it, for each member, this one among them; both
  /// know how long that is. Returns when all have come and `outgoing` may be written again.
  virtual void exchange(std::span<const std::span<const std::byte>> outgoing,
                        std::span<const std::span<std::byte>> incoming) = 0;
};

/// Gives every member what each of them has made: `whole` is an axis of `size` indices, equally many bytes
/// each, of which this member fills its own block (block_of) before each call of `run`, after which all are
/// there.
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
