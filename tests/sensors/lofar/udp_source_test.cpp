/// Tests that a live stream arrives completely, everything else is counted, and the stream ends in time.

#include "sensors/lofar/udp_source.hpp"

#include <atomic>
#include <cstring>
#include <functional>

#include <arpa/inet.h>
#include <gmock/gmock.h>
#include <sys/socket.h>
#include <unistd.h>

#include "core/error.hpp"
#include "sensors/emulator/emulator.hpp"
#include "sensors/lofar/file_source.hpp"
#include "sensors/lofar/recording.hpp"
#include "sensors/lofar/synthesis.hpp"
#include "tests/sensors/packets/packet_support.hpp"

namespace takt::sensors {
namespace lofar_udp_source_test {

using test::KeptFrame;
using testing::HasSubstr;
using testing::ThrowsMessage;

/// Any free ports of this machine. All data of a test fit the receive buffers, so that the result does not
/// depend on speed.
LofarUdpOptions options_for(std::size_t lanes, std::size_t beamlets, std::size_t packets) {
  LofarUdpOptions options;
  options.address = "127.0.0.1";
  options.ports.assign(lanes, 0);
  options.format.lanes = lanes;
  options.format.beamlets = beamlets;
  options.format.packets = packets;
  options.depth = 256;
  return options;
}

LofarSynthesis stream_for(const LofarUdpOptions& options, std::uint64_t packets) {
  return LofarSynthesis({.format = options.format, .second = 1656466200, .packets = packets});
}

EmulatorReport send(PacketStream& stream, const LofarUdpSource& source, const Faults& faults = {}) {
  EmulatorOptions options;
  for (const std::uint16_t port : source.ports()) options.destinations.push_back({"127.0.0.1", port});
  options.speed = 0;
  options.faults = faults;
  return emulate(stream, options, std::atomic<bool>(false));
}

std::uint64_t refused(const SourceCounters& counters) {
  std::uint64_t count = 0;
  for (const Counter& counter : counters.details)
    if (counter.name.starts_with("refused_")) count += counter.value;
  return count;
}

std::uint64_t datagrams_seen(const LofarUdpSource& source) {
  const SourceCounters counters = source.counters();
  std::uint64_t count = refused(counters);
  for (const char* name :
       {"packets_received", "packets_late", "packets_duplicate", "packets_early", "packets_implausible"})
    count += test::value_of(counters.details, name);
  return count;
}

/// Waits for a limited time.
void wait_until(const std::function<bool()>& condition) {
  for (int round = 0; round < 20'000 && !condition(); ++round)
    std::this_thread::sleep_for(std::chrono::milliseconds(1));
  ASSERT_TRUE(condition());
}

TEST(LofarUdpSource, a_udp_replay_yields_the_frames_of_the_files_byte_for_byte) {
  const auto files = test::recorded_lanes();
  if (files.empty()) GTEST_SKIP() << "no recordings: set TAKT_TEST_DATA to their folder";
  LofarUdpOptions options = options_for(4, 122, 17);
  LofarUdpSource live(options);
  live.start();
  LofarRecording recording(files);
  ASSERT_EQ(send(recording, live).datagrams, 1024u);
  // 1023 packets are placed immediately; the one before the common start is counted when that is known.
  wait_until([&] { return datagrams_seen(live) == 1024; });
  live.stop();
  const std::vector<KeptFrame> received = test::take_all(live);

  LofarFileOptions file_options;
  for (const auto& file : files) file_options.lanes.push_back({file});
  file_options.format = options.format;
  LofarFileSource replay(file_options);
  replay.start();
  const std::vector<KeptFrame> read = test::take_all(replay);

  ASSERT_EQ(received.size(), read.size());
  for (std::size_t k = 0; k < read.size(); ++k) {
    EXPECT_EQ(received[k].bytes, read[k].bytes);
    EXPECT_EQ(received[k].header.sequence, read[k].header.sequence);
    EXPECT_EQ(received[k].header.utc_ns, read[k].header.utc_ns);
    EXPECT_EQ(received[k].header.missing_mask, read[k].header.missing_mask);
  }
  EXPECT_EQ(test::value_of(live.counters().details, "kernel_drops"), 0u);
}

TEST(LofarUdpSource, bursts_of_lanes_stay_within_a_small_window) {
  // Receiving waits for space until all packets lie in the sockets, as after a pause of the receiver; a
  // window of 4 packets must not lose any.
  LofarUdpOptions options = options_for(2, 4, 4);
  options.assembly.window = 4;
  options.depth = 1;
  options.when_full = WhenFull::block;
  LofarUdpSource source(options);
  source.start();
  LofarSynthesis stream = stream_for(options, 200);
  const EmulatorReport report = send(stream, source);
  std::size_t frames = 0;
  wait_until([&] {
    for (FrameView frame; source.poll(frame) == SourceState::frame; source.release()) ++frames;
    return datagrams_seen(source) == report.datagrams;
  });
  source.stop();
  frames += test::take_all(source).size();
  EXPECT_EQ(frames, 50U);
  EXPECT_EQ(test::value_of(source.counters().details, "packets_late"), 0U);
}

TEST(LofarUdpSource, only_the_configured_senders_are_accepted) {
  for (const bool is_named : {true, false}) {
    LofarUdpOptions options = options_for(1, 2, 4);
    options.senders = {"10.1.2.3", is_named ? "127.0.0.1" : "127.0.0.2"};
    LofarUdpSource source(options);
    source.start();
    LofarSynthesis stream = stream_for(options, 64);
    (void)send(stream, source);
    wait_until([&] {
      const auto details = source.counters().details;
      return test::value_of(details, "packets_received") + test::value_of(details, "refused_sender") == 64;
    });
    source.stop();
    EXPECT_EQ(test::take_all(source).size(), is_named ? 16u : 0u);
    EXPECT_EQ(test::value_of(source.counters().details, "refused_sender"), is_named ? 0u : 64u);
  }
}

TEST(LofarUdpSource, received_and_lost_packets_add_up_to_the_sent_ones) {
  LofarUdpOptions options = options_for(2, 4, 16);
  options.format.station = 1;
  LofarUdpSource source(options);
  source.start();
  LofarSynthesis stream = stream_for(options, 2000);
  const EmulatorReport report = send(
      stream, source, {.drop = 0.05, .duplicate = 0.03, .reorder = 0.1, .corrupt = 0.04, .garbage = 0.02});
  wait_until([&] { return datagrams_seen(source) == report.datagrams; });
  source.stop();
  const std::vector<KeptFrame> frames = test::take_all(source);

  const SourceCounters counters = source.counters();
  const auto count = [&](const char* name) { return test::value_of(counters.details, name); };
  EXPECT_EQ(report.packets, 4000u);
  EXPECT_EQ(count("packets_received"),
            report.packets - report.faults.dropped - report.faults.corrupted_in_all());
  EXPECT_EQ(count("packets_lost"), report.faults.dropped + report.faults.corrupted_in_all());
  EXPECT_EQ(count("packets_duplicate"), report.faults.duplicated);
  EXPECT_EQ(count("packets_late"), 0u);
  EXPECT_EQ(count("packets_implausible"), 0u);
  EXPECT_EQ(count("kernel_drops"), 0u);
  EXPECT_EQ(refused(counters), report.faults.corrupted_in_all() + report.faults.garbage);
  EXPECT_EQ(count("refused_station"),
            report.faults.corrupted[static_cast<std::size_t>(LofarVerdict::station) - 1]);
  EXPECT_EQ(count("refused_second"),
            report.faults.corrupted[static_cast<std::size_t>(LofarVerdict::second) - 1]);
  EXPECT_EQ(frames.size(), 125u);
  EXPECT_EQ(counters.ingested + counters.lost, 125u);
  std::uint64_t missing = 0;
  for (const KeptFrame& frame : frames) missing += frame.header.missing_parts;
  EXPECT_EQ(missing, count("packets_lost"));
}

TEST(LofarUdpSource, random_datagrams_are_counted_and_ignored) {
  LofarUdpSource source(options_for(1, 4, 16));
  source.start();
  const int socket = ::socket(AF_INET, SOCK_DGRAM, 0);
  sockaddr_in address{};
  address.sin_family = AF_INET;
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  address.sin_port = htons(source.ports()[0]);
  std::uint64_t state = 9;
  for (int i = 0; i < 500; ++i) {
    std::array<std::byte, 1400> bytes;
    for (std::byte& byte : bytes)
      byte = static_cast<std::byte>((state = state * 6364136223846793005 + 1) >> 56);
    ::sendto(socket, bytes.data(), static_cast<std::size_t>(i) * 2, 0,
             reinterpret_cast<const sockaddr*>(&address), sizeof address);
  }
  ::close(socket);
  wait_until([&] { return datagrams_seen(source) == 500; });
  source.stop();
  EXPECT_TRUE(test::take_all(source).empty());
  EXPECT_EQ(refused(source.counters()), 500u);
}

TEST(LofarUdpSource, the_idle_timeout_ends_the_stream) {
  LofarUdpOptions options = options_for(1, 4, 16);
  options.idle_timeout = Time(500'000'000);
  LofarUdpSource source(options);
  source.start();
  LofarSynthesis stream = stream_for(options, 40);
  (void)send(stream, source);
  const std::vector<KeptFrame> frames = test::take_all(source);
  ASSERT_EQ(frames.size(), 3u);
  EXPECT_EQ(frames[2].header.missing_parts, 8u)
      << "the end of the stream completes the last frame with zeros";
}

TEST(LofarUdpSource, marks_frames_truncated_by_the_end_of_the_stream) {
  LofarUdpOptions options = options_for(1, 4, 16);
  options.idle_timeout = Time(500'000'000);
  LofarUdpSource source(options);
  source.start();
  // 40 packets are two frames of 16 and a half.
  LofarSynthesis stream = stream_for(options, 40);
  (void)send(stream, source);
  std::vector<bool> are_cut_off;
  FrameView frame;
  for (SourceState state{}; (state = source.poll(frame)) != SourceState::ended;) {
    if (state != SourceState::frame) continue;
    are_cut_off.push_back(source.is_cut_off());
    source.release();
  }
  EXPECT_EQ(are_cut_off, (std::vector<bool>{false, false, true}));
}

TEST(LofarUdpSource, a_stream_that_never_begins_is_an_error_with_the_refusals) {
  LofarUdpOptions options = options_for(1, 4, 16);
  options.start_timeout = Time(1'000'000'000);
  LofarUdpSource source(options);
  source.start();
  LofarUdpOptions other = options;
  other.format.beamlets = 8;
  LofarSynthesis stream = stream_for(other, 3);
  (void)send(stream, source);
  FrameView frame;
  EXPECT_THAT(
      [&] {
        while (source.poll(frame) == SourceState::waiting)
          std::this_thread::sleep_for(std::chrono::milliseconds(1));
      },
      ThrowsMessage<WorkError>(HasSubstr("within 1 s (refused: 3 by size)")));
}

TEST(LofarUdpSource, a_full_queue_drops_new_frames_and_keeps_the_older_ones) {
  LofarUdpOptions options = options_for(1, 4, 16);
  options.assembly.window = 16;
  options.depth = 4;
  LofarUdpSource source(options);
  source.start();
  LofarSynthesis stream = stream_for(options, 1600);
  (void)send(stream, source);
  wait_until([&] { return datagrams_seen(source) == 1600; });
  source.stop();
  const std::vector<KeptFrame> frames = test::take_all(source);
  const SourceCounters counters = source.counters();
  EXPECT_GE(frames.size(), 4u);
  EXPECT_EQ(counters.ingested, frames.size());
  EXPECT_EQ(counters.ingested + counters.dropped, 100u);
  EXPECT_EQ(counters.lost, 0u);
  for (std::size_t k = 0; k < frames.size(); ++k) EXPECT_EQ(frames[k].header.sequence, k);
}

TEST(LofarUdpSource, a_source_that_blocks_drops_nothing_while_the_pipeline_is_slow) {
  LofarUdpOptions options = options_for(1, 4, 16);
  options.assembly.window = 16;
  options.depth = 1;
  options.when_full = WhenFull::block;
  LofarUdpSource source(options);
  source.start();
  LofarSynthesis stream = stream_for(options, 1600);
  (void)send(stream, source);
  FrameView frame;
  for (std::uint64_t taken = 0; taken < 100;) {
    if (source.poll(frame) == SourceState::frame) {
      EXPECT_EQ(frame.header->sequence, taken++);
      source.release();
    }
    std::this_thread::sleep_for(std::chrono::microseconds(200));
  }
  source.stop();
  EXPECT_TRUE(test::take_all(source).empty());
  EXPECT_EQ(source.counters().dropped, 0u);
}

TEST(LofarUdpSource, data_received_before_stop_are_handed_over) {
  LofarUdpOptions options = options_for(1, 4, 16);
  LofarUdpSource source(options);
  source.start();
  LofarSynthesis stream = stream_for(options, 75);
  (void)send(stream, source);
  wait_until([&] { return datagrams_seen(source) == 75; });
  source.stop();
  const std::vector<KeptFrame> frames = test::take_all(source);
  ASSERT_EQ(frames.size(), 5u);
  EXPECT_EQ(frames[4].header.missing_parts, 5u);
  EXPECT_EQ(test::value_of(source.counters().details, "packets_lost"), 0u);
}

TEST(LofarUdpSource, another_thread_may_read_the_counters_at_any_time) {
  LofarUdpOptions options = options_for(1, 4, 16);
  LofarUdpSource source(options);
  std::atomic<bool> done(false);
  std::thread observer([&] {
    while (!done) {
      EXPECT_LE(source.counters().ingested, 10u);
      EXPECT_LE(source.warnings().size(), 1u);
    }
  });
  source.start();
  LofarSynthesis stream = stream_for(options, 160);
  (void)send(stream, source);
  wait_until([&] { return source.counters().ingested == 10; });
  source.stop();
  EXPECT_EQ(test::take_all(source).size(), 10u);
  done = true;
  observer.join();
}

TEST(LofarUdpSource, a_source_without_data_ends_when_stopped) {
  LofarUdpSource source(options_for(4, 122, 16));
  EXPECT_EQ(source.counters().ingested, 0u);
  source.start();
  FrameView frame;
  EXPECT_EQ(source.poll(frame), SourceState::waiting);
  source.stop();
  EXPECT_TRUE(test::take_all(source).empty());
}

TEST(LofarUdpSource, a_source_can_be_destroyed_without_a_start) {
  LofarUdpSource source(options_for(1, 122, 16));
  EXPECT_EQ(source.type().axes.size(), 4u);
}

TEST(LofarUdpSource, a_port_in_use_is_an_error_that_names_it) {
  LofarUdpSource first(options_for(1, 4, 16));
  first.start();
  LofarUdpOptions options = options_for(1, 4, 16);
  options.ports = first.ports();
  LofarUdpSource second(options);
  EXPECT_THAT(
      [&] { second.start(); },
      ThrowsMessage<WorkError>(HasSubstr("cannot receive on 127.0.0.1 port " +
                                         std::to_string(first.ports()[0]) + ": Address already in use")));
}

TEST(LofarUdpSource, invalid_options_are_refused_before_a_port_is_opened) {
  const auto refusal = [](auto change) {
    LofarUdpOptions options = options_for(2, 4, 16);
    change(options);
    try {
      LofarUdpSource source(options);
    } catch (const ConfigError& error) {
      return std::string(error.what());
    }
    return std::string("accepted");
  };
  EXPECT_THAT(refusal([](LofarUdpOptions& o) { o.ports = {1}; }), HasSubstr("1 ports are given for 2 lanes"));
  EXPECT_THAT(refusal([](LofarUdpOptions& o) { o.ports = {7, 7}; }), HasSubstr("port 7 is given twice"));
  EXPECT_THAT(refusal([](LofarUdpOptions& o) { o.address = "here"; }), HasSubstr("'here' is not an address"));
  EXPECT_THAT(refusal([](LofarUdpOptions& o) { o.depth = 0; }), HasSubstr("depth of 0"));
  EXPECT_THAT(refusal([](LofarUdpOptions& o) { o.socket_buffer = {16}; }),
              HasSubstr("socket buffer of 16 B"));
  EXPECT_THAT(refusal([](LofarUdpOptions& o) { o.assembly.window = 0; }), HasSubstr("window"));
}

}  // namespace lofar_udp_source_test
}  // namespace takt::sensors
