#include "sensors/pcap/capture_file.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <cerrno>
#include <cstring>
#include <optional>

#include <fmt/format.h>

#include "core/error.hpp"

namespace takt::sensors {

namespace {

constexpr std::size_t file_header_bytes = 24, packet_header_bytes = 16;
constexpr std::uint32_t microseconds = 0xA1B2C3D4, nanoseconds = 0xA1B23C4D, pcapng = 0x0A0D0D0A;
/// The most that capture programs write (MAXIMUM_SNAPLEN of libpcap).
constexpr std::uint32_t largest_capture = 262'144;

// Links, by their numbers in the file.
constexpr std::uint32_t link_null = 0, link_ethernet = 1, link_raw = 101, link_loop = 108, link_sll = 113,
                        link_ipv4 = 228, link_ipv6 = 229, link_sll2 = 276;
constexpr std::uint16_t type_ipv4 = 0x0800, type_ipv6 = 0x86DD, type_vlan = 0x8100,
                        type_service_vlan = 0x88A8;
constexpr int protocol_udp = 17, next_fragment = 44;
constexpr std::size_t udp_header_bytes = 8, ipv6_header_bytes = 40;

using Packet = std::span<const std::byte>;

std::uint16_t big16(Packet from, std::size_t at) {
  return static_cast<std::uint16_t>(std::to_integer<int>(from[at]) << 8 | std::to_integer<int>(from[at + 1]));
}

/// What lies behind the link's header, if it is IP.
std::optional<Packet> ip_of(Packet packet, std::uint32_t link) {
  std::size_t type_at = 0, header = 0;
  switch (link) {
    case link_raw:
    case link_ipv4:
    case link_ipv6:
      return packet;
    case link_null:
    case link_loop:
      return packet.size() < 4 ? std::nullopt : std::optional(packet.subspan(4));
    case link_ethernet:
      type_at = 12, header = 14;
      break;
    case link_sll:
      type_at = 14, header = 16;
      break;
    case link_sll2:
      type_at = 0, header = 20;
      break;
    default:
      return {};
  }
  if (packet.size() < header) return {};
  std::uint16_t type = big16(packet, type_at);
  while ((type == type_vlan || type == type_service_vlan) && packet.size() >= header + 4) {
    type = big16(packet, header + 2);
    header += 4;
  }
  if (type != type_ipv4 && type != type_ipv6) return {};
  return packet.subspan(header);
}

/// The UDP datagram in an IP packet, its header included, as much as is there. Later pieces of one that was
/// sent in pieces are none.
std::optional<Packet> udp_of(Packet ip) {
  if (ip.empty()) return {};
  const int version = std::to_integer<int>(ip[0]) >> 4;
  std::size_t header = 0, length = 0;
  if (version == 4) {
    header = std::to_integer<std::size_t>(ip[0] & std::byte{15}) * 4;
    if (ip.size() < 20 || header < 20 || std::to_integer<int>(ip[9]) != protocol_udp) return {};
    if ((big16(ip, 6) & 0x1FFF) != 0) return {};
    length = big16(ip, 2);
  } else if (version == 6) {
    header = ipv6_header_bytes;
    if (ip.size() < header) return {};
    length = header + big16(ip, 4);
    int next = std::to_integer<int>(ip[6]);
    if (next == next_fragment && ip.size() >= header + 8) {
      if ((big16(ip, header + 2) & 0xFFF8) != 0) return {};
      next = std::to_integer<int>(ip[header]);
      header += 8;
    }
    if (next != protocol_udp) return {};
  } else {
    return {};
  }
  // Where the network card cut datagrams apart on sending, the length is 0 or of another piece.
  if (length < header || length > ip.size()) length = ip.size();
  if (length < header + udp_header_bytes) return {};
  return ip.subspan(header, length - header);
}

}  // namespace

CaptureFile::CaptureFile(std::filesystem::path path)
    : path_(std::move(path)), file_(path_, std::ios::binary) {
  if (!file_ || std::filesystem::is_directory(path_))
    throw ConfigError(fmt::format("{}: cannot read the capture: {}", path_.string(), std::strerror(errno)));
  std::array<std::byte, file_header_bytes> header{};
  file_.read(reinterpret_cast<char*>(header.data()), header.size());
  std::uint32_t magic = word(header);
  if (magic == pcapng)
    throw ConfigError(
        fmt::format("{}: this is a pcapng file, expected pcap: convert it with 'editcap -F nsecpcap "
                    "{} NEW.pcap'",
                    path_.string(), path_.filename().string()));
  if (magic != microseconds && magic != nanoseconds) {
    is_turned_ = true;
    magic = word(header);
  }
  if (file_.gcount() != file_header_bytes || (magic != microseconds && magic != nanoseconds))
    throw ConfigError(
        fmt::format("{}: no pcap file: it begins with neither of the numbers that such files "
                    "begin with, expected a1b2c3d4 or a1b23c4d",
                    path_.string()));
  has_nanoseconds_ = magic == nanoseconds;
  // Above it are the length of a frame check sequence and flags.
  link_ = word(std::span(header).subspan(20)) & 0xFFFF;
  constexpr std::array known{link_null, link_ethernet, link_raw,  link_loop,
                             link_sll,  link_ipv4,     link_ipv6, link_sll2};
  if (std::find(known.begin(), known.end(), link_) == known.end())
    throw ConfigError(
        fmt::format("{}: a capture of link type {}, expected Ethernet, raw IP, loopback or Linux "
                    "cooked (0, 1, 101, 108, 113, 228, 229, 276)",
                    path_.string(), link_));
  at_ = file_header_bytes;
}

std::uint32_t CaptureFile::word(std::span<const std::byte> from) const {
  std::uint32_t value = 0;
  std::memcpy(&value, from.data(), sizeof value);
  if constexpr (std::endian::native == std::endian::big) value = __builtin_bswap32(value);
  return is_turned_ ? __builtin_bswap32(value) : value;
}

bool CaptureFile::next(CapturedDatagram& datagram) {
  std::array<std::byte, packet_header_bytes> header{};
  while (file_.read(reinterpret_cast<char*>(header.data()), header.size())) {
    const auto field = [&](std::size_t number) { return word(std::span(header).subspan(4 * number)); };
    const std::uint32_t captured = field(2);
    if (captured > largest_capture)
      throw WorkError(fmt::format("{}: damaged at byte {}: a packet of {} bytes, expected {} at most",
                                  path_.string(), at_, captured, largest_capture));
    packet_.resize(captured);
    if (!file_.read(reinterpret_cast<char*>(packet_.data()), captured)) return false;
    at_ += packet_header_bytes + captured;
    const std::optional<Packet> ip = ip_of(packet_, link_);
    const std::optional<Packet> udp = ip ? udp_of(*ip) : std::nullopt;
    if (!udp) continue;
    datagram.utc_ns =
        std::int64_t{field(0)} * 1'000'000'000 + std::int64_t{field(1)} * (has_nanoseconds_ ? 1 : 1000);
    datagram.port = big16(*udp, 2);
    // A card that sends checksums by itself may see lengths of its own making: then what is there counts.
    const std::size_t told = big16(*udp, 4);
    datagram.bytes = udp->subspan(udp_header_bytes);
    if (told >= udp_header_bytes && told - udp_header_bytes < datagram.bytes.size())
      datagram.bytes = datagram.bytes.first(told - udp_header_bytes);
    return true;
  }
  return false;
}

}  // namespace takt::sensors
