#pragma once
/// Datagrams that were captured by tcpdump and its like: pcap files.
///
/// A header of 24 bytes, whose first word tells byte order and unit of time (microseconds or nanoseconds),
/// and whose last one the link; then packets, each with time, bytes captured and bytes that there were.
/// Source: draft-ietf-opsawg-pcap, "PCAP Capture File Format". Links: Ethernet (also with VLAN tags), raw IP,
/// loopback of BSD, Linux "cooked" 1 and 2.

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <fstream>
#include <span>
#include <vector>

namespace takt::sensors {

/// A UDP datagram of a capture.
struct CapturedDatagram {
  std::int64_t utc_ns = 0;
  /// To which it was sent.
  std::uint16_t port = 0;
  /// As much of it as was captured; of one that was sent in pieces (IP fragments) only the first piece.
  std::span<const std::byte> bytes;
};

class CaptureFile {
 public:
  /// Throws ConfigError when the file cannot be read or is no pcap file (pcapng: how to convert it).
  explicit CaptureFile(std::filesystem::path path);

  /// The next UDP datagram over IPv4 or IPv6; whatever else was captured is passed over. False at the end; a
  /// last packet that is not whole is none. Valid until the next call. Throws WorkError where the file is
  /// damaged, with the byte.
  [[nodiscard]] bool next(CapturedDatagram& datagram);

  [[nodiscard]] const std::filesystem::path& path() const { return path_; }

 private:
  [[nodiscard]] std::uint32_t word(std::span<const std::byte> from) const;

  std::filesystem::path path_;
  std::ifstream file_;
  bool is_turned_ = false, has_nanoseconds_ = false;
  std::uint32_t link_ = 0;
  std::uint64_t at_ = 0;
  std::vector<std::byte> packet_;
};

}  // namespace takt::sensors
