#include "sensors/pcap/captured_ip.hpp"

#include <algorithm>
#include <array>

#include <fmt/format.h>
#include <fmt/ranges.h>

namespace takt::sensors {

namespace {

// LINKTYPE_ values; 12 and 14 are raw IP in files of BSDs.
constexpr std::uint32_t link_null = 0, link_ethernet = 1, link_raw_bsd = 12, link_raw_openbsd = 14,
                        link_raw = 101, link_loop = 108, link_sll = 113, link_ipv4 = 228, link_ipv6 = 229,
                        link_sll2 = 276;
constexpr std::array known{link_null, link_ethernet, link_raw_bsd, link_raw_openbsd, link_raw,
                           link_loop, link_sll,      link_ipv4,    link_ipv6,        link_sll2};

constexpr std::uint32_t type_ipv4 = 0x0800, type_ipv6 = 0x86DD;
constexpr std::array<std::uint32_t, 5> vlan_types{0x8100, 0x88A8, 0x9100, 0x9200, 0x9300};

constexpr std::size_t ipv4_header_bytes = 20, ipv6_header_bytes = 40, fragment_header_bytes = 8;

// IPv6 extension headers by number; authentication also occurs in IPv4.
constexpr int hop_by_hop = 0, routing = 43, fragment = 44, authentication = 51, destination = 60,
              mobility = 135, hip = 139, shim6 = 140;

using Bytes = std::span<const std::byte>;

std::uint32_t big(Bytes from, std::size_t at, std::size_t count) {
  return static_cast<std::uint32_t>(capture_number(from.subspan(at, count), true));
}

/// The protocol family of BSD's loopback: 2 is IPv4 everywhere, IPv6 has another number in each system.
bool is_ip_family(std::uint32_t family) {
  constexpr std::array<std::uint32_t, 5> families{2, 10, 24, 28, 30};
  return std::ranges::find(families, family) != families.end() ||
         std::ranges::find(families, __builtin_bswap32(family)) != families.end();
}

/// Skips the link's header.
IpVerdict pass_link(std::uint32_t link, Bytes& packet) {
  std::size_t type_at = 0, header = 0;
  switch (link) {
    case link_raw_bsd:
    case link_raw_openbsd:
    case link_raw:
    case link_ipv4:
    case link_ipv6:
      return IpVerdict::good;
    case link_null:
    case link_loop:
      if (packet.size() < 4) return IpVerdict::cut;
      if (!is_ip_family(big(packet, 0, 4))) return IpVerdict::other;
      packet = packet.subspan(4);
      return IpVerdict::good;
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
      return IpVerdict::other;
  }
  if (packet.size() < header) return IpVerdict::cut;
  std::uint32_t type = big(packet, type_at, 2);
  while (std::ranges::find(vlan_types, type) != vlan_types.end()) {
    if (packet.size() < header + 4) return IpVerdict::cut;
    type = big(packet, header + 2, 2);
    header += 4;
  }
  if (type != type_ipv4 && type != type_ipv6) return IpVerdict::other;
  packet = packet.subspan(header);
  return IpVerdict::good;
}

IpVerdict read_ipv4(Bytes ip, std::size_t on_wire, IpPayload& payload) {
  if (ip.size() < ipv4_header_bytes) return IpVerdict::cut;
  const std::size_t header = std::to_integer<std::size_t>(ip[0] & std::byte{15}) * 4;
  if (header < ipv4_header_bytes) return IpVerdict::malformed;
  std::size_t length = big(ip, 2, 2);
  // With segmentation offload, the kernel may leave the length to the network card.
  if (length == 0) length = on_wire;
  if (length < header) return IpVerdict::malformed;
  if (ip.size() < header) return IpVerdict::cut;
  const std::uint32_t fragment_word = big(ip, 6, 2);
  payload.protocol = std::to_integer<int>(ip[9]);
  payload.offset = std::size_t{fragment_word & 0x1FFF} * 8;
  payload.more_follow = (fragment_word & 0x2000) != 0;
  payload.is_fragment = payload.more_follow || payload.offset > 0;
  payload.identification = big(ip, 4, 2);
  payload.addresses = ip.subspan(12, 8);
  payload.whole_bytes = length - header;
  payload.bytes = ip.subspan(header, std::min(ip.size() - header, payload.whole_bytes));
  return payload.is_fragment ? IpVerdict::good : pass_extension_headers(payload);
}

IpVerdict read_ipv6(Bytes ip, std::size_t on_wire, IpPayload& payload) {
  if (ip.size() < ipv6_header_bytes) return IpVerdict::cut;
  std::size_t length = big(ip, 4, 2);
  // A jumbogram, or a packet with segmentation offload.
  if (length == 0) length = std::max(on_wire, ipv6_header_bytes) - ipv6_header_bytes;
  payload.protocol = std::to_integer<int>(ip[6]);
  payload.addresses = ip.subspan(8, 32);
  payload.whole_bytes = length;
  payload.bytes = ip.subspan(ipv6_header_bytes, std::min(ip.size() - ipv6_header_bytes, length));
  return pass_extension_headers(payload);
}

}  // namespace

bool is_known_link(std::uint32_t link) {
  return std::ranges::find(known, link) != known.end();
}

std::string known_links() {
  return fmt::format("{}", fmt::join(known, ", "));
}

IpVerdict read_ip(const CapturedPacket& packet, IpPayload& payload) {
  payload = {};
  Bytes ip = packet.bytes;
  IpVerdict verdict = pass_link(packet.link, ip);
  if (verdict == IpVerdict::good) {
    const std::size_t on_wire = ip.size() + packet.cut_bytes;
    const int version = ip.empty() ? 0 : std::to_integer<int>(ip[0]) >> 4;
    verdict = ip.empty()     ? IpVerdict::cut
              : version == 4 ? read_ipv4(ip, on_wire, payload)
              : version == 6 ? read_ipv6(ip, on_wire, payload)
                             : IpVerdict::other;
  }
  // A packet that ends within its headers and was captured completely was sent that way.
  if (verdict == IpVerdict::cut && packet.cut_bytes == 0) return IpVerdict::malformed;
  return verdict;
}

IpVerdict pass_extension_headers(IpPayload& payload) {
  for (;;) {
    std::size_t unit = 8, least = 8;
    switch (payload.protocol) {
      case hop_by_hop:
      case routing:
      case destination:
      case mobility:
      case hip:
      case shim6:
        break;
      case authentication:
        unit = 4;
        break;
      case fragment:
        break;
      default:
        return IpVerdict::good;
    }
    const Bytes header = payload.bytes;
    if (payload.whole_bytes < least) return IpVerdict::malformed;
    if (header.size() < least) return IpVerdict::cut;
    const bool is_fragment = payload.protocol == fragment;
    std::size_t length = fragment_header_bytes;
    if (is_fragment) {
      // A fragment within a reassembled payload.
      if (payload.is_fragment) return IpVerdict::malformed;
      const std::uint32_t word = big(header, 2, 2);
      payload.offset = word & 0xFFF8;
      payload.more_follow = (word & 1) != 0;
      payload.is_fragment = payload.more_follow || payload.offset > 0;
      payload.identification = big(header, 4, 4);
    } else {
      // In units beyond the first 8 bytes.
      length = 8 + std::to_integer<std::size_t>(header[1]) * unit;
    }
    payload.protocol = std::to_integer<int>(header[0]);
    if (length > payload.whole_bytes) return IpVerdict::malformed;
    if (length > header.size()) return IpVerdict::cut;
    payload.bytes = header.subspan(length);
    payload.whole_bytes -= length;
    // The following bytes belong to the whole payload.
    if (payload.is_fragment) return IpVerdict::good;
  }
}

}  // namespace takt::sensors
