/// Tests that datagrams of GNU Radio's UDP sink are placed by their numbers.

#include "sensors/gnuradio/builder.hpp"

#include <cmath>
#include <cstring>

#include <gmock/gmock.h>

#include "sensors/emulator/fault_injector.hpp"
#include "sensors/gnuradio/codec.hpp"
#include "sensors/option_error.hpp"
#include "tests/sensors/packets/packet_support.hpp"

namespace takt::sensors {
namespace gnuradio_builder_test {

GnuradioUdpFormat gnuradio_format(ElementType element, bool has_sequence) {
  GnuradioUdpFormat format;
  format.type.element = element;
  format.type.axes = {{"beamlet", 1, {}}, {"time", 40, {}}, {"polarisation", 1, {}}};
  format.type.rate_hz = 100;
  // 10 samples of 4 bytes: 4 datagrams per frame.
  format.payload_bytes = 40;
  format.has_sequence = has_sequence;
  return format;
}

test::Bytes datagram(std::uint64_t number, bool has_sequence) {
  test::Bytes bytes(has_sequence ? 48 : 40);
  if (has_sequence) std::memcpy(bytes.data(), &number, sizeof number);
  for (std::size_t i = 0; i < 10; ++i) {
    const auto value = static_cast<float>(number * 10 + i);
    std::memcpy(bytes.data() + bytes.size() - 40 + i * 4, &value, sizeof value);
  }
  return bytes;
}

TEST(GnuradioUdp, numbers_determine_places_and_losses) {
  const PacketFormat packets =
      gnuradio_packets(gnuradio_format(ElementType::float32, true), {.window = 8}, 0);
  FrameQueue queue(100, packets.type.size());
  const auto builder = packets.make_builder(queue);
  std::size_t good = 0;
  for (std::uint64_t number = 1; number <= 100; ++number) {
    if (number == 50) continue;
    // Two neighbours are exchanged.
    const std::uint64_t sent = number == 60 ? 61 : number == 61 ? 60 : number;
    good += builder->take(0, datagram(sent, true), 0) ? 1 : 0;
  }
  for (int i = 0; i < 3; ++i) EXPECT_FALSE(builder->take(0, {}, 0));
  EXPECT_FALSE(builder->take(0, datagram(1, false), 0));
  builder->finish(0);
  const auto frames = test::take_all(queue);
  ASSERT_EQ(frames.size(), 25U);
  for (const test::KeptFrame& frame : frames) {
    const auto* const values = reinterpret_cast<const float*>(frame.bytes.data());
    for (std::size_t i = 0; i < 40; ++i) {
      const std::size_t sample = frame.header.sequence * 40 + i + 10;
      if (sample / 10 == 50) {
        EXPECT_TRUE(std::isnan(values[i]));
      } else {
        ASSERT_EQ(values[i], static_cast<float>(sample));
      }
    }
    if (frame.header.sequence > 0) {
      EXPECT_EQ(frame.header.utc_ns - frames[0].header.utc_ns,
                static_cast<std::int64_t>(frame.header.sequence) * 10'000'000);
    }
  }
  const auto details = builder->counters().details;
  EXPECT_EQ(good, 99U);
  EXPECT_EQ(test::value_of(details, "packets_lost"), 1U);
  EXPECT_EQ(test::value_of(details, "end_marks"), 3U);
  EXPECT_EQ(test::value_of(details, "refused_size"), 1U);
}

TEST(GnuradioUdp, without_numbers_samples_are_in_arrival_order_and_integers_flagged) {
  const PacketFormat packets =
      gnuradio_packets(gnuradio_format(ElementType::complex_int16, false), {.window = 8}, 0);
  EXPECT_EQ(packets.type.parts, (std::vector<std::size_t>{1, 4}));
  FrameQueue queue(100, packets.type.size());
  const auto builder = packets.make_builder(queue);
  for (std::uint64_t number = 1; number <= 30; ++number) (void)builder->take(0, datagram(number, false), 0);
  builder->finish(0);
  const auto frames = test::take_all(queue);
  ASSERT_EQ(frames.size(), 8U);
  // The last frame has 2 of its 4 datagrams.
  EXPECT_EQ(frames[7].bytes[160 + 1], std::byte{0});
  EXPECT_EQ(frames[7].bytes[160 + 2], std::byte{1});
  EXPECT_EQ(std::memcmp(frames[3].bytes.data() + 40, datagram(14, false).data(), 40), 0);
}

/// As sent by a flow graph that divides by 0: in a complete frame, and in one with a lost datagram.
TEST(GnuradioUdp, samples_that_are_not_numbers_are_missing) {
  const PacketFormat packets =
      gnuradio_packets(gnuradio_format(ElementType::float32, true), {.window = 8}, 0);
  FrameQueue queue(100, packets.type.size());
  const auto builder = packets.make_builder(queue);
  for (std::uint64_t number = 1; number <= 16; ++number) {
    if (number == 9) continue;
    test::Bytes bytes = datagram(number, true);
    const float value = std::nanf("");
    if (number == 3 || number == 12) std::memcpy(bytes.data() + 20, &value, sizeof value);
    (void)builder->take(0, bytes, 0);
  }
  builder->finish(0);
  const auto frames = test::take_all(queue);
  ASSERT_EQ(frames.size(), 4U);
  // Datagrams 1 to 4, 5 to 8, 9 to 12, 13 to 16.
  const std::vector<std::uint32_t> missing{1, 0, 2, 0}, masks{0b0100, 0, 0b1001, 0};
  for (std::size_t i = 0; i < frames.size(); ++i) {
    EXPECT_EQ(frames[i].header.missing_parts, missing[i]) << i;
    EXPECT_EQ(frames[i].header.missing_mask, masks[i]) << i;
  }
  EXPECT_EQ(builder->counters().incomplete, 2U);
}

TEST(GnuradioUdp, every_fault_of_the_sender_is_found_by_the_receiver) {
  GnuradioSynthesisOptions options;
  options.format = gnuradio_format(ElementType::complex_int16, true);
  options.signal.noise = 1000;
  const PacketFormat packets = gnuradio_packets(options.format, {.window = 64}, 0);
  FrameQueue queue(2000, packets.type.size());
  const auto builder = packets.make_builder(queue);
  GnuradioSynthesis stream(options);
  FaultInjector faults({.drop = 0.05, .duplicate = 0.03, .reorder = 0.03, .corrupt = 0.02}, 1, 5,
                       stream.codec(),
                       [&](const LanePacket& packet) { (void)builder->take(0, packet.bytes, 0); });
  for (int i = 0; i < 4000; ++i) faults.take(*stream.next());
  faults.finish();
  builder->finish(0);
  const auto details = builder->counters().details;
  const FaultCounts& done = faults.counts();
  EXPECT_EQ(test::value_of(details, "packets_lost"), done.dropped + done.corrupted_in_all());
  EXPECT_EQ(test::value_of(details, "packets_received"), 4000 - done.dropped - done.corrupted_in_all());
  EXPECT_EQ(test::value_of(details, "packets_duplicate"), done.duplicated);
  EXPECT_EQ(test::value_of(details, "refused_size"), done.corrupted_in_all());
}

TEST(GnuradioUdp, payloads_that_do_not_fit_frames_are_refused) {
  GnuradioUdpFormat format = gnuradio_format(ElementType::float32, true);
  format.payload_bytes = 48;
  EXPECT_THAT([&] { validate(format); },
              testing::ThrowsMessage<OptionError>(testing::HasSubstr("a payload of 48 bytes is not valid")));
  format = gnuradio_format(ElementType::float32, true);
  format.type.rate_hz = 0;
  EXPECT_THROW(validate(format), OptionError);
}

}  // namespace gnuradio_builder_test
}  // namespace takt::sensors
