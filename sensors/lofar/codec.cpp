#include "sensors/lofar/codec.hpp"

#include "sensors/lofar/packet.hpp"

namespace takt::sensors {

double LofarCodec::packets_per_second() const {
  return static_cast<double>(clock_hz_) / static_cast<double>(1024 * lofar_blocks_per_packet);
}

std::optional<std::int64_t> LofarCodec::utc_of(std::span<const std::byte> packet) const {
  if (packet.size() < lofar_header_bytes) return {};
  const LofarHeader header = decode_header(packet.first<lofar_header_bytes>());
  return utc_of_block(absolute_block(header.second, header.sequence, clock_hz_), clock_hz_);
}

std::span<const std::string_view> LofarCodec::causes() const {
  static const auto names = [] {
    std::array<std::string_view, lofar_verdict_count - 1> all;
    for (std::size_t i = 0; i < all.size(); ++i) all[i] = name_of(static_cast<LofarVerdict>(i + 1));
    return all;
  }();
  return names;
}

std::size_t LofarCodec::damage(std::vector<std::byte>& bytes, std::uint64_t choice) const {
  auto cause = static_cast<LofarVerdict>(1 + choice % (lofar_verdict_count - 1));
  if (bytes.size() < lofar_header_bytes) cause = LofarVerdict::size;
  if (cause == LofarVerdict::size) {
    bytes.resize(bytes.size() / 2);
  } else {
    const auto head = std::span(bytes).first<lofar_header_bytes>();
    LofarHeader header = decode_header(head);
    if (cause == LofarVerdict::version) header.version = 1;
    if (cause == LofarVerdict::error_bit) header.payload_error = true;
    if (cause == LofarVerdict::clock)
      header.clock_hz = header.clock_hz == 200'000'000 ? 160'000'000 : 200'000'000;
    if (cause == LofarVerdict::bit_mode) header.bits = header.bits == 8 ? 16 : 8;
    if (cause == LofarVerdict::second) header.second = 0xFFFFFFFF;
    if (cause == LofarVerdict::sequence) header.sequence |= 0x80000000;
    if (cause == LofarVerdict::station) header.station ^= 1;
    encode_header(header, head);
  }
  return static_cast<std::size_t>(cause) - 1;
}

std::size_t LofarCodec::coalesced(std::span<const std::byte> datagram, std::size_t usual) const {
  return coalesced_by_headers(datagram, usual, [](std::span<const std::byte> packet) -> std::size_t {
    if (packet.size() < lofar_header_bytes) return 0;
    return packet_bytes_of(decode_header(packet.first<lofar_header_bytes>()));
  });
}

bool LofarCodec::shift(std::span<std::byte> packet, std::int64_t packets) const {
  if (packet.size() < lofar_header_bytes) return false;
  const auto head = packet.first<lofar_header_bytes>();
  LofarHeader header = decode_header(head);
  const std::uint64_t block = absolute_block(header.second, header.sequence, clock_hz_);
  const std::int64_t moved =
      static_cast<std::int64_t>(block) + packets * static_cast<std::int64_t>(lofar_blocks_per_packet);
  if (moved < 0) return false;
  const BlockTime time = block_time(static_cast<std::uint64_t>(moved), clock_hz_);
  header.second = time.second;
  header.sequence = time.sequence;
  encode_header(header, head);
  return true;
}

}  // namespace takt::sensors
