#pragma once
/// Captures byte by byte, in tcpdump's format.

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace takt::test {

/// The format of a capture.
struct CaptureStyle {
  bool is_big_endian = false, has_nanoseconds = false, is_ipv6 = false, has_vlan = false;
  std::uint32_t link = 1;
};

inline void put(std::string& to, std::uint64_t value, int bytes, bool is_big_endian) {
  for (int i = 0; i < bytes; ++i) {
    const int byte = is_big_endian ? bytes - 1 - i : i;
    to.push_back(byte < 8 ? static_cast<char>(value >> 8 * byte) : '\0');
  }
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

// Packets and files part by part, for unusual captures.

inline std::string big16(std::uint64_t value) {
  std::string bytes;
  put(bytes, value, 2, true);
  return bytes;
}

inline std::string udp_packet(const std::string& payload, std::uint16_t port = 2000) {
  return big16(5000) + big16(port) + big16(8 + payload.size()) + big16(0) + payload;
}

struct Ipv4 {
  std::uint16_t identification = 1;
  /// Offset of a fragment in bytes, and whether further ones follow it.
  std::size_t offset = 0;
  bool more_follow = false;
  int protocol = 17;
  /// Length in the header; default: the actual one.
  std::optional<std::size_t> total_length = {};
};

inline std::string ipv4_packet(const std::string& payload, const Ipv4& with = {}) {
  std::string bytes("\x45\0", 2);
  bytes += big16(with.total_length.value_or(20 + payload.size()));
  bytes += big16(with.identification) + big16((with.more_follow ? 0x2000 : 0) | with.offset / 8);
  bytes += std::string{'\x40', static_cast<char>(with.protocol), '\0', '\0'};
  return bytes + std::string("\x0A\0\0\x01\x0A\0\0\x02", 8) + payload;
}

/// `next` is the number of the next header.
inline std::string ipv6_packet(const std::string& payload, int next = 17) {
  std::string bytes("\x60\0\0\0", 4);
  bytes += big16(payload.size());
  bytes += std::string{static_cast<char>(next), '\x40'};
  return bytes + std::string(32, '\1') + payload;
}

/// An extension header of 8 bytes, and 8 * `more` further ones, before the header with number `next`.
inline std::string ipv6_extension(int next, const std::string& payload, std::size_t more = 0) {
  return std::string{static_cast<char>(next), static_cast<char>(more)} + std::string(6 + 8 * more, '\0') +
         payload;
}

/// With the types of VLAN tags before the packet's own.
inline std::string ethernet_packet(const std::string& ip, std::uint16_t type = 0x0800,
                                   const std::vector<std::uint16_t>& tags = {}) {
  std::string bytes(12, '\2');
  for (const std::uint16_t tag : tags) bytes += big16(tag) + big16(7);
  return bytes + big16(type) + ip;
}

/// A record with this many bytes of the packet.
inline std::string pcap_record(const std::string& packet, std::optional<std::size_t> captured = {},
                               std::uint32_t microsecond = 0) {
  std::string bytes;
  put(bytes, 1'700'000'000, 4, false);
  put(bytes, microsecond, 4, false);
  put(bytes, captured.value_or(packet.size()), 4, false);
  put(bytes, packet.size(), 4, false);
  return bytes + packet.substr(0, captured.value_or(packet.size()));
}

inline std::string pcap_file(const std::vector<std::string>& packets, std::uint32_t link = 1) {
  std::string bytes = capture_header({.link = link});
  std::uint32_t microsecond = 0;
  for (const std::string& packet : packets) bytes += pcap_record(packet, {}, 100 * microsecond++);
  return bytes;
}

/// Blocks of a pcapng file, in one byte order.
class PcapngBlocks {
 public:
  explicit PcapngBlocks(bool is_big_endian = false) : is_big_endian_(is_big_endian) {}

  [[nodiscard]] std::string number(std::uint64_t value, int bytes) const {
    std::string to;
    put(to, value, bytes, is_big_endian_);
    return to;
  }
  [[nodiscard]] std::string block(std::uint32_t type, std::string body) const {
    body.resize((body.size() + 3) / 4 * 4);
    const std::string length = number(body.size() + 12, 4);
    return number(type, 4) + length + body + length;
  }
  [[nodiscard]] std::string option(unsigned code, std::string value) const {
    const std::string head = number(code, 2) + number(value.size(), 2);
    value.resize((value.size() + 3) / 4 * 4);
    return head + value;
  }
  [[nodiscard]] std::string section() const {
    return block(0x0A0D0D0A, number(0x1A2B3C4D, 4) + number(1, 2) + number(0, 2) +
                                 number(~std::uint64_t{0}, 8) + option(4, "takt tests") + option(0, ""));
  }
  [[nodiscard]] std::string interface(std::uint32_t link, const std::string& options = {},
                                      std::uint32_t snap_bytes = 0) const {
    return block(1, number(link, 2) + number(0, 2) + number(snap_bytes, 4) + options);
  }
  [[nodiscard]] std::string packet(std::uint32_t interface, std::uint64_t ticks, const std::string& bytes,
                                   const std::string& options = {}) const {
    std::string padded = bytes;
    padded.resize((bytes.size() + 3) / 4 * 4);
    return block(6, number(interface, 4) + number(ticks >> 32, 4) + number(ticks & 0xFFFFFFFF, 4) +
                        number(bytes.size(), 4) + number(bytes.size(), 4) + padded + options);
  }
  [[nodiscard]] std::string simple_packet(const std::string& bytes, std::size_t original) const {
    return block(3, number(original, 4) + bytes);
  }

 private:
  bool is_big_endian_;
};

}  // namespace takt::test
