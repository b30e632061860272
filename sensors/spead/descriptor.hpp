#pragma once
/// What a SPEAD stream says about its items: their names, numbers, types and shapes.
///
/// A descriptor is an item of number 5, which is a packet of its own: its items 0x10 to 0x15 are name,
/// description, shape, format, number and numpy's header of what it describes. Source: the SPEAD
/// specification of 2012; item 0x15: the manual of spead2.

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
  /// The slowest axis first; 0 where it may be any.
  std::vector<std::uint64_t> shape;
  /// Of a number: `i` integer, `u` without sign, `f` floating point, `c` complex; and its bits. No kind where
  /// a value has several fields.
  char kind = 0;
  unsigned bits = 0;
  bool is_big_endian = true;

  /// `complex 64 bits, little-endian, [256, 2]`.
  [[nodiscard]] std::string to_string() const;
};

/// Of these bytes, or their beginning: nothing where they are no descriptor, or one that is cut off.
[[nodiscard]] std::optional<SpeadDescriptor> decode_descriptor(std::span<const std::byte> bytes,
                                                               SpeadFlavour flavour);
/// With numpy's header where numpy has such numbers, otherwise with a format, as spead2 sends it.
[[nodiscard]] std::vector<std::byte> encode_descriptor(const SpeadDescriptor& descriptor,
                                                       SpeadFlavour flavour);

/// Whether values of a heap are what the descriptor tells: as many bytes of numbers of this kind, in this
/// order. Complex integers are pairs.
[[nodiscard]] bool describes(const SpeadDescriptor& descriptor, ElementType element, bool is_big_endian,
                             std::size_t bytes);

/// Finds the descriptors in heaps, whose packets may come mixed with those of others. Memory is bounded: it
/// keeps the first 64 KiB of the last heap that has some.
class SpeadDescriptorReader {
 public:
  explicit SpeadDescriptorReader(SpeadFlavour flavour) : flavour_(flavour) {}
  /// A good packet. The descriptors that are whole with it. `may_have_some`: its heap is remembered even
  /// where this packet does not say that it has descriptors, since one that comes later may.
  [[nodiscard]] std::vector<SpeadDescriptor> take(std::span<const std::byte> datagram,
                                                  const SpeadPacket& packet, bool may_have_some);

 private:
  SpeadFlavour flavour_;
  std::optional<std::uint64_t> counter_;
  std::vector<std::byte> payload_;
  std::vector<bool> is_there_;
  /// Where descriptors begin that were not whole yet.
  std::vector<std::uint64_t> begins_;
};

}  // namespace takt::sensors
