#include "sensors/lofar/packet.hpp"

#include <algorithm>

namespace takt::sensors {

namespace {

constexpr std::uint32_t no_second = 0xFFFFFFFF;
constexpr unsigned least_version = 3, most_version = 4;

bool is_known(const LofarHeader& header) {
  return header.version >= least_version && header.version <= most_version && header.reserved == 0;
}

std::uint32_t read(std::span<const std::byte> bytes, std::size_t offset, std::size_t count) {
  std::uint32_t value = 0;
  for (std::size_t i = count; i-- > 0;)
    value = value << 8 | std::to_integer<std::uint32_t>(bytes[offset + i]);
  return value;
}

void write(std::span<std::byte> bytes, std::size_t offset, std::size_t count, std::uint32_t value) {
  for (std::size_t i = 0; i < count; ++i, value >>= 8)
    bytes[offset + i] = static_cast<std::byte>(value & 0xFF);
}

/// In the order of the header's bit mode.
constexpr std::array<int, 4> bits_of_mode{16, 8, 4, 0};
/// Bits 5 and 10 to 15 of the second and third byte.
constexpr std::uint32_t reserved_bits = 0xFC20;

/// Returns the first block of a second.
std::uint64_t first_block(std::uint64_t second, std::int64_t clock_hz) {
  return (second * static_cast<std::uint64_t>(clock_hz) + 512) / 1024;
}

}  // namespace

std::string_view name_of(LofarVerdict verdict) {
  constexpr std::array<std::string_view, lofar_verdict_count> names{
      "good", "version", "error_bit", "clock", "bit_mode", "size", "second", "sequence", "station"};
  return names[static_cast<std::size_t>(verdict)];
}

LofarHeader decode_header(std::span<const std::byte, lofar_header_bytes> bytes) {
  const std::uint32_t flags = read(bytes, 1, 2);
  const std::uint32_t station = read(bytes, 4, 2);
  LofarHeader header;
  header.version = static_cast<std::uint8_t>(read(bytes, 0, 1));
  header.rsp_board = flags & 0x1F;
  header.payload_error = (flags >> 6 & 1) != 0;
  header.clock_hz = (flags >> 7 & 1) != 0 ? 200'000'000 : 160'000'000;
  header.bits = bits_of_mode[flags >> 8 & 3];
  header.reserved = static_cast<std::uint16_t>(flags & reserved_bits);
  header.configuration = static_cast<std::uint8_t>(read(bytes, 3, 1));
  header.station = static_cast<std::uint16_t>(station >> 5);
  header.lane = station & 0x1F;
  header.beamlets = static_cast<std::uint8_t>(read(bytes, 6, 1));
  header.samples = static_cast<std::uint8_t>(read(bytes, 7, 1));
  header.second = read(bytes, 8, 4);
  header.sequence = read(bytes, 12, 4);
  return header;
}

void encode_header(const LofarHeader& header, std::span<std::byte, lofar_header_bytes> bytes) {
  const auto mode = std::find(bits_of_mode.begin(), bits_of_mode.end(), header.bits) - bits_of_mode.begin();
  const std::uint32_t flags = (header.rsp_board & 0x1Fu) | (header.payload_error ? 1u << 6 : 0u) |
                              (header.clock_hz == 200'000'000 ? 1u << 7 : 0u) |
                              (static_cast<std::uint32_t>(mode) & 3u) << 8 | header.reserved;
  write(bytes, 0, 1, header.version);
  write(bytes, 1, 2, flags);
  write(bytes, 3, 1, header.configuration);
  write(bytes, 4, 2, static_cast<std::uint32_t>(header.station) << 5 | (header.lane & 0x1Fu));
  write(bytes, 6, 1, header.beamlets);
  write(bytes, 7, 1, header.samples);
  write(bytes, 8, 4, header.second);
  write(bytes, 12, 4, header.sequence);
}

std::size_t packet_bytes_of(const LofarHeader& header) {
  if (!is_known(header) || header.bits == 0 || header.beamlets == 0) return 0;
  constexpr std::size_t parts_of_a_sample = 4, bits_of_a_byte = 8;
  return lofar_header_bytes + std::size_t{header.beamlets} * header.samples * parts_of_a_sample *
                                  static_cast<std::size_t>(header.bits) / bits_of_a_byte;
}

LofarVerdict judge(std::span<const std::byte> datagram, const LofarFormat& format, LofarHeader& header) {
  return judge(datagram, datagram.size(), format, header);
}

LofarVerdict judge(std::span<const std::byte> begin, std::size_t bytes, const LofarFormat& format,
                   LofarHeader& header) {
  if (begin.size() < lofar_header_bytes) return LofarVerdict::size;
  header = decode_header(begin.first<lofar_header_bytes>());
  if (!is_known(header)) return LofarVerdict::version;
  if (header.payload_error) return LofarVerdict::error_bit;
  if (header.clock_hz != format.clock_hz) return LofarVerdict::clock;
  if (header.bits != format.bits) return LofarVerdict::bit_mode;
  if (bytes != format.packet_bytes() || header.beamlets != format.beamlets ||
      header.samples != lofar_blocks_per_packet)
    return LofarVerdict::size;
  if (header.second == no_second) return LofarVerdict::second;
  if (header.sequence > static_cast<std::uint64_t>(header.clock_hz) / 1024) return LofarVerdict::sequence;
  if (format.station && header.station != *format.station) return LofarVerdict::station;
  return LofarVerdict::good;
}

std::uint64_t absolute_block(std::uint32_t second, std::uint32_t sequence, std::int64_t clock_hz) {
  return first_block(second, clock_hz) + sequence;
}

BlockTime block_time(std::uint64_t block, std::int64_t clock_hz) {
  // A second's first block is rounded to the nearest one, so the second found by division is off by at most
  // one.
  std::uint64_t second = block * 1024 / static_cast<std::uint64_t>(clock_hz);
  if (first_block(second + 1, clock_hz) <= block) ++second;
  return {static_cast<std::uint32_t>(second),
          static_cast<std::uint32_t>(block - first_block(second, clock_hz))};
}

std::int64_t utc_of_block(std::uint64_t block, std::int64_t clock_hz) {
  return static_cast<std::int64_t>(block) * (1024'000'000'000 / clock_hz);
}

void widen_nibbles(std::span<const std::byte> packed, std::span<std::byte> wide) {
  for (std::size_t i = 0; i < packed.size(); ++i) {
    const auto value = std::to_integer<std::uint8_t>(packed[i]);
    // An arithmetic shift extends the nibble's sign.
    const auto high = static_cast<std::int8_t>(value) >> 4;
    const auto low = static_cast<std::int8_t>(static_cast<std::uint8_t>(value << 4)) >> 4;
    wide[2 * i] = static_cast<std::byte>(high);
    wide[2 * i + 1] = static_cast<std::byte>(low);
  }
}

}  // namespace takt::sensors
