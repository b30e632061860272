#include "sensors/spead/packet.hpp"

#include <array>

namespace takt::sensors {

namespace {

constexpr std::uint64_t spead_magic = 0x53, spead_version = 4;

/// All but the number of items, which are the last two bytes.
std::uint64_t spead_header_word(SpeadFlavour flavour) {
  const auto address_bytes = static_cast<std::uint64_t>(flavour) / 8;
  return spead_magic << 56 | spead_version << 48 | (spead_word - address_bytes) << 40 | address_bytes << 32;
}

/// Smaller numbers are the items of the protocol (SpeadItem).
constexpr std::uint32_t first_item_of_streams = 7;

}  // namespace

std::optional<unsigned> spead_address_bits(std::span<const std::byte> datagram) {
  if (datagram.size() < spead_word) return {};
  const std::uint64_t head = read_spead_word(datagram);
  if (head >> 48 != (spead_magic << 8 | spead_version)) return {};
  return static_cast<unsigned>(head >> 32 & 0xFF) * 8;
}

std::string_view name_of(SpeadVerdict verdict) {
  constexpr std::array<std::string_view, spead_verdict_count> names{"good",  "header", "size",
                                                                    "items", "layout", "timestamp"};
  return names[static_cast<std::size_t>(verdict)];
}

std::uint64_t read_spead_word(std::span<const std::byte> from) {
  std::uint64_t value = 0;
  for (std::size_t i = 0; i < spead_word; ++i) value = value << 8 | std::to_integer<std::uint64_t>(from[i]);
  return value;
}

void write_spead_word(std::span<std::byte> to, std::uint64_t value) {
  for (std::size_t i = spead_word; i-- > 0; value >>= 8) to[i] = static_cast<std::byte>(value & 0xFF);
}

SpeadPointer decode_pointer(std::uint64_t word, SpeadFlavour flavour) {
  const auto bits = static_cast<int>(flavour);
  return {.is_immediate = word >> 63 != 0,
          .id = static_cast<std::uint32_t>((word & ~(std::uint64_t{1} << 63)) >> bits),
          .value = word & ((std::uint64_t{1} << bits) - 1)};
}

std::uint64_t encode_pointer(const SpeadPointer& pointer, SpeadFlavour flavour) {
  const auto bits = static_cast<int>(flavour);
  const std::uint64_t id = pointer.id & ((std::uint64_t{1} << (63 - bits)) - 1);
  return (pointer.is_immediate ? std::uint64_t{1} << 63 : 0) | id << bits |
         (pointer.value & ((std::uint64_t{1} << bits) - 1));
}

SpeadVerdict decode_spead(std::span<const std::byte> datagram, SpeadFlavour flavour, std::uint32_t item,
                          std::uint32_t timestamp, SpeadPacket& packet) {
  packet = {};
  if (datagram.size() < spead_word) return SpeadVerdict::header;
  const std::uint64_t head = read_spead_word(datagram);
  if (head >> 16 != spead_header_word(flavour) >> 16) return SpeadVerdict::header;
  const std::size_t count = head & 0xFFFF;
  if (datagram.size() / spead_word < 1 + count) return SpeadVerdict::size;
  std::optional<std::uint64_t> counter, offset, length;
  for (std::size_t i = 1; i <= count; ++i) {
    const SpeadPointer pointer = decode_pointer(read_spead_word(datagram.subspan(i * spead_word)), flavour);
    if (timestamp != 0 && pointer.id == timestamp) {
      packet.has_addressed_time |= !pointer.is_immediate;
      if (pointer.is_immediate) packet.timestamp = pointer.value;
    } else if (item != 0 && pointer.id == item) {
      packet.has_immediate_samples |= pointer.is_immediate;
      if (!pointer.is_immediate) packet.item_offset = pointer.value;
    } else if (pointer.id >= first_item_of_streams && (pointer.is_immediate || item != 0)) {
      // Without a number the addressed item counts as the samples.
      if (packet.others++ == 0) packet.other = pointer.id;
    }
    if (!pointer.is_immediate) continue;
    switch (static_cast<SpeadItem>(pointer.id)) {
      case SpeadItem::heap_counter:
        counter = pointer.value;
        break;
      case SpeadItem::heap_length:
        packet.heap_length = pointer.value;
        break;
      case SpeadItem::payload_offset:
        offset = pointer.value;
        break;
      case SpeadItem::payload_length:
        length = pointer.value;
        break;
      case SpeadItem::stream_control:
        packet.is_stop = pointer.value == spead_stop;
        packet.is_other_control = !packet.is_stop;
        break;
      default:
        break;
    }
  }
  if (!counter || !offset || !length) return SpeadVerdict::items;
  packet.payload = datagram.subspan((1 + count) * spead_word);
  if (packet.payload.size() != *length) return SpeadVerdict::size;
  packet.heap_counter = *counter;
  packet.payload_offset = *offset;
  return SpeadVerdict::good;
}

std::size_t spead_packet_bytes(std::span<const std::byte> begin, SpeadFlavour flavour) {
  if (begin.size() < spead_word) return 0;
  const std::uint64_t head = read_spead_word(begin);
  const std::size_t count = head & 0xFFFF;
  if (head >> 16 != spead_header_word(flavour) >> 16 || begin.size() / spead_word < 1 + count) return 0;
  for (std::size_t i = 1; i <= count; ++i) {
    const SpeadPointer pointer = decode_pointer(read_spead_word(begin.subspan(i * spead_word)), flavour);
    if (pointer.is_immediate && pointer.id == static_cast<std::uint32_t>(SpeadItem::payload_length))
      return (1 + count) * spead_word + static_cast<std::size_t>(pointer.value);
  }
  return 0;
}

void encode_spead(SpeadFlavour flavour, std::span<const SpeadPointer> items,
                  std::span<const std::byte> payload, std::vector<std::byte>& packet) {
  packet.resize((1 + items.size()) * spead_word);
  write_spead_word(packet, spead_header_word(flavour) | items.size());
  for (std::size_t i = 0; i < items.size(); ++i)
    write_spead_word(std::span(packet).subspan((i + 1) * spead_word), encode_pointer(items[i], flavour));
  packet.insert(packet.end(), payload.begin(), payload.end());
}

}  // namespace takt::sensors
