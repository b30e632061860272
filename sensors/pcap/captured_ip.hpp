#pragma once
/// Extraction of IP payloads from captured packets of various link types.
///
/// Links: Ethernet, with any number of VLAN tags (802.1Q 8100, 802.1ad 88a8, and the earlier QinQ values
/// 9100, 9200, 9300), Linux cooked 1 and 2, loopback of BSDs, raw IP. IPv6 extension headers: hop-by-hop
/// options, routing, fragment, destination options, authentication, mobility, HIP, shim6. Sources: RFC 791,
/// RFC 8200, RFC 4302; link types: tcpdump.org/linktypes.html.

#include <cstddef>
#include <cstdint>
#include <span>

#include "sensors/pcap/capture_records.hpp"

namespace takt::sensors {

inline constexpr int protocol_udp = 17;

/// The payload after the IP headers of a captured packet.
struct IpPayload {
  int protocol = 0;
  /// The captured bytes, and the size according to the IP header.
  std::span<const std::byte> bytes;
  std::size_t whole_bytes = 0;

  /// For a fragment of a larger payload: its offset there, and whether further ones follow.
  bool is_fragment = false, more_follow = false;
  std::size_t offset = 0;
  std::uint32_t identification = 0;
  /// Source and destination: 8 or 32 bytes.
  std::span<const std::byte> addresses;
};

enum class IpVerdict : std::uint8_t {
  good,
  /// No IP, or an unknown header after it (encrypted payload).
  other,
  /// The snapshot length truncated the packet within its headers.
  cut,
  /// Headers that contradict one another or the packet's length.
  malformed,
};

/// O(headers).
[[nodiscard]] IpVerdict read_ip(const CapturedPacket& packet, IpPayload& payload);

/// Skips IPv6 extension headers from `payload.protocol` on, also those of a reassembled
/// payload.
[[nodiscard]] IpVerdict pass_extension_headers(IpPayload& payload);

}  // namespace takt::sensors
