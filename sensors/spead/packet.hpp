#pragma once
/// SPEAD packets ("Streaming Protocol for Exchanging Astronomical Data"): items, heap, payload.
///
/// Big-endian 64-bit words. The header is 0x53 (magic), 4 (version), bytes of an item's number (with its
/// mode bit) and of its address, two zeros, the number of items. Then the items: the top bit marks an
/// immediate value, the next bits are the number, the rest the value or its offset in the heap's payload.
/// Then the packet's part of that payload. Source: the SPEAD specification of 2012; layout:
/// docs/reference/spead.md.

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string_view>
#include <vector>

namespace takt::sensors {

/// Bits of an item's value or address.
enum class SpeadFlavour : std::uint8_t { spead_64_40 = 40, spead_64_48 = 48 };

/// Numbers of the items that every stream has.
enum class SpeadItem : std::uint32_t {
  heap_counter = 1,
  heap_length = 2,
  payload_offset = 3,
  payload_length = 4,
  descriptor = 5,
  stream_control = 6,
};
/// Value of stream_control at the end of a stream.
inline constexpr std::uint64_t spead_stop = 2;
inline constexpr std::size_t spead_word = 8;

/// Why a datagram is no packet of the stream, in the order of the checks.
enum class SpeadVerdict : std::uint8_t {
  good,
  /// Too short, another protocol or version, or another flavour.
  header,
  /// More items than fit the datagram, or a payload length that differs from its item.
  size,
  /// Without heap counter, payload offset or payload length.
  items,
  /// Pieces of a heap, or the offset of its samples, differ from the format.
  layout,
  /// A time that is not one of the heaps' times; or no time is known for this heap or any before.
  timestamp,
};
inline constexpr std::size_t spead_verdict_count = 6;
[[nodiscard]] std::string_view name_of(SpeadVerdict verdict);

/// An item as it lies in a packet.
struct SpeadPointer {
  bool is_immediate = false;
  std::uint32_t id = 0;
  std::uint64_t value = 0;
  friend bool operator==(const SpeadPointer&, const SpeadPointer&) = default;
};

[[nodiscard]] SpeadPointer decode_pointer(std::uint64_t word, SpeadFlavour flavour);
/// Encodes an item; excess bits are truncated.
[[nodiscard]] std::uint64_t encode_pointer(const SpeadPointer& pointer, SpeadFlavour flavour);

[[nodiscard]] std::uint64_t read_spead_word(std::span<const std::byte> from);
void write_spead_word(std::span<std::byte> to, std::uint64_t value);

/// A packet's description of its heap, and of two items that the receiver searches.
struct SpeadPacket {
  std::uint64_t heap_counter = 0;
  std::optional<std::uint64_t> heap_length;
  std::uint64_t payload_offset = 0;
  std::span<const std::byte> payload;
  bool is_stop = false;
  /// A stream control other than the stop: a start, or a request to repeat the descriptors.
  bool is_other_control = false;
  /// The samples are immediate, or the time is not: neither is supported.
  bool has_immediate_samples = false, has_addressed_time = false;
  /// Items that are neither the protocol's nor searched, and the first one's number.
  std::size_t others = 0;
  std::uint32_t other = 0;
  /// Offset of the samples in the heap's payload.
  std::optional<std::uint64_t> item_offset;
  std::optional<std::uint64_t> timestamp;
};

/// Returns the address bits in the first word of a datagram, whether or not such a flavour exists. Empty if
/// it is not SPEAD version 4.
[[nodiscard]] std::optional<unsigned> spead_address_bits(std::span<const std::byte> datagram);

/// Decodes a datagram of arbitrary bytes: good, header, size or items. O(items). `item` is the number of the
/// samples' item, `timestamp` that of the time; 0: not searched.
[[nodiscard]] SpeadVerdict decode_spead(std::span<const std::byte> datagram, SpeadFlavour flavour,
                                        std::uint32_t item, std::uint32_t timestamp, SpeadPacket& packet);

/// Returns the length of the packet that begins here, from its number of items and its payload length; 0 if
/// none begins. O(items).
[[nodiscard]] std::size_t spead_packet_bytes(std::span<const std::byte> begin, SpeadFlavour flavour);

/// Encodes a packet with these items, in this order, and payload.
void encode_spead(SpeadFlavour flavour, std::span<const SpeadPointer> items,
                  std::span<const std::byte> payload, std::vector<std::byte>& packet);

}  // namespace takt::sensors
