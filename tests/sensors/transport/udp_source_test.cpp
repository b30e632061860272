/// Tests that a custom packet format needs only a decoder.

#include "sensors/transport/udp_source.hpp"

#include <cstring>
#include <functional>
#include <thread>

#include <arpa/inet.h>
#include <gmock/gmock.h>
#include <sys/socket.h>
#include <unistd.h>

#include "core/error.hpp"
#include "sensors/option_error.hpp"
#include "sensors/packets/assembler.hpp"
#include "tests/sensors/packets/packet_support.hpp"

namespace takt::sensors {
namespace transport_udp_source_test {

using testing::HasSubstr;
using testing::ThrowsMessage;

/// The whole format: a 64-bit packet number, then four bytes. 1000 packets/s.
class NumberedBuilder final : public FrameBuilder {
 public:
  NumberedBuilder(std::size_t lanes, FrameQueue& frames)
      : lanes_(lanes),
        assembler_({.lanes = lanes,
                    .packets = 2,
                    .ticks_per_second = 1000,
                    .payload_bytes = 4,
                    .part_bytes = 4,
                    .utc_of = [](std::uint64_t tick,
                                 double) { return static_cast<std::int64_t>(tick) * 1'000'000; }},
                   {.window = 64}, counts_, frames) {}

  bool take(std::size_t lane, std::span<const std::byte> datagram, std::int64_t now_ns) override {
    if (datagram.size() != 12) {
      refused_.add();
      return false;
    }
    std::uint64_t number = 0;
    std::memcpy(&number, datagram.data(), sizeof number);
    assembler_.take(lane, number, datagram.subspan(8), now_ns);
    return true;
  }
  void finish(std::int64_t now_ns) override { assembler_.finish(now_ns); }
  [[nodiscard]] SourceCounters counters() const override {
    SourceCounters counters = counts_.report(lanes_);
    counters.details.push_back({"refused_size", "packets", refused_.value()});
    return counters;
  }

