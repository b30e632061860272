#pragma once
/// Reader of UDP datagrams in pcap and pcapng files of tcpdump, dumpcap, Wireshark and similar programs.

#include <atomic>
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
  /// Nanoseconds since 1970, if the capture has times.
  std::optional<std::int64_t> utc_ns;
  /// Its destination port.
  std::uint16_t port = 0;
  /// The captured bytes; size on the wire.
  std::span<const std::byte> bytes;
  std::size_t whole_bytes = 0;
};

/// Counts of the packets that are not handed over. Thread-safe.
struct CaptureCounts {
  CaptureRecordCounts records;
  /// Other protocols than UDP over IP.
  Tally not_udp;
  /// Among these, packets of unknown link types, and the first of these types.
  Tally other_links, other_link;
  /// Truncated by the snapshot length before or in the UDP header, or truncated fragments.
  Tally cut;
  /// Headers that contradict one another or the packet's length; reassembled datagrams with a wrong
  /// checksum.
  Tally malformed;
};

class CaptureFile {
 public:
  /// Throws ConfigError if the file is not readable, is neither pcap nor pcapng, or has a link type without
  /// IP.
  explicit CaptureFile(std::filesystem::path path);

  /// Reads the next UDP datagram over IPv4 or IPv6, valid until the next call; reassembles fragments. Counts
  /// everything else. Returns false at the end, and before a damaged record, which `warnings` name. Throws
  /// WorkError if reading fails.
  [[nodiscard]] bool next(CapturedDatagram& datagram);

  [[nodiscard]] const std::filesystem::path& path() const { return path_; }
  [[nodiscard]] const CaptureCounts& counts() const { return counts_; }
  [[nodiscard]] const IpFragments& fragments() const { return fragments_; }

  /// Returns the counts for reports. Thread-safe.
  [[nodiscard]] std::vector<Counter> counters() const;
  /// Returns warnings about the capture, one sentence each. Thread-safe.
  [[nodiscard]] std::vector<std::string> warnings() const;

 private:
  [[nodiscard]] bool next_packet(CapturedPacket& packet);
  [[nodiscard]] bool read_datagram(const CapturedPacket& packet, CapturedDatagram& datagram);

  const std::filesystem::path path_;
  CaptureCounts counts_;
  IpFragments fragments_;
  std::unique_ptr<CaptureRecords> records_;
  /// Set once, then readable by any thread.
  std::string damage_;
  std::atomic<bool> is_damaged_ = false;
};

}  // namespace takt::sensors
