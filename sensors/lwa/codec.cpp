#include "sensors/lwa/codec.hpp"

#include <algorithm>
#include <array>
#include <cmath>

namespace takt::sensors {

double LwaCodec::packets_per_second() const {
  return format_.moments_per_second() * static_cast<double>(format_.packets_per_moment());
}

std::optional<std::int64_t> LwaCodec::utc_of(std::span<const std::byte> packet) const {
  if (packet.size() < lwa_header_bytes(format_.mode)) return {};
  const LwaHeader header = decode_lwa(format_.mode, packet);
  if (header.time_tag < header.time_offset) return {};
  return utc_of_clocks(header.clocks());
}

std::span<const std::string_view> LwaCodec::causes() const {
  static const std::array names{name_of(LwaVerdict::size), name_of(LwaVerdict::sync),
                                name_of(LwaVerdict::mode), name_of(LwaVerdict::signal),
                                name_of(LwaVerdict::rate)};
  return std::span(names).first(format_.mode == LwaMode::tbn ? names.size() - 1 : names.size());
}

std::size_t LwaCodec::damage(std::vector<std::byte>& packet, std::uint64_t choice) const {
  const std::size_t bytes = lwa_header_bytes(format_.mode);
  const std::size_t cause = packet.size() < bytes ? 0 : choice % causes().size();
  if (cause == 0) {
    packet.resize(packet.size() / 2);
    return cause;
  }
  LwaHeader header = decode_lwa(format_.mode, packet);
  if (cause == 1) header.sync_word ^= 1;
  // The mark of wide-band data; the bit of the ID that is zero.
  if (cause == 2) header.reserved = format_.mode == LwaMode::tbn ? 0x8000 : 0x40;
  if (cause == 3) header.signal = 0;
  if (cause == 4) header.decimation ^= 1;
  encode_lwa(format_.mode, header, packet);
  return cause;
}

bool LwaCodec::shift(std::span<std::byte> packet, std::int64_t packets) const {
  if (packet.size() < lwa_header_bytes(format_.mode)) return false;
  const auto moments =
      std::llround(static_cast<double>(packets) / static_cast<double>(format_.packets_per_moment()));
  LwaHeader header = decode_lwa(format_.mode, packet);
  const std::uint64_t by = static_cast<std::uint64_t>(std::abs(moments)) * format_.clocks_per_packet();
  if (moments < 0 && (header.time_tag < by || header.time_tag - by < header.time_offset)) return false;
  header.time_tag += moments < 0 ? -by : by;
  encode_lwa(format_.mode, header, packet);
  return true;
}

std::size_t LwaCodec::coalesced(std::span<const std::byte> datagram, std::size_t usual) const {
  return coalesced_by_headers(datagram, usual, [this](std::span<const std::byte> packet) -> std::size_t {
    if (packet.size() < lwa_header_bytes(format_.mode)) return 0;
    return decode_lwa(format_.mode, packet).sync_word == lwa_sync_word ? format_.packet_bytes() : 0;
  });
}

}  // namespace takt::sensors
