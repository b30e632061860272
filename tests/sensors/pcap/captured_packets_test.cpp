/// Captures as they occur in practice: coalesced, tagged, fragmented, truncated, of several interfaces.
/// Packets that are not handed over are counted by cause, and a warning names it.

#include <cmath>
#include <cstring>
#include <fstream>
#include <random>

#include <gmock/gmock.h>

#include "core/error.hpp"
#include "sensors/gnuradio/codec.hpp"
#include "sensors/lofar/codec.hpp"
#include "sensors/lofar/synthesis.hpp"
#include "sensors/packets/packet_file_source.hpp"
#include "sensors/pcap/recording.hpp"
#include "sensors/spead/synthesis.hpp"
#include "sensors/streams/wire_packets.hpp"
#include "sensors/streams/wire_synthesis.hpp"
#include "sensors/vdif/synthesis.hpp"
#include "tests/sensors/packets/packet_peers.hpp"
#include "tests/sensors/packets/packet_support.hpp"
#include "tests/sensors/pcap/captures.hpp"
#include "tests/support/compressed.hpp"
#include "tests/support/program.hpp"

namespace takt::sensors {
namespace pcap_captured_packets_test {

using test::ethernet_packet;
using test::ipv4_packet;
using test::ipv6_extension;
using test::ipv6_packet;
using test::pcap_file;
using test::pcap_record;
using test::PcapngBlocks;
using test::udp_packet;
using testing::AllOf;
using testing::Contains;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::Not;
using testing::ThrowsMessage;

/// A datagram of GNU Radio's UDP sink with a number: the floats 4 n, 4 n + 1, 4 n + 2, 4 n + 3.
std::string radio(std::uint64_t n) {
  std::string bytes;
  test::put(bytes, n + 1, 8, false);
  for (int i = 0; i < 4; ++i) {
    const auto value = static_cast<float>(4 * n + static_cast<std::uint64_t>(i));
    bytes.append(reinterpret_cast<const char*>(&value), sizeof value);
  }
  return bytes;
}

std::string radios(std::uint64_t first, std::uint64_t count) {
  std::string bytes;
  for (std::uint64_t n = first; n < first + count; ++n) bytes += radio(n);
  return bytes;
}

GnuradioUdpFormat radio_format(bool has_sequence = true) {
  GnuradioUdpFormat format;
  format.type.element = ElementType::float32;
  format.type.axes = {{"time", 8, {}}};
  format.type.rate_hz = 500;
  format.payload_bytes = 16;
  format.has_sequence = has_sequence;
  return format;
}

/// The output of a source of a capture.
struct Read {
  std::vector<float> values;
  std::int64_t first_utc_ns = 0;
  std::vector<Counter> counters;
  std::vector<std::string> warnings;
  std::string error;

