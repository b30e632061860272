/// Tests that a capture yields the packets that a receiver would have received, for any capture program.

#include <array>
#include <fstream>
#include <random>

#include <gmock/gmock.h>

#include "core/error.hpp"
#include "sensors/gnuradio/codec.hpp"
#include "sensors/lofar/builder.hpp"
#include "sensors/lofar/codec.hpp"
#include "sensors/lofar/synthesis.hpp"
#include "sensors/packets/packet_file_source.hpp"
#include "sensors/pcap/recording.hpp"
#include "tests/sensors/packets/packet_support.hpp"
#include "tests/sensors/pcap/captures.hpp"
#include "tests/support/program.hpp"

namespace takt::sensors {
namespace pcap_pcap_test {

using test::CaptureStyle;
using testing::HasSubstr;
using testing::ThrowsMessage;

std::filesystem::path write_capture(const test::TemporaryFolder& folder, const std::string& bytes) {
  const std::filesystem::path path = folder / "x.pcap";
  std::ofstream(path, std::ios::binary) << bytes;
  return path;
}

TEST(Pcap, a_capture_yields_the_frames_of_the_stream_byte_for_byte) {
  const test::TemporaryFolder folder;
  LofarFormat format = test::small_format(2, 4);
  for (const CaptureStyle& style :
       {CaptureStyle{}, CaptureStyle{.is_big_endian = true, .has_nanoseconds = true, .has_vlan = true},
        CaptureStyle{.is_ipv6 = true}, CaptureStyle{.link = 113},
        CaptureStyle{.is_ipv6 = true, .link = 101}}) {
    const PacketFormat packets = lofar_packets(format, {}, 0);
    FrameQueue queue(64, packets.type.size());
    const auto builder = packets.make_builder(queue);
    LofarSynthesis stream({.format = format, .second = 1'656'466'200, .packets = 100});
    std::string bytes = test::capture_header(style);
    while (const auto packet = stream.next()) {
      (void)builder->take(packet->lane, packet->bytes, 0);
      bytes += test::captured(style, static_cast<std::uint16_t>(16130 + packet->lane),
                              {reinterpret_cast<const char*>(packet->bytes.data()), packet->bytes.size()});
      bytes += test::captured(style, 53, "not of the stream");
    }
    builder->finish(0);
    const PcapOptions options{
        write_capture(folder, bytes + test::captured(style, 16130, "cut off").substr(0, 30)), {16130, 16131}};
    PacketFileSource source({}, packets, [&] {
      return std::make_unique<PcapRecording>(options, std::make_unique<LofarCodec>(format.clock_hz));
    });
    source.start();
    const auto expected = test::take_all(queue), frames = test::take_all(source);
    ASSERT_EQ(frames.size(), 25u) << "link " << style.link;
    for (std::size_t i = 0; i < frames.size(); ++i) EXPECT_EQ(frames[i].bytes, expected[i].bytes);
    CaptureFile file(options.file);
    CapturedDatagram datagram;
    ASSERT_TRUE(file.next(datagram));
    EXPECT_EQ(datagram.utc_ns, 1'656'466'200'000'000'000 + 123'456 * (style.has_nanoseconds ? 1 : 1000));
    ASSERT_TRUE(file.next(datagram));
    EXPECT_EQ(datagram.bytes.size(), 17u) << "without Ethernet's padding";
  }
}

TEST(Pcap, gnu_radio_frames_have_the_times_of_the_capture) {
  const test::TemporaryFolder folder;
  GnuradioSynthesisOptions options;
  options.format.type.axes = {{"time", 40, {}}};
  options.format.type.element = ElementType::complex_float32;
  options.format.type.rate_hz = 100;
  options.format.payload_bytes = 80;
  GnuradioSynthesis stream(options);
  std::string bytes = test::capture_header({});
  for (int i = 0; i < 41; ++i) {
    const auto packet = stream.next();
    // Four datagrams per frame; one is lost.
    if (i == 21) continue;
    bytes +=
        test::captured({}, 2000, {reinterpret_cast<const char*>(packet->bytes.data()), packet->bytes.size()});
  }
  const PacketFormat packets = gnuradio_packets(options.format, {.window = 8}, 0);
  const PcapOptions capture{write_capture(folder, bytes), {2000}};
  for (int run = 0; run < 2; ++run) {
    PacketFileSource source({}, packets, [&] {
      return std::make_unique<PcapRecording>(capture, std::make_unique<GnuradioCodec>(options.format));
    });
    source.start();
    const auto frames = test::take_all(source);
    ASSERT_EQ(frames.size(), 11u);
    EXPECT_EQ(test::value_of(source.counters().details, "packets_lost"), 1u);
    // The capture's time at any time of reading: the first datagram's, to the accuracy of one datagram.
    EXPECT_NEAR(static_cast<double>(frames[0].header.utc_ns - 1'656'466'200'123'456'000), 0, 2.5e6);
    EXPECT_EQ(frames[10].header.utc_ns - frames[0].header.utc_ns, 100'000'000);
  }
}

TEST(Pcap, errors_describe_the_fault_of_a_file) {
  const test::TemporaryFolder folder;
  const auto open = [&](const std::string& bytes) { CaptureFile file(write_capture(folder, bytes)); };
  EXPECT_THAT([&] { open("no"); }, ThrowsMessage<ConfigError>(HasSubstr("not a capture: 2 bytes")));
  EXPECT_THAT([&] { open("not a capture"); }, ThrowsMessage<ConfigError>(HasSubstr("not a pcap file")));
  EXPECT_THAT([&] { open(test::capture_header({}).substr(0, 20)); },
              ThrowsMessage<ConfigError>(HasSubstr("it has 20 bytes, a file header has 24")));
  EXPECT_THAT([&] { open(test::capture_header({}).replace(6, 1, "\2")); },
              ThrowsMessage<ConfigError>(HasSubstr("version 2.2: expected 2.4")));
  EXPECT_THAT(
      [&] { open(std::string("\x0A\x0D\x0D\x0A", 4) + std::string(40, '\0')); },
      ThrowsMessage<ConfigError>(HasSubstr("damaged at byte 0: a section whose byte order is 00000000")));
  EXPECT_THAT([&] { open(test::capture_header({.link = 105})); },
              ThrowsMessage<ConfigError>(HasSubstr("link type 105")));
  EXPECT_THAT([] { CaptureFile file("/nowhere/x.pcap"); },
              ThrowsMessage<ConfigError>(HasSubstr("/nowhere/x.pcap: cannot read the file")));
  const PcapOptions options{write_capture(folder, test::capture_header({}) + test::captured({}, 4201, "x")),
                            {4200}};
  PcapRecording recording(options, std::make_unique<LofarCodec>(200'000'000));
  EXPECT_THAT([&] { (void)recording.next(); },
              ThrowsMessage<WorkError>(HasSubstr("to port 4200; there are datagrams to 4201 (1)")));
  std::string damaged = test::capture_header({}) + test::captured({}, 4201, "x");
  damaged[test::capture_header({}).size() + 11] = '\x7F';
  CaptureFile file(write_capture(folder, damaged));
  CapturedDatagram datagram;
  EXPECT_FALSE(file.next(datagram));
  EXPECT_THAT(file.warnings(), Contains(HasSubstr("damaged at byte 24: a packet of 2130706492 bytes")));
}

TEST(Pcap, random_bytes_are_read_or_refused_and_nothing_else) {
  const test::TemporaryFolder folder;
  std::mt19937_64 random(11);
  for (int round = 0; round < 400; ++round) {
    const CaptureStyle style{.is_ipv6 = round % 2 == 0,
                             .has_vlan = round % 3 == 0,
                             .link = std::array<std::uint32_t, 4>{1, 113, 101, 276}[round % 4]};
    std::string bytes = test::capture_header(style);
    for (int i = 0; i < 5; ++i) bytes += test::captured(style, 4201, std::string(random() % 60, 'x'));
    for (int i = 0; i < 12; ++i) bytes[24 + random() % (bytes.size() - 24)] = static_cast<char>(random());
    CaptureFile file(write_capture(folder, bytes));
    CapturedDatagram datagram;
    while (file.next(datagram)) ASSERT_LE(datagram.bytes.size(), bytes.size());
  }
}

}  // namespace pcap_pcap_test
}  // namespace takt::sensors
