/// pcap: a file header of 24 bytes, then records of 16 bytes and a packet. Source: draft-ietf-opsawg-pcap,
/// "PCAP Capture File Format".

#include <algorithm>
#include <array>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "core/error.hpp"
#include "sensors/pcap/capture_records.hpp"

namespace takt::sensors {

namespace {

constexpr std::uint32_t microseconds = 0xA1B2C3D4, nanoseconds = 0xA1B23C4D;
constexpr std::size_t file_header_bytes = 24, record_header_bytes = 16;
constexpr std::uint32_t major_version = 2, minor_version = 4;

class PcapRecords final : public CaptureRecords {
 public:
  PcapRecords(CaptureInput input, std::uint32_t magic, CaptureRecordCounts& counts)
      : input_(std::move(input)), counts_(counts) {
    if (magic != microseconds && magic != nanoseconds) {
      is_big_endian_ = true;
      magic = __builtin_bswap32(magic);
    }
    if (magic != microseconds && magic != nanoseconds)
      throw ConfigError(
          fmt::format("{}: not a pcap file: its first bytes are unknown: expected a1b2c3d4 or a1b23c4d "
                      "(pcap) or 0a0d0d0a (pcapng)",
                      input_.path().string()));
    fraction_ns_ = magic == nanoseconds ? 1 : 1000;
    read_file_header();
  }

  bool next(CapturedPacket& packet) override {
    const std::uint64_t begin = input_.at();
    std::array<std::byte, record_header_bytes> header{};
    const std::size_t count = input_.read(header);
    if (count == 0) return false;
    if (count < header.size()) return cut(begin, count, header.size());
    const auto field = [&](std::size_t number) {
      return static_cast<std::uint32_t>(
          capture_number(std::span(header).subspan(4 * number, 4), is_big_endian_));
    };
    const std::uint32_t captured = field(2), original = field(3);
    if (captured > largest_capture)
      input_.damaged(begin,
                     fmt::format("a packet of {} bytes: expected at most {}", captured, largest_capture));
    packet_.resize(captured);
    if (const std::size_t there = input_.read(packet_); there < captured)
      return cut(begin, count + there, header.size() + captured);
    counts_.packets.add();
    packet = {.utc_ns = std::int64_t{field(0)} * 1'000'000'000 + std::int64_t{field(1)} * fraction_ns_,
              .link = link_,
              .bytes = packet_,
              .cut_bytes = std::max(original, captured) - captured};
    return true;
  }

  [[nodiscard]] std::string fault() const override { return input_.fault(); }

 private:
  void read_file_header() {
    std::array<std::byte, file_header_bytes - 4> rest{};
    if (const std::size_t count = input_.read(rest); count < rest.size())
      throw ConfigError(fmt::format("{}: not a pcap file: it has {} bytes, a file header has {}",
                                    input_.path().string(), count + 4, file_header_bytes));
    const auto number = [&](std::size_t at, std::size_t bytes) {
      return static_cast<std::uint32_t>(
          capture_number(std::span(rest).subspan(at - 4, bytes), is_big_endian_));
    };
    // Earlier versions have the two lengths of a packet in the other order.
    if (number(4, 2) != major_version || number(6, 2) != minor_version)
      throw ConfigError(fmt::format("{}: a pcap file of version {}.{}: expected {}.{}",
                                    input_.path().string(), number(4, 2), number(6, 2), major_version,
                                    minor_version));
    // The next two words are reserved; above the link type are flags and the length of a frame check
    // sequence, which follows the IP packet.
    link_ = number(20, 4) & 0xFFFF;
    if (!is_known_link(link_))
      throw ConfigError(
          fmt::format("{}: a capture of link type {}: expected Ethernet, raw IP, loopback or Linux "
                      "cooked ({})",
                      input_.path().string(), link_, known_links()));
  }

  bool cut(std::uint64_t at, std::size_t there, std::size_t needed) {
    counts_.cut_at.set(at);
    counts_.cut_has.set(there);
    counts_.cut_needs.set(needed);
    return false;
  }

  CaptureInput input_;
  CaptureRecordCounts& counts_;
  bool is_big_endian_ = false;
  std::int64_t fraction_ns_ = 1000;
  std::uint32_t link_ = 0;
  std::vector<std::byte> packet_;
};

}  // namespace

std::unique_ptr<CaptureRecords> read_pcap(CaptureInput input, std::uint32_t magic,
                                          CaptureRecordCounts& counts) {
  return std::make_unique<PcapRecords>(std::move(input), magic, counts);
}

}  // namespace takt::sensors