  [[nodiscard]] std::uint64_t count(std::string_view name) const { return test::value_of(counters, name); }
};

PacketFileSource capture_source(const std::filesystem::path& path, const GnuradioUdpFormat& format) {
  return {{.recording = "x.pcap"}, gnuradio_packets(format, {.window = 8}, 0), [=] {
            return std::make_unique<PcapRecording>(PcapOptions{path, {2000}},
                                                   std::make_unique<GnuradioCodec>(format));
          }};
}

Read read_capture(const std::string& bytes, const GnuradioUdpFormat& format = radio_format()) {
  const test::TemporaryFolder folder;
  const std::filesystem::path path = folder / "x.pcap";
  std::ofstream(path, std::ios::binary) << bytes;
  PacketFileSource source = capture_source(path, format);
  Read read;
  source.start();
  try {
    for (const test::KeptFrame& frame : test::take_all(source)) {
      if (read.values.empty()) read.first_utc_ns = frame.header.utc_ns;
      std::vector<float> values(8);
      std::memcpy(values.data(), frame.bytes.data(), 8 * sizeof(float));
      read.values.insert(read.values.end(), values.begin(), values.end());
    }
  } catch (const std::exception& error) {
    read.error = error.what();
  }
  read.counters = source.counters().details;
  read.warnings = source.warnings();
  return read;
}

std::vector<float> counting(std::size_t count) {
  std::vector<float> values(count);
  for (std::size_t i = 0; i < count; ++i) values[i] = static_cast<float>(i);
  return values;
}

TEST(CoalescedCaptures, are_split_at_the_packet_length_of_the_format) {
  std::vector<std::string> packets;
  for (const auto& [first, count] : {std::pair{0, 5}, {5, 3}, {8, 1}, {9, 7}})
    packets.push_back(ethernet_packet(ipv4_packet(udp_packet(radios(first, count)))));
  const Read read = read_capture(pcap_file(packets));
  EXPECT_EQ(read.values, counting(64));
  EXPECT_EQ(read.count("captured_coalesced"), 3U);
  EXPECT_EQ(read.count("captured_split"), 15U);
  EXPECT_EQ(read.count("packets_received"), 16U);
  EXPECT_THAT(read.warnings, Contains(AllOf(HasSubstr("3 captured packets"), HasSubstr("split into 15"))));
}

TEST(CoalescedCaptures, without_numbers_are_split_from_two_payloads_on) {
  const std::string samples = [] {
    std::string bytes;
    for (const float value : counting(32)) bytes.append(reinterpret_cast<const char*>(&value), sizeof value);
    return bytes;
  }();
  const auto capture = [&](std::vector<std::size_t> sizes) {
    std::vector<std::string> packets;
    std::size_t at = 0;
    for (const std::size_t size : sizes) {
      packets.push_back(ethernet_packet(ipv4_packet(udp_packet(samples.substr(at, size)))));
      at += size;
    }
    return read_capture(pcap_file(packets), radio_format(false));
  };
  EXPECT_EQ(capture({16, 48, 64}).values, counting(32));
  // The last one is shorter, and no payload.
  const Read shorter = capture({64, 40, 16});
  EXPECT_EQ(shorter.count("refused_size"), 1U);
  EXPECT_EQ(shorter.count("packets_received"), 7U);
  // A length other than 'payload' does not cause a split.
  const Read other = capture({20, 20, 20});
  EXPECT_EQ(other.count("captured_coalesced"), 0U);
  EXPECT_THAT(other.error, HasSubstr("no good GNU Radio packet in x.pcap (refused: 3 by size)"));
}

TEST(CoalescedCaptures, are_not_split_at_another_length) {
  // Also whole multiples of the expected length: the numbers of the pieces are implausible.
  for (const std::size_t more : {1, 4, 12, 24, 48, 1000}) {
    std::vector<std::string> packets;
    for (std::uint64_t n = 0; n < 8; ++n)
      packets.push_back(ethernet_packet(ipv4_packet(udp_packet(radio(n) + std::string(more, '\x42')))));
    const Read read = read_capture(pcap_file(packets));
    EXPECT_THAT(read.error, HasSubstr("(refused: 8 by size)")) << more;
    EXPECT_THAT(read.values, IsEmpty()) << more;
  }
}

/// All packets of a stream, coalesced by `group` while they have one length; the last one of a group may be
/// shorter.
void expect_split(PacketStream& stream, std::unique_ptr<const PacketCodec> codec, std::size_t group) {
  std::vector<std::string> sent, packets;
  std::size_t length = 0, in_group = 0;
  for (int i = 0; i < 60; ++i) {
    const std::optional<LanePacket> packet = stream.next();
    if (!packet) break;
    sent.emplace_back(reinterpret_cast<const char*>(packet->bytes.data()), packet->bytes.size());
    const bool joins = in_group > 0 && in_group < group && sent.back().size() <= length;
    if (!joins) {
      packets.emplace_back();
      in_group = 0;
      length = sent.back().size();
    }
    packets.back() += sent.back();
    ++in_group;
    // The kernel ends a group with a shorter one.
    if (sent.back().size() < length) in_group = 0;
  }
  for (std::string& packet : packets) packet = ethernet_packet(ipv4_packet(udp_packet(packet)));
  const test::TemporaryFolder folder;
  const std::filesystem::path path = folder / "x.pcap";
  std::ofstream(path, std::ios::binary) << pcap_file(packets);
  PcapRecording recording({path, {2000}}, std::move(codec));
  std::vector<std::string> read;
  while (const std::optional<LanePacket> packet = recording.next())
    read.emplace_back(reinterpret_cast<const char*>(packet->bytes.data()), packet->bytes.size());
  ASSERT_LT(packets.size(), sent.size());
  EXPECT_EQ(read, sent);
}

TEST(CoalescedCaptures, of_every_format_yield_the_sent_packets) {
  for (const std::size_t group : {2, 3, 7}) {
    LofarSynthesis lofar({.format = test::small_format(1, 4), .second = 1'656'466'200, .packets = 40});
    expect_split(lofar, std::make_unique<LofarCodec>(200'000'000), group);
    VdifFormat vdif = test::peer_vdif();
    vdif.payload_bytes = 64;
    VdifSynthesis frames({.format = vdif, .second = 1'656'466'200, .packets = 40});
    expect_split(frames, std::make_unique<VdifCodec>(vdif), group);
    SpeadSynthesis heaps({.format = test::peer_spead(), .second = test::first_second_sent, .heaps = 10});
    expect_split(heaps, std::make_unique<SpeadCodec>(test::peer_spead(), 0), group);
    FrameType type;
    type.axes = {{"time", 100, {}}};
    type.rate_hz = 100;
    WireSynthesis messages({.type = type, .payload_bytes = 120});
    expect_split(messages, wire_codec(), group);
  }
}

TEST(CoalescedCaptures, lose_only_packets_with_damaged_headers) {
  LofarSynthesis stream({.format = test::small_format(1, 4), .second = 1'656'466'200, .packets = 12});
  std::vector<std::string> packets(4);
  const LofarCodec codec(200'000'000);
  for (int i = 0; i < 12; ++i) {
    const std::optional<LanePacket> packet = stream.next();
    std::vector<std::byte> bytes(packet->bytes.begin(), packet->bytes.end());
    // The first one of a group, and one within another: versions below 3.
    if (i == 3 || i == 7) bytes[0] = std::byte{1};
    packets[static_cast<std::size_t>(i / 3)].append(reinterpret_cast<const char*>(bytes.data()),
                                                    bytes.size());
  }
  for (std::string& packet : packets) packet = ethernet_packet(ipv4_packet(udp_packet(packet)));
  const test::TemporaryFolder folder;
  const std::filesystem::path path = folder / "x.pcap";
  std::ofstream(path, std::ios::binary) << pcap_file(packets);
  PcapRecording recording({path, {2000}}, std::make_unique<LofarCodec>(codec));
  std::size_t good = 0, all = 0;
  for (LofarHeader header; const std::optional<LanePacket> packet = recording.next(); ++all)
    good += judge(packet->bytes, test::small_format(1, 4), header) == LofarVerdict::good;
  EXPECT_EQ(all, 12U);
  EXPECT_EQ(good, 10U);
}

TEST(CapturedLinks, of_every_type_yield_the_datagrams) {
  const std::string zeros(8, '\0');
  const auto all = [](auto packet_of, std::uint32_t link) {
    std::vector<std::string> packets;
    for (std::uint64_t n = 0; n < 8; ++n) packets.push_back(packet_of(udp_packet(radio(n))));
    return pcap_file(packets, link);
  };
  const auto cooked = [](const std::string& ip, std::uint16_t type) {
    return std::string(14, '\0') + test::big16(type) + ip;
  };
  const std::vector<std::pair<const char*, std::string>> captures{
      {"three tags", all(
                         [](auto udp) {
                           return ethernet_packet(ipv4_packet(udp), 0x0800, {0x88A8, 0x8100, 0x8100});
                         },
                         1)},
      {"QinQ before 802.1ad", all(
                                  [](auto udp) {
                                    return ethernet_packet(ipv4_packet(udp), 0x0800, {0x9100, 0x8100});
                                  },
                                  1)},
      {"IPv6 behind tags",
       all([](auto udp) { return ethernet_packet(ipv6_packet(udp), 0x86DD, {0x8100}); }, 1)},
      {"hop-by-hop, routing, destination",
       all(
           [](auto udp) {
             return ethernet_packet(
                 ipv6_packet(ipv6_extension(43, ipv6_extension(60, ipv6_extension(17, udp, 1), 2)), 0),
                 0x86DD);
           },
           1)},
      {"authentication of IPv4", all(
                                     [](auto udp) {
                                       return ethernet_packet(ipv4_packet(
                                           ipv6_extension(17, std::string(4, '\0') + udp).replace(1, 1, "\1"),
                                           {.protocol = 51}));
                                     },
                                     1)},
      {"cooked with a tag",
       all([&](auto udp) { return cooked(std::string("\0\7\x08\0", 4) + ipv4_packet(udp), 0x8100); }, 113)},
      {"cooked 2",
       all([&](auto udp) { return test::big16(0x0800) + std::string(18, '\0') + ipv4_packet(udp); }, 276)},
      {"loopback of a little-endian host",
       all([](auto udp) { return std::string("\2\0\0\0", 4) + ipv4_packet(udp); }, 0)},
      {"loopback of OpenBSD",
       all([](auto udp) { return std::string("\0\0\0\x18", 4) + ipv6_packet(udp); }, 108)},
      {"raw IP", all([](auto udp) { return ipv4_packet(udp); }, 101)},
      {"raw IP of BSDs", all([](auto udp) { return ipv4_packet(udp); }, 12)},
      {"lengths that the network card fills in",
       all(
           [&](auto udp) {
             return ethernet_packet(
                 ipv4_packet(udp.replace(4, 2, std::string(2, '\0')), {.total_length = 0}));
           },
           1)}};
  for (const auto& [name, bytes] : captures) {
    const Read read = read_capture(bytes);
    EXPECT_EQ(read.values, counting(32)) << name << " " << read.error;
    EXPECT_THAT(read.warnings, IsEmpty()) << name;
  }
}

TEST(CapturedLinks, with_other_protocols_are_counted_and_skipped) {
  std::vector<std::string> packets;
  for (std::uint64_t n = 0; n < 8; ++n) {
    packets.push_back(ethernet_packet(ipv4_packet(udp_packet(radio(n)))));
    packets.push_back(ethernet_packet(ipv4_packet(udp_packet(radio(n)), {.protocol = 6})));
    packets.push_back(ethernet_packet(std::string(28, '\1'), 0x0806));
    packets.push_back(ethernet_packet(ipv4_packet(udp_packet("another port", 53))));
    packets.push_back(ethernet_packet(ipv4_packet(std::string("\0\1\7\xD0\0\x01\0\0", 8))));
  }
  const Read read = read_capture(pcap_file(packets));
  EXPECT_EQ(read.values, counting(32));
  EXPECT_EQ(read.count("captured_packets"), 40U);
  EXPECT_EQ(read.count("captured_not_udp"), 16U);
  EXPECT_EQ(read.count("captured_other_ports"), 8U);
  EXPECT_EQ(read.count("refused_malformed"), 8U);
  EXPECT_THAT(read.warnings, ElementsAre(HasSubstr("8 packets have IP or UDP headers that contradict")));
}

/// Returns the fragments of a datagram; all but the last one of `size` bytes.
std::vector<std::string> fragments_of(const std::string& udp, std::uint16_t identification, std::size_t size,
                                      bool is_ipv6 = false) {
  std::vector<std::string> fragments;
  for (std::size_t at = 0; at < udp.size(); at += size) {
    const bool more = at + size < udp.size();
    const std::string part = udp.substr(at, size);
    if (is_ipv6)
      fragments.push_back(
          ethernet_packet(ipv6_packet(std::string("\x11\0", 2) + test::big16(at | (more ? 1 : 0)) +
                                          std::string(2, '\0') + test::big16(identification) + part,
                                      44),
                          0x86DD));
    else
      fragments.push_back(ethernet_packet(
          ipv4_packet(part, {.identification = identification, .offset = at, .more_follow = more})));
  }
  return fragments;
}

TEST(CapturedFragments, are_reassembled_in_any_order_and_interleaved) {
  for (const bool is_ipv6 : {false, true}) {
    std::mt19937 random(5);
    std::vector<std::string> packets;
    for (std::uint64_t n = 0; n < 32; n += 4) {
      std::vector<std::string> some;
      for (std::uint64_t k = n; k < n + 4; ++k)
        for (std::string& fragment :
             fragments_of(udp_packet(radio(k)), static_cast<std::uint16_t>(k), 8, is_ipv6))
          some.push_back(std::move(fragment));
      std::ranges::shuffle(some, random);
      packets.insert(packets.end(), some.begin(), some.end());
    }
    const Read read = read_capture(pcap_file(packets));
    EXPECT_EQ(read.values, counting(128));
    EXPECT_EQ(read.count("captured_fragments"), 128U);
    EXPECT_EQ(read.count("captured_reassembled"), 32U);
    EXPECT_EQ(read.count("refused_fragment"), 0U);
  }
}

TEST(CapturedFragments, of_incomplete_datagrams_are_refused_and_reported) {
  std::vector<std::string> packets;
  for (std::uint64_t n = 0; n < 16; ++n) {
    std::vector<std::string> fragments =
        fragments_of(udp_packet(radio(n)), static_cast<std::uint16_t>(n), 16);
    // One datagram lacks its second half, another one its first; a third one is duplicated.
    if (n == 4) fragments.erase(fragments.begin() + 1);
    if (n == 9) fragments.erase(fragments.begin());
    if (n == 12) fragments.insert(fragments.begin(), fragments.front());
    packets.insert(packets.end(), fragments.begin(), fragments.end());
  }
  const Read read = read_capture(pcap_file(packets));
  EXPECT_EQ(read.count("captured_reassembled"), 14U);
  EXPECT_EQ(read.count("packets_received"), 14U);
  EXPECT_EQ(read.count("packets_lost"), 2U);
  EXPECT_EQ(read.count("refused_fragment"), 3U);
  EXPECT_THAT(read.warnings, Contains(HasSubstr("3 of 31 IP fragments form no complete datagram")));
}

/// Returns the record of a packet, which was captured some seconds after the others.
std::string later(const std::string& packet, int seconds) {
  std::string record = pcap_record(packet);
  record[0] = static_cast<char>(record[0] + seconds);
  return record;
}

TEST(CapturedFragments, with_equal_identifications_are_not_combined) {
  const auto halves = [](std::uint64_t n) { return fragments_of(udp_packet(radio(n)), 7, 16); };
  // Two datagrams at one time: nothing tells whose second half is whose.
  for (const bool is_interleaved : {false, true}) {
    std::string file = test::capture_header({});
    for (const std::string& fragment :
         is_interleaved ? std::vector{halves(0)[0], halves(1)[0], halves(0)[1], halves(1)[1]}
                        : std::vector{halves(0)[0], halves(1)[0], halves(1)[1]})
      file += pcap_record(fragment);
    // After more than a second the identification is used again.
    for (const std::string& fragment : halves(2)) file += later(fragment, 2);
    const Read read = read_capture(file);
    EXPECT_EQ(read.count("packets_received"), 1U);
    EXPECT_EQ(read.count("refused_fragment"), is_interleaved ? 4U : 3U);
    EXPECT_EQ(std::vector(read.values.begin(), read.values.begin() + 4), (std::vector<float>{8, 9, 10, 11}));
  }
  // One lacks its second half, the next one its first: the checksum reveals it.
  const std::string first = udp_packet(radio(0)), second = udp_packet(radio(1));
  const auto with_checksum = [](std::string udp) {
    // Over the addresses 10.0.0.1 and 10.0.0.2, the protocol and the length; then over all words.
    std::uint64_t sum = 0x0A00 + 0x0001 + 0x0A00 + 0x0002 + 17 + udp.size();
    for (std::size_t i = 0; i < udp.size(); i += 2)
      sum += static_cast<std::uint64_t>(static_cast<unsigned char>(udp[i])) << 8 |
             static_cast<unsigned char>(udp[i + 1]);
    while (sum > 0xFFFF) sum = (sum & 0xFFFF) + (sum >> 16);
    return udp.replace(6, 2, test::big16(0xFFFF - sum));
  };
  const std::string one = fragments_of(with_checksum(first), 7, 16)[0];
  const std::string other = fragments_of(with_checksum(second), 7, 16)[1];
  EXPECT_THAT(read_capture(pcap_file({one, other})).error, HasSubstr("are not UDP"));
  EXPECT_EQ(read_capture(pcap_file(fragments_of(with_checksum(first), 7, 16))).count("packets_received"), 1U);
  // The second half of a datagram more than a second after its first half belongs to another one.
  EXPECT_THAT(
      read_capture(test::capture_header({}) + pcap_record(halves(0)[0]) + later(halves(0)[1], 2)).error,
      HasSubstr("2 of 2 IP fragments"));
}

TEST(CapturedFragments, use_bounded_memory) {
  IpFragments fragments;
  const std::vector<std::byte> bytes(65'000);
  for (std::uint32_t i = 0; i < 5000; ++i)
    EXPECT_FALSE(fragments.take({.protocol = 17,
                                 .bytes = std::span(bytes).first(i % 2 == 0 ? 8 : 64),
                                 .whole_bytes = i % 2 == 0 ? 8U : 64U,
                                 .is_fragment = true,
                                 .more_follow = true,
                                 .offset = 65'000,
                                 .identification = i,
                                 .addresses = std::span(bytes).first(8)},
                                {}));
  EXPECT_EQ(fragments.unused.value(), 5000U - 64U);
  fragments.finish();
  EXPECT_EQ(fragments.unused.value(), 5000U);
}

TEST(CutCaptures, truncated_by_the_snapshot_length_are_refused_with_the_missing_bytes) {
  std::string bytes = test::capture_header({});
  for (std::uint64_t n = 0; n < 8; ++n)
    bytes += pcap_record(ethernet_packet(ipv4_packet(udp_packet(radio(n)))), 60);
  const Read read = read_capture(bytes);
  EXPECT_THAT(read.error, AllOf(HasSubstr("no good GNU Radio packet in x.pcap"), HasSubstr("8 by cut"),
                                HasSubstr("18 of 24 bytes"), HasSubstr("tcpdump -s 0")));
  EXPECT_EQ(read.count("refused_cut"), 8U);
  EXPECT_EQ(read.count("refused_size"), 0U);
  // One truncated within its headers among valid ones, and one that only lacks Ethernet's padding.
  bytes = test::capture_header({});
  for (std::uint64_t n = 0; n < 8; ++n) {
    const std::string packet = ethernet_packet(ipv4_packet(udp_packet(radio(n))));
    bytes += n == 2 ? pcap_record(packet, 38) : pcap_record(packet + "padding", packet.size());
  }
  const Read most = read_capture(bytes);
  EXPECT_EQ(most.count("refused_cut"), 1U);
  EXPECT_EQ(most.count("packets_received"), 7U);
  EXPECT_EQ(most.count("packets_lost"), 1U);
  EXPECT_THAT(most.warnings,
              Contains(HasSubstr("1 packets are cut by the capture's snapshot length within")));
}

TEST(CutCaptures, of_coalesced_datagrams_yield_the_complete_packets) {
  const std::string packet = ethernet_packet(ipv4_packet(udp_packet(radios(0, 8))));
  const Read read = read_capture(test::capture_header({}) + pcap_record(packet, packet.size() - 30));
  EXPECT_EQ(read.count("packets_received"), 6U);
  EXPECT_EQ(read.count("refused_cut"), 1U);
  EXPECT_EQ(read.count("refused_size"), 0U);
}

TEST(CutCaptures, that_end_within_a_record_report_the_offset) {
  std::vector<std::string> packets;
  for (std::uint64_t n = 0; n < 8; ++n) packets.push_back(ethernet_packet(ipv4_packet(udp_packet(radio(n)))));
  const std::string whole = pcap_file(packets), one = pcap_record(packets[0]);
  EXPECT_THAT(read_capture(whole).warnings, IsEmpty());
  for (const std::size_t there : {1, 15, 16, 30}) {
    const Read read = read_capture(whole + one.substr(0, there));
    EXPECT_EQ(read.values, counting(32));
    EXPECT_EQ(read.count("capture_ends_within_a_packet"), 1U);
    EXPECT_THAT(read.warnings, ElementsAre(AllOf(HasSubstr("x.pcap ends within a packet"),
                                                 HasSubstr("at byte " + std::to_string(whole.size()) +
                                                           " has " + std::to_string(there) + " of "))));
  }
}

TEST(Pcapng, of_several_sections_and_interfaces_has_their_times_and_byte_orders) {
  constexpr std::int64_t second = 1'700'000'000;
  std::string bytes;
  std::uint64_t n = 0;
  for (const bool is_big_endian : {false, true}) {
    const PcapngBlocks blocks(is_big_endian);
    bytes += blocks.section();
    // Microseconds; nanoseconds with an offset; 2^-20 s; raw IP between Ethernet.
    bytes += blocks.interface(1, blocks.option(2, "eth0") + blocks.option(0, ""));
    bytes += blocks.block(4, "names of hosts");
    bytes += blocks.interface(1, blocks.option(9, "\x09") + blocks.option(14, blocks.number(second - 5, 8)));
    bytes += blocks.interface(101, blocks.option(9, "\x94"));
    bytes += blocks.block(0x0BAD, blocks.number(32473, 4) + "a custom block");
    const auto add = [&](std::uint32_t interface, std::uint64_t ticks) {
      const std::string ip = ipv4_packet(udp_packet(radio(n++)));
      bytes += blocks.packet(interface, ticks, interface == 2 ? ip : ethernet_packet(ip));
    };
    add(0, second * 1'000'000 + 250'000);
    add(1, 5'250'000'001);
    add(2, (static_cast<std::uint64_t>(second) << 20) + (1 << 18) + 1);
    add(0, second * 1'000'000 + 250'003);
  }
  const Read read = read_capture(bytes);
  EXPECT_EQ(read.error, "");
  EXPECT_EQ(read.values, counting(32));
  EXPECT_THAT(read.warnings, IsEmpty());

  const test::TemporaryFolder folder;
  std::ofstream(folder / "x.pcapng", std::ios::binary) << bytes;
  CaptureFile file(folder / "x.pcapng");
  CapturedDatagram datagram;
  std::vector<std::int64_t> since;
  while (file.next(datagram)) since.push_back(*datagram.utc_ns - second * 1'000'000'000 - 250'000'000);
  EXPECT_THAT(since, ElementsAre(0, 1, 953, 3000, 0, 1, 953, 3000));
}

TEST(Pcapng, counts_drops_of_the_capture_program_and_link_errors) {
  const PcapngBlocks blocks;
  const auto packet = [&](std::uint64_t n, const std::string& options = {}) {
    return blocks.packet(0, 1'700'000'000'000'000 + n, ethernet_packet(ipv4_packet(udp_packet(radio(n)))),
                         options);
  };
  const auto statistics = [&](std::uint64_t interface_drops, std::uint64_t system_drops) {
    return blocks.block(5, blocks.number(0, 12) + blocks.option(5, blocks.number(interface_drops, 8)) +
                               blocks.option(7, blocks.number(system_drops, 8)));
  };
  std::string bytes = blocks.section() + blocks.interface(1);
  bytes += packet(0);
  bytes += packet(1, blocks.option(2, blocks.number(0x01000000, 4)));
  bytes += packet(2, blocks.option(4, blocks.number(3, 8)));
  // Statistics are totals: the later ones count, and include the packets' drops.
  bytes += statistics(2, 2) + packet(3) + statistics(4, 3) + blocks.block(0x77, "of the future");
  const Read read = read_capture(bytes);
  EXPECT_EQ(read.count("capture_drops"), 7U);
  EXPECT_EQ(read.count("refused_link_error"), 1U);
  EXPECT_EQ(read.count("packets_received"), 3U);
  EXPECT_THAT(read.warnings, Contains(HasSubstr("reports 7 dropped packets")));
  EXPECT_THAT(read.warnings, Contains(HasSubstr("1 packets were received with errors")));
  EXPECT_THAT(read.warnings, Contains(HasSubstr("the first of type 0x77")));
}

TEST(Pcapng, simple_and_obsolete_packets_are_read) {
  const PcapngBlocks blocks(true);
  std::string bytes = blocks.section() + blocks.interface(1, {}, 70);
  for (std::uint64_t n = 0; n < 8; ++n) {
    const std::string packet = ethernet_packet(ipv4_packet(udp_packet(radio(n))));
    if (n % 2 == 0)
      bytes += blocks.simple_packet(packet, packet.size());
    else
      bytes +=
          blocks.block(2, blocks.number(0, 2) + blocks.number(0xFFFF, 2) + blocks.number(0, 8) +
                              blocks.number(packet.size(), 4) + blocks.number(packet.size(), 4) + packet);
  }
  // The interface's snapshot length truncates simple packets.
  const std::string longer = ethernet_packet(ipv4_packet(udp_packet(std::string(100, 'x'))));
  bytes += blocks.simple_packet(longer.substr(0, 70), longer.size());
  const Read read = read_capture(bytes);
  EXPECT_EQ(read.values, counting(32));
  EXPECT_EQ(read.count("refused_cut"), 1U);
  EXPECT_EQ(read.count("captured_without_time"), 5U);
  EXPECT_THAT(read.warnings, Contains(HasSubstr("5 packets have no time in the capture")));
}

TEST(CompressedCaptures, are_decompressed_and_truncated_ones_reported) {
  std::vector<std::string> packets;
  for (std::uint64_t n = 0; n < 8; ++n) packets.push_back(ethernet_packet(ipv4_packet(udp_packet(radio(n)))));
  const PcapngBlocks blocks;
  std::string sections = blocks.section() + blocks.interface(1);
  for (const std::string& packet : packets) sections += blocks.packet(0, 1, packet);
  for (const std::string& bytes : {pcap_file(packets), sections}) {
    EXPECT_EQ(read_capture(test::gzipped(bytes)).values, counting(32));
    EXPECT_EQ(read_capture(test::zstd_compressed(bytes)).values, counting(32));
  }
  const std::string whole = test::gzipped(pcap_file(packets));
  const Read cut = read_capture(whole.substr(0, whole.size() - 8));
  EXPECT_EQ(cut.count("streams_cut_short"), 1U);
  EXPECT_THAT(cut.warnings, Contains(HasSubstr("the gzip stream is cut short")));
}

TEST(PacketFileSource, detects_a_capture_without_valid_packets_before_a_run) {
  const test::TemporaryFolder folder;
  const auto check = [&](const std::string& payload) {
    const std::vector<std::string> packets(3, ethernet_packet(ipv4_packet(udp_packet(payload))));
    const PacketFileSource source = capture_source(folder.file("x.pcap", pcap_file(packets)), radio_format());
    source.check();
  };
  check(radio(0));
  EXPECT_THAT(
      [&] { check(radio(0) + "four"); },
      ThrowsMessage<ConfigError>(AllOf(HasSubstr("no good GNU Radio packet in x.pcap (refused: 3 by size)"),
                                       HasSubstr("datagrams have 28 bytes: expected 24"))));
}

TEST(Pcapng, packets_of_links_that_are_not_known_are_named) {
  const PcapngBlocks blocks;
  std::string bytes = blocks.section() + blocks.interface(105) + blocks.interface(1);
  for (std::uint64_t n = 0; n < 8; ++n) {
    bytes += blocks.packet(0, n, "802.11");
    bytes += blocks.packet(1, n, ethernet_packet(ipv4_packet(udp_packet(radio(n)))));
  }
  const Read read = read_capture(bytes);
  EXPECT_EQ(read.values, counting(32));
  EXPECT_THAT(read.warnings,
              Contains(AllOf(HasSubstr("8 packets are of interfaces"), HasSubstr("such as 105"))));
}

TEST(Pcapng, damage_is_named_with_its_byte) {
  const PcapngBlocks blocks;
  const std::string begin = blocks.section() + blocks.interface(1);
  const std::string good = blocks.packet(0, 1, ethernet_packet(ipv4_packet(udp_packet(radio(0)))));
  const std::string at = "damaged at byte " + std::to_string(begin.size()) + ": ";
  const auto error_of = [&](const std::string& more) { return read_capture(begin + more).error; };
  const Read damaged =
      read_capture(begin + good + blocks.packet(0, 2, ethernet_packet(ipv4_packet(udp_packet(radio(1))))) +
                   blocks.packet(3, 1, "x") + good);
  EXPECT_EQ(damaged.error, "");
  EXPECT_EQ(damaged.values, counting(8));
  EXPECT_EQ(damaged.count("streams_cut_short"), 1U);
  EXPECT_THAT(damaged.warnings,
              Contains(HasSubstr(
                  "interface 3 is not described: expected less than 1: the packets before it were read")));
  EXPECT_THAT(error_of(blocks.packet(3, 1, "x")), HasSubstr(at + "interface 3 is not described"));
  EXPECT_THAT(error_of(good.substr(0, good.size() - 1) + "\7"), HasSubstr(at + "a block of "));
  EXPECT_THAT(error_of(blocks.number(6, 4) + blocks.number(13, 4)), HasSubstr(at + "a block of 13 bytes"));
  EXPECT_THAT(error_of(blocks.number(6, 4) + blocks.number(1U << 30, 4)),
              HasSubstr(at + "a block of 1073741824"));
  EXPECT_THAT(error_of(blocks.packet(0, ~std::uint64_t{0}, "x")), HasSubstr("beyond the year 2262"));
  EXPECT_THAT(error_of(blocks.interface(1, blocks.option(9, "12"))),
              HasSubstr("option 9 of 2 bytes: expected 1"));
  EXPECT_THAT(error_of(blocks.interface(1, blocks.number(9, 2) + blocks.number(60, 2))),
              HasSubstr("option 9 of 60 bytes is longer than its block"));
  const Read cut = read_capture(begin + good + good.substr(0, 40));
  EXPECT_THAT(cut.warnings, Contains(HasSubstr("ends within a packet: the record at byte " +
                                               std::to_string(begin.size() + good.size()) + " has 40 of ")));
}

TEST(Pcapng, changed_bytes_are_read_or_refused_and_nothing_else) {
  std::mt19937_64 random(12);
  const test::TemporaryFolder folder;
  for (int round = 0; round < 600; ++round) {
    const PcapngBlocks blocks(round % 2 == 0);
    std::string bytes = blocks.section() + blocks.interface(1, blocks.option(9, "\x09"));
    for (std::uint64_t n = 0; n < 3; ++n)
      for (const std::string& fragment : fragments_of(udp_packet(radio(n)), 1, 16, round % 3 == 0))
        bytes += blocks.packet(0, n, fragment);
    bytes += blocks.simple_packet(ethernet_packet(ipv4_packet(udp_packet(radio(4)))), 66) +
             blocks.block(5, blocks.number(0, 12) + blocks.option(5, blocks.number(1, 8)));
    for (int i = 0; i < 6; ++i) bytes[48 + random() % (bytes.size() - 48)] = static_cast<char>(random());
    std::ofstream(folder / "x.pcapng", std::ios::binary) << bytes;
    CaptureFile file(folder / "x.pcapng");
    CapturedDatagram datagram;
    while (file.next(datagram)) ASSERT_LE(datagram.bytes.size(), datagram.whole_bytes);
  }
}

}  // namespace pcap_captured_packets_test
}  // namespace takt::sensors
