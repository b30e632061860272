#include "sensors/vdif/codec.hpp"

#include <algorithm>
#include <array>
#include <cmath>

#include "core/leap_seconds.hpp"

namespace takt::sensors {

double VdifCodec::packets_per_second() const {
  return static_cast<double>(format_.packets_per_second());
}

std::optional<std::int64_t> VdifCodec::utc_of(std::span<const std::byte> packet) const {
  if (packet.size() < format_.prefix_bytes() + vdif_legacy_bytes) return {};
  const VdifHeader header = decode_vdif(packet.subspan(format_.prefix_bytes()));
  return header.unix_second() * 1'000'000'000 + std::llround(header.frame * 1e9 / packets_per_second());
}

std::span<const std::string_view> VdifCodec::causes() const {
  static const auto names = [] {
    std::array<std::string_view, vdif_verdict_count - 1> all;
    for (std::size_t i = 0; i < all.size(); ++i) all[i] = name_of(static_cast<VdifVerdict>(i + 1));
    return all;
  }();
  return names;
}

std::size_t VdifCodec::damage(std::vector<std::byte>& bytes, std::uint64_t choice) const {
  auto cause = static_cast<VdifVerdict>(1 + choice % (vdif_verdict_count - 1));
  const std::size_t prefix = format_.prefix_bytes();
  if (bytes.size() < prefix + format_.header_bytes()) cause = VdifVerdict::size;
  if (cause == VdifVerdict::size) {
    bytes.resize(bytes.size() - std::min<std::size_t>(bytes.size(), 8));
    return static_cast<std::size_t>(cause) - 1;
  }
  const std::span<std::byte> head = std::span(bytes).subspan(prefix);
  VdifHeader header = decode_vdif(head);
  if (cause == VdifVerdict::sampling) header.bits = header.bits % 32 + 1;
  if (cause == VdifVerdict::frame) header.frame = 0xFFFFFF;
  if (cause == VdifVerdict::station) header.station ^= 1;
  if (cause == VdifVerdict::invalid) header.is_invalid = true;
  if (cause == VdifVerdict::thread)
    while (std::ranges::find(format_.threads, header.thread) != format_.threads.end())
      header.thread = static_cast<std::uint16_t>((header.thread + 1) % 1024);
  encode_vdif(header, head);
  // Flips the legacy flag only, so that the length is unchanged.
  if (cause == VdifVerdict::header) head[3] ^= std::byte{0x40};
  return static_cast<std::size_t>(cause) - 1;
}

std::size_t VdifCodec::coalesced(std::span<const std::byte> datagram, std::size_t usual) const {
  return coalesced_by_headers(datagram, usual, [this](std::span<const std::byte> packet) -> std::size_t {
    if (packet.size() < format_.prefix_bytes() + format_.header_bytes()) return 0;
    const VdifHeader header = decode_vdif(packet.subspan(format_.prefix_bytes()));
    if (header.is_legacy != format_.is_legacy || header.frame_bytes <= header.header_bytes()) return 0;
    return format_.prefix_bytes() + header.frame_bytes;
  });
}

bool VdifCodec::shift(std::span<std::byte> packet, std::int64_t packets) const {
  if (packet.size() < format_.prefix_bytes() + format_.header_bytes()) return false;
  const std::span<std::byte> head = packet.subspan(format_.prefix_bytes());
  VdifHeader header = decode_vdif(head);
  const std::int64_t a_second = format_.packets_per_second();
  const std::int64_t moved = header.tai_second() * a_second + header.frame + packets;
  if (moved < leap_seconds().tai_second(first_vdif_second) * a_second ||
      moved >= leap_seconds().tai_second(end_of_vdif_seconds) * a_second)
    return false;
  const VdifTime time = vdif_time_of_tai(moved / a_second);
  header.second = time.second;
  header.epoch = time.epoch;
  header.frame = static_cast<std::uint32_t>(moved % a_second);
  encode_vdif(header, head);
  return true;
}

}  // namespace takt::sensors
