#include "sensors/pcap/capture_file.hpp"

#include <algorithm>

#include <fmt/format.h>

#include "sensors/pcap/captured_ip.hpp"

namespace takt::sensors {

namespace {

constexpr std::size_t udp_header_bytes = 8, ipv4_addresses_bytes = 8;

/// Reports whether the checksum of a UDP datagram over IPv4 is right or absent. Source: RFC 768.
bool has_right_checksum(const IpPayload& payload) {
  if (payload.addresses.size() != ipv4_addresses_bytes ||
      capture_number(payload.bytes.subspan(6, 2), true) == 0)
    return true;
  std::uint64_t sum = protocol_udp + payload.bytes.size();
  for (const std::span<const std::byte> bytes : {payload.addresses, payload.bytes})
    for (std::size_t i = 0; i < bytes.size(); ++i)
      sum += std::to_integer<std::uint64_t>(bytes[i]) << (i % 2 == 0 ? 8 : 0);
  while (sum > 0xFFFF) sum = (sum & 0xFFFF) + (sum >> 16);
  return sum == 0xFFFF;
}

}  // namespace

CaptureFile::CaptureFile(std::filesystem::path path)
    : path_(std::move(path)), records_(open_capture(path_, counts_.records)) {}

bool CaptureFile::next(CapturedDatagram& datagram) {
  CapturedPacket packet;
  while (next_packet(packet))
    if (read_datagram(packet, datagram)) return true;
  fragments_.finish();
  return false;
}

bool CaptureFile::next_packet(CapturedPacket& packet) {
  if (is_damaged_) return false;
  try {
    return records_->next(packet);
  } catch (const CaptureDamage& damage) {
    damage_ = damage.what();
    is_damaged_ = true;
    return false;
  }
}

/// Returns whether the packet is a datagram, or completes one.
bool CaptureFile::read_datagram(const CapturedPacket& packet, CapturedDatagram& datagram) {
  if (!is_known_link(packet.link)) {
    if (counts_.other_links.value() == 0) counts_.other_link.set(packet.link);
    counts_.other_links.add();
    counts_.not_udp.add();
    return false;
  }
  IpPayload payload;
  IpVerdict verdict = read_ip(packet, payload);
  if (verdict == IpVerdict::good && payload.is_fragment) {
    if (payload.bytes.size() < payload.whole_bytes) return counts_.cut.add(), false;
    const std::optional<IpPayload> whole = fragments_.take(payload, packet.utc_ns);
    if (!whole) return false;
    payload = *whole;
    verdict = pass_extension_headers(payload);
    // Fragments of two incomplete datagrams with one identification. Senders leave checksums of whole
    // datagrams to the network card, but not those of fragmented ones.
    if (payload.protocol == protocol_udp && payload.bytes.size() >= udp_header_bytes &&
        !has_right_checksum(payload))
      return counts_.malformed.add(), false;
  }
  if (verdict == IpVerdict::good && payload.protocol == protocol_udp) {
    if (payload.whole_bytes < udp_header_bytes) return counts_.malformed.add(), false;
    if (payload.bytes.size() < udp_header_bytes) return counts_.cut.add(), false;
    const auto field = [&](std::size_t at) {
      return static_cast<std::size_t>(capture_number(payload.bytes.subspan(at, 2), true));
    };
    // 0 if the network card fills it in, or the datagram is too large for the field.
    std::size_t length = field(4);
    if (length == 0) length = payload.whole_bytes;
    if (length < udp_header_bytes || length > payload.whole_bytes) return counts_.malformed.add(), false;
    datagram.utc_ns = packet.utc_ns;
    datagram.port = static_cast<std::uint16_t>(field(2));
    datagram.bytes = payload.bytes.first(std::min(length, payload.bytes.size())).subspan(udp_header_bytes);
    datagram.whole_bytes = length - udp_header_bytes;
    return true;
  }
  if (verdict == IpVerdict::cut)
    counts_.cut.add();
  else if (verdict == IpVerdict::malformed)
    counts_.malformed.add();
  else
    counts_.not_udp.add();
  return false;
}

std::vector<Counter> CaptureFile::counters() const {
  return {{"captured_packets", "packets", counts_.records.packets.value()},
          {"captured_not_udp", "packets", counts_.not_udp.value()},
          {"captured_fragments", "packets", fragments_.fragments.value()},
          {"captured_reassembled", "datagrams", fragments_.reassembled.value()},
          {"capture_drops", "packets", counts_.records.dropped.value()},
          {"captured_without_time", "packets", counts_.records.without_time.value()},
          {"streams_cut_short", "streams", records_->fault().empty() && !is_damaged_ ? 0U : 1U},
          {"capture_ends_within_a_packet", "packets", counts_.records.cut_needs.value() > 0 ? 1U : 0U},
          {"refused_fragment", "packets", fragments_.unused.value()},
          {"refused_malformed", "packets", counts_.malformed.value()},
          {"refused_link_error", "packets", counts_.records.link_errors.value()}};
}

std::vector<std::string> CaptureFile::warnings() const {
  std::vector<std::string> all;
  const std::string name = path_.filename().string();
  const CaptureRecordCounts& records = counts_.records;
  if (records.cut_needs.value() > 0)
    all.push_back(
        fmt::format("{} ends within a packet: the record at byte {} has {} of {} bytes; the capture or its "
                    "copy is truncated",
                    name, records.cut_at.value(), records.cut_has.value(), records.cut_needs.value()));
  if (const std::string fault = records_->fault(); !fault.empty())
    all.push_back(fault + ": the data before it were read");
  if (is_damaged_) all.push_back(damage_ + ": the packets before it were read");
  if (const std::uint64_t count = records.without_time.value())
    all.push_back(
        fmt::format("{}: {} packets have no time in the capture (simple packet blocks): a stream without its "
                    "own times gets the times of reading",
                    name, count));
  if (const std::uint64_t count = records.dropped.value())
    all.push_back(fmt::format("{}: the capture program reports {} dropped packets: they are missing in it",
                              name, count));
  if (const std::uint64_t count = fragments_.unused.value())
    all.push_back(
        fmt::format("{}: {} of {} IP fragments form no complete datagram: other fragments are missing, cut, "
                    "or contradictory",
                    name, count, fragments_.fragments.value()));
  if (const std::uint64_t count = counts_.malformed.value())
    all.push_back(
        fmt::format("{}: {} packets have IP or UDP headers that contradict their length, or are datagrams of "
                    "fragments whose checksum is wrong",
                    name, count));
  if (const std::uint64_t count = records.link_errors.value())
    all.push_back(fmt::format("{}: {} packets were received with errors (CRC etc.)", name, count));
  if (const std::uint64_t count = counts_.other_links.value())
    all.push_back(
        fmt::format("{}: {} packets are of interfaces whose link type is not supported, such as "
                    "{}: expected {}",
                    name, count, counts_.other_link.value(), known_links()));
  if (const std::uint64_t count = records.unknown_blocks.value())
    all.push_back(fmt::format("{}: {} pcapng blocks of unknown type were skipped, the first of type {:#x}",
                              name, count, records.unknown_block.value()));
  return all;
}

}  // namespace takt::sensors
