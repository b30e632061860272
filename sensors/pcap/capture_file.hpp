#pragma once
/// UDP datagrams that tcpdump, dumpcap, Wireshark and their like captured: pcap and pcapng files.

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "sensors/frames/counter.hpp"
#include "sensors/pcap/capture_records.hpp"
#include "sensors/pcap/ip_fragments.hpp"

namespace takt::sensors {

/// A UDP datagram of a capture.
struct CapturedDatagram {
  /// Nanoseconds since 1970, where the capture has times.
  std::optional<std::int64_t> utc_ns;
  /// The port that it was sent to.
  std::uint16_t port = 0;
  /// As much of it as was captured; bytes that it had on the wire.
  std::span<const std::byte> bytes;
  std::size_t whole_bytes = 0;
};

/// What became of the packets that are not handed over. Any thread.
struct CaptureCounts {
  CaptureRecordCounts records;
  /// Other protocols than UDP over IP.
  Tally not_udp;
  /// Among these, packets of links that are not known, and the first of the links.
  Tally other_links, other_link;
  /// Cut by the snapshot length before or in the UDP header, or fragments that were cut.
  Tally cut;
  /// Headers that contradict one another or the packet's length; datagrams that were put together of
  /// fragments and have a wrong checksum.
  Tally malformed;
};

class CaptureFile {
 public:
  /// Throws ConfigError when the file cannot be read, is neither pcap nor pcapng, or of a link type without
  /// IP.
  explicit CaptureFile(std::filesystem::path path);

  /// The next UDP datagram over IPv4 or IPv6; fragments are put together. Everything else is counted. False
  /// at the end. Valid until the next call. Throws WorkError where the file is damaged, with the offset.
  [[nodiscard]] bool next(CapturedDatagram& datagram);

  [[nodiscard]] const std::filesystem::path& path() const { return path_; }
  [[nodiscard]] const CaptureCounts& counts() const { return counts_; }
  [[nodiscard]] const IpFragments& fragments() const { return fragments_; }

  /// For reports. Any thread.
  [[nodiscard]] std::vector<Counter> counters() const;
  /// What the user should know about the capture, one sentence each. Any thread.
  [[nodiscard]] std::vector<std::string> warnings() const;

 private:
  [[nodiscard]] bool read_datagram(const CapturedPacket& packet, CapturedDatagram& datagram);

  const std::filesystem::path path_;
  CaptureCounts counts_;
  IpFragments fragments_;
  std::unique_ptr<CaptureRecords> records_;
};

}  // namespace takt::sensors
