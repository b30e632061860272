#pragma once
/// The samples of heaps that are laid out otherwise than the rest of their stream.

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <utility>
#include <vector>

#include "sensors/spead/format.hpp"
#include "sensors/spead/packet.hpp"

namespace takt::sensors {

/// Stretches of bytes that are there. Merges what meets.
class ByteRanges {
 public:
  /// O(ranges). False where there would be more ranges than are kept.
  bool add(std::uint64_t begin, std::uint64_t end);
  /// Whether all of it is there. O(log ranges).
  [[nodiscard]] bool covers(std::uint64_t begin, std::uint64_t end) const;
  void clear() { ranges_.clear(); }

 private:
  static constexpr std::size_t most_ranges = 1024;
  /// Disjoint, with gaps between them, the first one first.
  std::vector<std::pair<std::uint64_t, std::uint64_t>> ranges_;
};

/// Where the samples' item begins in a heap of this length, by the pointers of one packet: the item of this
/// number, or without one the only item as long as the samples; 0xFFFF... where they tell that it has another
/// length or that there are several. Nothing where the packet does not say. O(items log items).
[[nodiscard]] std::optional<std::uint64_t> find_samples(std::span<const std::byte> datagram,
                                                        const SpeadFormat& format, std::uint32_t item,
                                                        std::uint64_t heap_length);
inline constexpr std::uint64_t no_samples = ~std::uint64_t{0};

/// A heap with descriptors beside its samples, as senders begin their streams with, is longer than the others
/// and cut into other packets. Its samples are gathered here, whatever the order of its packets, and given as
/// the pieces that packets of the stream's layout would have brought, each one as soon as it is whole. One
/// heap at a time, in memory for one heap and 64 KiB.
class SpeadRegrouper {
 public:
  explicit SpeadRegrouper(const SpeadFormat& format) : format_(format) {}

  /// A good packet of a heap of another length; whether it may have samples that are looked for. `item` is
  /// their item's number, 0 where that is not known.
  [[nodiscard]] bool take(std::span<const std::byte> datagram, const SpeadPacket& packet, std::uint32_t item);

  /// The value of an item that lies in a pointer, of the heap whose packet was taken last, as far as it has
  /// come.
  [[nodiscard]] std::optional<std::uint64_t> value_of(std::uint32_t item) const;
  /// That heap's number, once somebody has said it.
  [[nodiscard]] std::optional<std::uint64_t> heap() const { return heap_; }
  void set_heap(std::uint64_t heap);

  /// Of that heap, the pieces that are whole and were not given: the numbers that their packets have in heaps
  /// of the stream's layout. Once its number and the samples' place are known.
  [[nodiscard]] std::span<const std::size_t> give();
  /// Of a piece that was given last: as long as a payload of the layout; what is not samples is left as it
  /// is.
  void copy_piece(std::size_t place, std::span<std::byte> payload) const;

 private:
  struct Bytes {
    std::uint64_t begin, end;
  };
  void begin_heap(const SpeadPacket& packet, std::uint64_t length);
  void note_values(std::span<const std::byte> datagram);
  /// Samples of a place, in a heap's payload of the stream's layout.
  [[nodiscard]] Bytes samples_of(std::size_t place) const;
  [[nodiscard]] std::size_t piece_at(std::uint64_t byte) const;

  const SpeadFormat format_;
  std::optional<std::uint64_t> counter_, heap_;
  std::uint64_t length_ = 0;
  /// Where the samples begin.
  std::optional<std::uint64_t> begin_;
  std::vector<SpeadPointer> values_;
  std::vector<std::byte> payload_;
  ByteRanges there_;
  /// Of the packet that was taken last.
  Bytes latest_{};
  /// All pieces must be looked at, not only those of the latest packet.
  bool is_news_ = false;
  std::vector<bool> is_given_;
  std::size_t given_ = 0;
  std::vector<std::size_t> places_;
};

}  // namespace takt::sensors
