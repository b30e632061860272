/// Several receiving threads of one source: the same frames and counts, and no packet counts as late.

#include "sensors/transport/udp_receivers.hpp"

#include <atomic>
#include <functional>
#include <map>

#include <arpa/inet.h>
#include <gmock/gmock.h>
#include <sys/socket.h>
#include <unistd.h>

#include "core/error.hpp"
#include "sensors/emulator/emulator.hpp"
#include "sensors/lofar/synthesis.hpp"
#include "sensors/lofar/udp_source.hpp"
#include "sensors/option_error.hpp"
#include "tests/sensors/packets/packet_support.hpp"

namespace takt::sensors {
namespace transport_udp_receivers_test {

using test::KeptFrame;
using testing::HasSubstr;
using testing::ThrowsMessage;

LofarUdpOptions received_by(std::size_t receivers, std::size_t lanes) {
  LofarUdpOptions options;
  options.ports.assign(lanes, 0);
  options.format = test::small_format(lanes, 8);
  options.format.station = 1;
  options.depth = 512;
  options.receivers = receivers;
  return options;
}

/// Counts all datagrams in any counter.
std::uint64_t datagrams_seen(const LofarUdpSource& source) {
  std::uint64_t count = 0;
  for (const Counter& counter : source.counters().details)
    if (counter.name.starts_with("refused_") || counter.name == "packets_received" ||
        counter.name == "packets_late" || counter.name == "packets_duplicate" ||
        counter.name == "packets_early" || counter.name == "packets_implausible")
      count += counter.value;
  return count;
}

void wait_for(const LofarUdpSource& source, std::uint64_t datagrams) {
  for (int round = 0; round < 20'000 && datagrams_seen(source) < datagrams; ++round)
    std::this_thread::sleep_for(std::chrono::milliseconds(1));
  ASSERT_EQ(datagrams_seen(source), datagrams);
}

struct Outcome {
  EmulatorReport sent;
  std::vector<KeptFrame> frames;
  std::map<std::string, std::uint64_t> counts;
};

Outcome receive(const LofarUdpOptions& options, const Faults& faults) {
  LofarUdpSource source(options);
  source.start();
  LofarSynthesis stream({.format = options.format, .second = 1656466200, .packets = 1500});
  EmulatorOptions sender;
  for (const std::uint16_t port : source.ports()) sender.destinations.push_back({"127.0.0.1", port});
  sender.speed = 0;
  sender.faults = faults;
  Outcome outcome;
  outcome.sent = emulate(stream, sender, std::atomic<bool>(false));
  wait_for(source, outcome.sent.datagrams);
  source.stop();
  outcome.frames = test::take_all(source);
  for (const Counter& counter : source.counters().details) outcome.counts[counter.name] = counter.value;
  return outcome;
}

TEST(UdpReceivers, any_number_of_them_yields_the_frames_and_counts_of_one) {
  const Faults faults{.drop = 0.05, .duplicate = 0.03, .reorder = 0.1, .corrupt = 0.04, .garbage = 0.02};
  for (const bool coalesce : {false, true}) {
    LofarUdpOptions options = received_by(1, 4);
    options.coalesce = coalesce;
    const Outcome alone = receive(options, faults);
    ASSERT_GE(alone.frames.size(), 186U);
    for (const std::size_t receivers : {2U, 3U, 4U, 7U}) {
      SCOPED_TRACE(receivers);
      options.receivers = receivers;
      const Outcome shared = receive(options, faults);
      for (const char* name : {"packets_received", "packets_lost", "packets_late", "packets_duplicate",
                               "packets_reordered", "packets_implausible", "kernel_drops"})
        EXPECT_EQ(shared.counts.at(name), alone.counts.at(name)) << name;
      ASSERT_EQ(shared.frames.size(), alone.frames.size());
      for (std::size_t k = 0; k < alone.frames.size(); ++k) {
        ASSERT_EQ(shared.frames[k].bytes, alone.frames[k].bytes) << k;
        ASSERT_EQ(shared.frames[k].header.sequence, alone.frames[k].header.sequence);
        ASSERT_EQ(shared.frames[k].header.missing_mask, alone.frames[k].header.missing_mask);
      }
      EXPECT_EQ(shared.counts.at("packets_lost"),
                shared.sent.faults.dropped + shared.sent.faults.corrupted_in_all());
    }
  }
}

TEST(UdpReceivers, none_runs_ahead_of_the_others_by_more_than_a_small_window) {
  // All data are in the sockets before any are received, because no frame has space: as after a pause.
  for (const std::size_t receivers : {2U, 4U}) {
    LofarUdpOptions options = received_by(receivers, 4);
    options.assembly.window = 8;
    options.depth = 1;
    options.when_full = WhenFull::block;
    LofarUdpSource source(options);
    source.start();
    LofarSynthesis stream({.format = options.format, .second = 1656466200, .packets = 800});
    EmulatorOptions sender;
    for (const std::uint16_t port : source.ports()) sender.destinations.push_back({"127.0.0.1", port});
    sender.speed = 0;
    const EmulatorReport report = emulate(stream, sender, std::atomic<bool>(false));
    std::size_t frames = 0;
    for (int round = 0; round < 200'000 && datagrams_seen(source) < report.datagrams; ++round) {
      for (FrameView frame; source.poll(frame) == SourceState::frame; source.release()) ++frames;
      std::this_thread::sleep_for(std::chrono::microseconds(100));
    }
    source.stop();
    frames += test::take_all(source).size();
    EXPECT_EQ(frames, 100U);
    EXPECT_EQ(test::value_of(source.counters().details, "packets_late"), 0U);
    EXPECT_EQ(test::value_of(source.counters().details, "packets_lost"), 0U);
  }
}

TEST(UdpReceivers, share_a_port_by_its_senders) {
  LofarUdpOptions options = received_by(3, 1);
  options.receiver_cores = {0, 0, 0};
  LofarUdpSource source(options);
  source.start();
  sockaddr_in to{};
  to.sin_family = AF_INET;
  to.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  to.sin_port = htons(source.ports().front());
  constexpr std::size_t senders = 8;
  std::vector<int> sockets;
  for (std::size_t i = 0; i < senders; ++i) sockets.push_back(::socket(AF_INET, SOCK_DGRAM, 0));
  LofarSynthesis stream({.format = options.format, .second = 1656466200, .packets = 400});
  for (std::size_t i = 0; i < 400; ++i) {
    const auto packet = stream.next();
    ASSERT_TRUE(packet);
    ASSERT_EQ(::sendto(sockets[i % senders], packet->bytes.data(), packet->bytes.size(), 0,
                       reinterpret_cast<const sockaddr*>(&to), sizeof to),
              static_cast<ssize_t>(packet->bytes.size()));
  }
  for (const int socket : sockets) ::close(socket);
  wait_for(source, 400);
  source.stop();
  EXPECT_EQ(test::take_all(source).size(), 50U);
  EXPECT_EQ(test::value_of(source.counters().details, "packets_lost"), 0U);
}

TEST(UdpReceivers, another_source_cannot_join_the_group_of_a_port) {
  LofarUdpSource first(received_by(2, 1));
  first.start();
  for (const std::size_t receivers : {1U, 2U}) {
    LofarUdpOptions options = received_by(receivers, 1);
    options.ports = first.ports();
    LofarUdpSource second(options);
    EXPECT_THAT([&] { second.start(); }, ThrowsMessage<WorkError>(HasSubstr("in use")));
  }
  first.stop();
  EXPECT_TRUE(test::take_all(first).empty());
}

TEST(UdpReceivers, invalid_options_are_refused) {
  const auto error_of = [](const std::function<void(LofarUdpOptions&)>& change) -> std::string {
    LofarUdpOptions options = received_by(2, 2);
    change(options);
    try {
      LofarUdpSource{options};
    } catch (const OptionError& error) {
      return error.option() + ": " + error.what();
    }
    return {};
  };
  EXPECT_THAT(error_of([](LofarUdpOptions& o) { o.receivers = 0; }),
              HasSubstr("receivers: 0 receiving threads"));
  EXPECT_THAT(error_of([](LofarUdpOptions& o) { o.receivers = 65; }), HasSubstr("expected 1 to 64"));
  EXPECT_THAT(error_of([](LofarUdpOptions& o) { o.receivers = 3, o.address = "239.7.3.9"; }),
              HasSubstr("receivers: 3 threads for 2 ports of a multicast group"));
  EXPECT_THAT(error_of([](LofarUdpOptions& o) { o.receiver_cores = {0}; }),
              HasSubstr("receiver_cores: 1 processors are given for 2 receivers"));
  EXPECT_THAT(error_of([](LofarUdpOptions& o) { o.receivers = 1, o.receiver_cores = {0}; }),
              HasSubstr("'core' binds the only thread"));
}

TEST(UdpReceivers, a_missing_processor_ends_the_stream_with_its_number) {
  LofarUdpOptions options = received_by(2, 2);
  options.receiver_cores = {0, 1023};
  LofarUdpSource source(options);
  source.start();
  EXPECT_THAT([&] { (void)test::take_all(source); },
              ThrowsMessage<WorkError>(HasSubstr("cannot receive on processor 1023")));
}

}  // namespace transport_udp_receivers_test
}  // namespace takt::sensors