 private:
  std::size_t lanes_;
  AssemblyCounts counts_;
  Tally refused_;
  Assembler assembler_;
};

PacketFormat numbered(std::size_t lanes) {
  FrameType type;
  type.element = ElementType::uint8;
  type.axes = {{"packet", 2, {}}, {"lane", lanes, {}}, {"time", 4, {}}};
  type.parts = {2, lanes};
  return {.name = "numbered",
          .type = type,
          .largest_packet = 12,
          .open_frames = Assembler::open_frames(2, {.window = 64}),
          .make_builder = [lanes](FrameQueue& frames) {
            return std::make_unique<NumberedBuilder>(lanes, frames);
          }};
}

void send(std::uint16_t port, const std::string& bytes) {
  const int socket = ::socket(AF_INET, SOCK_DGRAM, 0);
  sockaddr_in to{};
  to.sin_family = AF_INET;
  to.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  to.sin_port = htons(port);
  EXPECT_EQ(
      ::sendto(socket, bytes.data(), bytes.size(), 0, reinterpret_cast<const sockaddr*>(&to), sizeof to),
      static_cast<ssize_t>(bytes.size()));
  ::close(socket);
}

std::string packet(std::uint64_t number, char letter) {
  return std::string(reinterpret_cast<const char*>(&number), sizeof number) + std::string(4, letter);
}

TEST(UdpSource, receives_any_packet_format_with_a_decoder) {
  UdpOptions options;
  options.ports = {0, 0};
  options.depth = 64;
  UdpSource source(options, numbered(2));
  source.start();
  const std::vector<std::uint16_t> ports = source.ports();
  send(ports[0], "too short");
  // 40 packets of each lane; the second lane loses number 1005.
  for (std::uint64_t number = 1000; number < 1040; ++number) {
    send(ports[0], packet(number, static_cast<char>('A' + (number - 1000) % 26)));
    if (number != 1005) send(ports[1], packet(number, static_cast<char>('a' + (number - 1000) % 26)));
  }
  const auto count = [&](const char* name) { return test::value_of(source.counters().details, name); };
  for (int i = 0; i < 20'000 && count("packets_received") < 79; ++i)
    std::this_thread::sleep_for(std::chrono::milliseconds(1));
  source.stop();
  const std::vector<test::KeptFrame> frames = test::take_all(source);
  ASSERT_EQ(frames.size(), 20u);
  const auto text = [&](std::size_t frame) {
    return std::string(reinterpret_cast<const char*>(frames[frame].bytes.data()), frames[frame].bytes.size());
  };
  EXPECT_EQ(text(0), std::string("AAAAaaaaBBBBbbbb") + std::string(4, '\0'));
  EXPECT_EQ(text(2), std::string("EEEEeeeeFFFF") + std::string(4, '\0') + std::string("\0\0\0\1", 4));
  EXPECT_EQ(frames[2].header.utc_ns, 1'004'000'000);
  EXPECT_EQ(count("packets_lost"), 1u);
  EXPECT_EQ(count("refused_size"), 1u);
}

TEST(UdpSource, receives_a_multicast_group_on_one_interface) {
  UdpOptions options;
  options.ports = {0};
  options.address = "239.7.3.9";
  options.interface = "lo";
  options.core = 0;
  options.timestamps = true;
  UdpSource source(options, numbered(1));
  source.start();
  const int socket = ::socket(AF_INET, SOCK_DGRAM, 0);
  const in_addr loopback{htonl(INADDR_LOOPBACK)};
  ASSERT_EQ(::setsockopt(socket, IPPROTO_IP, IP_MULTICAST_IF, &loopback, sizeof loopback), 0);
  sockaddr_in to{};
  to.sin_family = AF_INET;
  to.sin_port = htons(source.ports()[0]);
  ASSERT_EQ(::inet_pton(AF_INET, "239.7.3.9", &to.sin_addr), 1);
  for (std::uint64_t number = 1; number <= 20; ++number) {
    const std::string bytes = packet(number, 'x');
    ASSERT_EQ(
        ::sendto(socket, bytes.data(), bytes.size(), 0, reinterpret_cast<const sockaddr*>(&to), sizeof to),
        12);
  }
  ::close(socket);
  const auto count = [&](const char* name) { return test::value_of(source.counters().details, name); };
  for (int i = 0; i < 20'000 && count("packets_received") < 20; ++i)
    std::this_thread::sleep_for(std::chrono::milliseconds(1));
  source.stop();
  EXPECT_EQ(test::take_all(source).size(), 10u);
  EXPECT_GT(count("receive_delay_high_water"), 0u);
}

TEST(UdpSource, names_a_missing_interface_or_processor) {
  UdpOptions options;
  options.ports = {0};
  options.interface = "nothing0";
  UdpSource source(options, numbered(1));
  EXPECT_THAT([&] { source.check(); },
              ThrowsMessage<WorkError>(HasSubstr("of nothing0: no such network interface")));
  options.interface.clear();
  options.core = 1023;
  UdpSource elsewhere(options, numbered(1));
  elsewhere.start();
  EXPECT_THAT([&] { (void)test::take_all(elsewhere); },
              ThrowsMessage<WorkError>(HasSubstr("cannot receive on processor 1023")));
}

TEST(UdpSource, reports_why_no_packet_was_valid) {
  UdpOptions options;
  options.ports = {0};
  options.start_timeout = std::chrono::milliseconds(300);
  UdpSource source(options, numbered(1));
  source.start();
  send(source.ports()[0], "too short");
  EXPECT_THAT([&] { (void)test::take_all(source); },
              ThrowsMessage<WorkError>(testing::AllOf(HasSubstr("no valid numbered packet on 127.0.0.1"),
                                                      HasSubstr("(refused: 1 by size)"),
                                                      HasSubstr("'address: 0.0.0.0' receives from all"))));
}

}  // namespace transport_udp_source_test
}  // namespace takt::sensors
