/// Tests that the emulator sends the whole stream, to the right ports, for the right time.

#include "sensors/emulator/emulator.hpp"

#include <gmock/gmock.h>

#include "core/error.hpp"
#include "sensors/lofar/synthesis.hpp"
#include "sensors/lofar/udp_source.hpp"
#include "tests/sensors/packets/packet_support.hpp"

namespace takt::sensors {
namespace {

LofarSynthesis stream_of(std::size_t lanes, std::uint64_t packets) {
  LofarSynthesisOptions options;
  options.format.lanes = lanes;
  options.format.beamlets = 2;
  options.packets = packets;
  return LofarSynthesis(options);
}

/// A local port without a receiver: data sent there are discarded.
std::vector<Destination> nowhere(std::size_t lanes) {
  return std::vector<Destination>(lanes, {"127.0.0.1", 9});
}

TEST(Emulator, sends_every_packet_once_at_any_pace) {
  for (const double speed : {0.0, 1.0, 50.0}) {
    LofarSynthesis stream = stream_of(2, 200);
    EmulatorOptions options;
    options.destinations = nowhere(2);
    options.speed = speed;
    const EmulatorReport report = emulate(stream, options, std::atomic<bool>(false));
    EXPECT_EQ(report.packets, 400u);
    EXPECT_EQ(report.datagrams, 400u);
    EXPECT_EQ(report.bytes, 400u * (16 + 2 * 64));
    if (speed == 0) continue;
    // At most at the given speed: 199 packets of 81.92 us lie between the first and the last.
    EXPECT_GE(report.elapsed.count(), 199 * 81'920 / speed);
  }
}

TEST(Emulator, a_packet_rate_replaces_the_packets_own_times) {
  LofarSynthesis stream = stream_of(1, 101);
  EmulatorOptions options;
  options.destinations = nowhere(1);
  options.packet_rate = 5000;
  EXPECT_GE(emulate(stream, options, std::atomic<bool>(false)).elapsed.count(), 20'000'000);
}

TEST(Emulator, ends_after_the_requested_packets_of_each_lane) {
  LofarSynthesis endless = stream_of(3, 0);
  EmulatorOptions options;
  options.destinations = nowhere(3);
  options.speed = 0;
  options.packets = 25;
  EXPECT_EQ(emulate(endless, options, std::atomic<bool>(false)).packets, 75u);
}

TEST(Emulator, ends_when_it_is_stopped) {
  LofarSynthesis endless = stream_of(1, 0);
  EmulatorOptions options;
  options.destinations = nowhere(1);
  options.speed = 0.001;  // 82 ms between packets
  std::atomic<bool> stop(false);
  std::thread other([&] {
    std::this_thread::sleep_for(std::chrono::milliseconds(20));
    stop = true;
  });
  const EmulatorReport report = emulate(endless, options, stop);
  other.join();
  EXPECT_EQ(report.packets, report.datagrams);
}

TEST(Emulator, each_lane_goes_to_its_own_port) {
  LofarUdpOptions source_options;
  source_options.address = "127.0.0.1";
  source_options.ports = {0, 0};
  source_options.format.lanes = 2;
  source_options.format.beamlets = 2;
  source_options.format.packets = 10;
  LofarUdpSource source(source_options);
  source.start();
  LofarSynthesis stream = stream_of(2, 20);
  EmulatorOptions options;
  for (const std::uint16_t port : source.ports()) options.destinations.push_back({"127.0.0.1", port});
  (void)emulate(stream, options, std::atomic<bool>(false));
  FrameView frame;
  for (int frames = 0; frames < 2;) {
    if (source.poll(frame) != SourceState::frame) continue;
    EXPECT_EQ(frame.header->missing_parts, 0u);
    source.release();
    ++frames;
  }
}

TEST(Emulator, unknown_hosts_and_wrong_numbers_are_refused) {
  LofarSynthesis stream = stream_of(1, 1);
  EmulatorOptions options;
  EXPECT_THROW((void)emulate(stream, options, std::atomic<bool>(false)), ConfigError);
  options.destinations = {{"no.such.host.invalid", 1}};
  EXPECT_THAT(
      [&] { (void)emulate(stream, options, std::atomic<bool>(false)); },
      testing::ThrowsMessage<ConfigError>(testing::HasSubstr("cannot send to no.such.host.invalid:1")));
  options.destinations = nowhere(1);
  options.speed = -1;
  EXPECT_THROW((void)emulate(stream, options, std::atomic<bool>(false)), ConfigError);
}

}  // namespace
}  // namespace takt::sensors
