#pragma once
/// Regrouping of heaps whose layout differs from the rest of their stream.

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <utility>
#include <vector>

#include "sensors/spead/format.hpp"
#include "sensors/spead/packet.hpp"

namespace takt::sensors {

/// The available ranges of bytes. Merges adjacent ones.
class ByteRanges {
 public:
  /// Adds a range in O(ranges). Returns false if there would be too many ranges.
  bool add(std::uint64_t begin, std::uint64_t end);
  /// Reports whether the whole range is available. O(log ranges).
  [[nodiscard]] bool covers(std::uint64_t begin, std::uint64_t end) const;
  void clear() { ranges_.clear(); }

 private:
  static constexpr std::size_t most_ranges = 1024;
  /// Disjoint, with gaps between them, in ascending order.
  std::vector<std::pair<std::uint64_t, std::uint64_t>> ranges_;
};

/// Returns the offset of the samples' item in a heap of this length, from the pointers of one packet: the
/// item of this number, or without one the only item of the samples' length. 0xFFFF... if the pointers show
/// another length or several such items; nothing if the packet does not determine it. O(items log items).
[[nodiscard]] std::optional<std::uint64_t> find_samples(std::span<const std::byte> datagram,
                                                        const SpeadFormat& format, std::uint32_t item,
                                                        std::uint64_t heap_length);
inline constexpr std::uint64_t no_samples = ~std::uint64_t{0};

/// A heap with descriptors in addition to its samples, as at the start of many streams, is longer than the
/// others and divided into other packets. This class gathers its samples in any packet order, and returns
/// them as the pieces of packets in the stream's layout, each as soon as it is complete. One heap at a time,
/// in memory for one heap and 64 KiB.
class SpeadRegrouper {
 public:
  explicit SpeadRegrouper(const SpeadFormat& format) : format_(format) {}

  /// Processes a valid packet of a heap of another length. `item` is the number of the item with the samples,
  /// 0 if unknown. Returns whether the heap may contain this item.
  [[nodiscard]] bool take(std::span<const std::byte> datagram, const SpeadPacket& packet, std::uint32_t item);

  /// Returns the immediate value of an item in the last packet's heap, if it has
  /// arrived.
  [[nodiscard]] std::optional<std::uint64_t> value_of(std::uint32_t item) const;
  /// Returns that heap's number, once it is set.
  [[nodiscard]] std::optional<std::uint64_t> heap() const { return heap_; }
  void set_heap(std::uint64_t heap);

  /// Returns that heap's new complete pieces: the numbers of their packets in heaps of the stream's layout.
  /// Requires its number and the samples' offset.
  [[nodiscard]] std::span<const std::size_t> give();
  /// Copies a piece that was returned last to a payload of the layout; bytes outside the samples are
  /// unchanged.
  void copy_piece(std::size_t place, std::span<std::byte> payload) const;

 private:
  struct Bytes {
    std::uint64_t begin, end;
  };
  void begin_heap(const SpeadPacket& packet, std::uint64_t length);
  void note_values(std::span<const std::byte> datagram);
  /// Returns the samples of a packet, in a heap's payload of the stream's layout.
  [[nodiscard]] Bytes samples_of(std::size_t place) const;
  [[nodiscard]] std::size_t piece_at(std::uint64_t byte) const;

  const SpeadFormat format_;
  std::optional<std::uint64_t> counter_, heap_;
  std::uint64_t length_ = 0;
  /// Offset of the samples.
  std::optional<std::uint64_t> begin_;
  std::vector<SpeadPointer> values_;
  std::vector<std::byte> payload_;
  ByteRanges there_;
  /// Bytes of the last packet.
  Bytes latest_{};
  /// All pieces must be checked, not only those of the latest packet.
  bool is_new_heap_ = false;
  std::vector<bool> is_given_;
  std::size_t given_ = 0;
  std::vector<std::size_t> places_;
};

}  // namespace takt::sensors
