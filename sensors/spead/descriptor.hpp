#pragma once
/// Item descriptors of a SPEAD stream: names, numbers, types and shapes.
///
/// A descriptor is an item of number 5 that contains a packet: its items 0x10 to 0x15 are name, description,
/// shape, format, number and numpy's header of the described item. Source: the SPEAD specification of 2012;
/// item 0x15: the manual of spead2.

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "sensors/frames/frame.hpp"
#include "sensors/spead/packet.hpp"

namespace takt::sensors {

struct SpeadDescriptor {
  std::uint32_t id = 0;
  std::string name, description;
  /// The slowest axis first; 0 for a variable size.
  std::vector<std::uint64_t> shape;
  /// Kind and bits of a number: `i` integer, `u` unsigned, `f` floating point, `c` complex. 0 if a value has
  /// several fields.
  char kind = 0;
  unsigned bits = 0;
  bool is_big_endian = true;

  /// `complex 64 bits, little-endian, [256, 2]`.
  [[nodiscard]] std::string to_string() const;
};

/// Decodes a descriptor at the beginning of these bytes; returns nothing if it is invalid or truncated.
[[nodiscard]] std::optional<SpeadDescriptor> decode_descriptor(std::span<const std::byte> bytes,
                                                               SpeadFlavour flavour);
/// Uses numpy's header if numpy supports such numbers, otherwise a format, as spead2 does.
[[nodiscard]] std::vector<std::byte> encode_descriptor(const SpeadDescriptor& descriptor,
                                                       SpeadFlavour flavour);

/// Reports whether a heap's values match the descriptor: number of bytes, kind, and byte order. Complex
/// integers are pairs.
[[nodiscard]] bool describes(const SpeadDescriptor& descriptor, ElementType element, bool is_big_endian,
                             std::size_t bytes);

/// Finds the descriptors in heaps whose packets may be interleaved. Memory is bounded: it keeps the first 64
/// KiB of the last heap with descriptors.
class SpeadDescriptorReader {
 public:
  explicit SpeadDescriptorReader(SpeadFlavour flavour) : flavour_(flavour) {}
  /// Processes a valid packet; returns the descriptors that it completes. `may_have_some`: keeps its heap
  /// even if this packet has no descriptor, since a later one may have some.
  [[nodiscard]] std::vector<SpeadDescriptor> take(std::span<const std::byte> datagram,
                                                  const SpeadPacket& packet, bool may_have_some);

 private:
  SpeadFlavour flavour_;
  std::optional<std::uint64_t> counter_;
  std::vector<std::byte> payload_;
  std::vector<bool> is_there_;
  /// Offsets of descriptors that are not complete yet.
  std::vector<std::uint64_t> begins_;
};

}  // namespace takt::sensors
