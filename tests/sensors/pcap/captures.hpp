#pragma once
/// Captures byte by byte, as tcpdump writes them.

#include <cstdint>
#include <string>

namespace takt::test {

/// How a capture is written.
struct CaptureStyle {
  bool is_big_endian = false, has_nanoseconds = false, is_ipv6 = false, has_vlan = false;
  std::uint32_t link = 1;
};

inline void put(std::string& to, std::uint64_t value, int bytes, bool is_big_endian) {
  for (int i = 0; i < bytes; ++i)
    to.push_back(static_cast<char>(value >> 8 * (is_big_endian ? bytes - 1 - i : i)));
}

inline std::string capture_header(const CaptureStyle& style) {
  std::string bytes;
  put(bytes, style.has_nanoseconds ? 0xA1B23C4D : 0xA1B2C3D4, 4, style.is_big_endian);
  put(bytes, 2, 2, style.is_big_endian);
  put(bytes, 4, 2, style.is_big_endian);
  put(bytes, 0, 8, style.is_big_endian);
  put(bytes, 262'144, 4, style.is_big_endian);
  put(bytes, style.link, 4, style.is_big_endian);
  return bytes;
}

/// A record of the capture: link, IP, UDP.
inline std::string captured(const CaptureStyle& style, std::uint16_t port, const std::string& payload) {
  std::string packet;
  const std::uint16_t type = style.is_ipv6 ? 0x86DD : 0x0800;
  if (style.link == 1) {
    packet += std::string(12, '\2');
    if (style.has_vlan) packet += std::string("\x81\x00\x00\x07", 4);
    put(packet, type, 2, true);
  } else if (style.link == 113) {
    packet += std::string(14, '\0');
    put(packet, type, 2, true);
  }
  const std::size_t udp_length = 8 + payload.size();
  if (style.is_ipv6) {
    put(packet, 6, 1, true);
    packet.back() = '\x60';
    packet += std::string(3, '\0');
    put(packet, udp_length, 2, true);
    packet += '\x11';
    packet += std::string(33, '\1');
  } else {
    packet += std::string("\x45\0", 2);
    put(packet, 20 + udp_length, 2, true);
    packet += std::string("\0\0\0\0\x40\x11\0\0", 8) + std::string(8, '\x7F');
  }
  put(packet, 40'000, 2, true);
  put(packet, port, 2, true);
  put(packet, udp_length, 2, true);
  put(packet, 0, 2, true);
  packet += payload;
  // Short frames are padded by Ethernet.
  if (style.link == 1 && packet.size() < 60) packet.resize(60);
  std::string bytes;
  put(bytes, 1'656'466'200, 4, style.is_big_endian);
  put(bytes, 123'456, 4, style.is_big_endian);
  put(bytes, packet.size(), 4, style.is_big_endian);
  put(bytes, packet.size(), 4, style.is_big_endian);
  return bytes + packet;
}

}  // namespace takt::test
