/// Tests that every datagram arrives whole, in order and separate, however it is sent and placed.

#include "sensors/transport/datagram_batch.hpp"

#include <cstring>
#include <random>
#include <string>

#include <arpa/inet.h>
#include <gmock/gmock.h>
#include <netinet/udp.h>
#include <unistd.h>

namespace takt::sensors {
namespace transport_datagram_batch_test {

constexpr std::size_t header_size = 5, payload_size = 95, packet_size = header_size + payload_size;

/// A socket that receives on the loopback, and one that sends there.
class Wire {
 public:
  explicit Wire(bool coalesced) {
    sockaddr_in local{};
    local.sin_family = AF_INET;
    local.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    socklen_t length = sizeof local;
    EXPECT_EQ(::bind(to_, reinterpret_cast<const sockaddr*>(&local), sizeof local), 0);
    ::getsockname(to_, reinterpret_cast<sockaddr*>(&local), &length);
    EXPECT_EQ(::connect(from_, reinterpret_cast<const sockaddr*>(&local), sizeof local), 0);
    const int on = 1;
    if (coalesced) can_coalesce_ = ::setsockopt(to_, SOL_UDP, UDP_GRO, &on, sizeof on) == 0;
  }
  ~Wire() {
    ::close(to_);
    ::close(from_);
  }

  [[nodiscard]] int socket() const { return to_; }
  [[nodiscard]] bool can_coalesce() const { return can_coalesce_; }

  /// Sends datagrams of `each` bytes, segmented by the kernel.
  bool send(const std::string& bytes, std::size_t each) {
    const int segment = each < bytes.size() ? static_cast<int>(each) : 0;
    if (::setsockopt(from_, SOL_UDP, UDP_SEGMENT, &segment, sizeof segment) != 0) return false;
    return ::send(from_, bytes.data(), bytes.size(), 0) == static_cast<ssize_t>(bytes.size());
  }

 private:
  int to_ = ::socket(AF_INET, SOCK_DGRAM, 0), from_ = ::socket(AF_INET, SOCK_DGRAM, 0);
  bool can_coalesce_ = false;
};

std::string text_of(std::span<const std::byte> bytes) {
  return {reinterpret_cast<const char*>(bytes.data()), bytes.size()};
}

class Batches : public testing::TestWithParam<std::tuple<bool, bool>> {};

TEST_P(Batches, return_every_datagram_as_sent) {
  const auto [is_scattered, is_coalesced] = GetParam();
  Wire wire(is_coalesced);
  if (is_coalesced && !wire.can_coalesce()) GTEST_SKIP() << "this kernel hands over single datagrams only";
  DatagramBatch batch({.largest_packet = packet_size,
                       .header_bytes = is_scattered ? header_size : 0,
                       .payload_bytes = is_scattered ? payload_size : 0,
                       .is_coalesced = is_coalesced});
  std::mt19937_64 random(7);
  std::vector<std::vector<std::byte>> memory(DatagramBatch::most, std::vector<std::byte>(payload_size));
  for (int round = 0; round < 200; ++round) {
    // Mostly packets, several in a row; among them datagrams of other lengths, including 0.
    std::vector<std::string> sent;
    for (std::size_t group = 1 + random() % 6; group > 0; --group) {
      const std::size_t each = random() % 4 > 0 ? packet_size : random() % 150;
      const std::size_t count = each == 0 ? 1 : 1 + random() % 9;
      std::string bytes((count - 1) * each + (each == 0 ? 0 : 1 + random() % each), '\0');
      if (random() % 2 == 0) bytes.resize(count * each);
      for (char& byte : bytes) byte = static_cast<char>(random());
      ASSERT_TRUE(wire.send(bytes, each));
      if (bytes.empty()) sent.emplace_back();
      for (std::size_t at = 0; at < bytes.size(); at += each) sent.push_back(bytes.substr(at, each));
    }
    std::size_t got = 0;
    while (got < sent.size()) {
      const std::span<std::byte*> places = batch.places(1 + random() % DatagramBatch::most);
      for (std::size_t i = 0; i < places.size(); ++i)
        places[i] = random() % 4 > 0 ? memory[i].data() : nullptr;
      const int count = batch.receive(wire.socket());
      ASSERT_GT(count, 0) << "round " << round;
      ASSERT_EQ(batch.datagrams().size(), static_cast<std::size_t>(count));
      for (const ScatteredDatagram& datagram : batch.datagrams()) {
        ASSERT_LT(got, sent.size());
        const std::string& expected = sent[got++];
        // Coalesced datagrams are never truncated; for single oversized ones the excess is known.
        EXPECT_EQ(datagram.bytes > packet_size, expected.size() > packet_size);
        EXPECT_EQ(text_of(datagram.header) + text_of(datagram.payload),
                  expected.substr(0, datagram.header.size() + datagram.payload.size()));
        if (expected.size() <= packet_size) {
          EXPECT_EQ(datagram.bytes, expected.size());
          EXPECT_EQ(datagram.header.size() + datagram.payload.size(), expected.size());
        }
        if (is_scattered) {
          EXPECT_EQ(datagram.header.size(), std::min(header_size, expected.size()));
        }
      }
    }
    (void)batch.places(1);
    EXPECT_EQ(batch.receive(wire.socket()), -1) << "nothing is left";
  }
}

INSTANTIATE_TEST_SUITE_P(Datagrams, Batches, testing::Combine(testing::Bool(), testing::Bool()));

}  // namespace transport_datagram_batch_test
}  // namespace takt::sensors
