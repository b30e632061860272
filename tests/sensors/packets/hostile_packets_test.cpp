/// Tests that forged packets have no effect on a stream except in the counts, in any packet format. Valid
/// packets with forged ones among them, before them, and forged ones only. Sanitizers detect accesses outside
/// the packet's memory; TAKT_MUTATIONS extends the search.

#include <algorithm>
#include <cstring>

#include <gmock/gmock.h>

#include "core/random.hpp"
#include "tests/sensors/packets/packet_peers.hpp"
#include "tests/support/mutation.hpp"

namespace takt::sensors {
namespace packets_hostile_packets_test {

using test::PacketPeer;

struct SentPacket {
  std::size_t lane;
  test::Bytes bytes;
};

std::vector<SentPacket> good_packets(const PacketPeer& peer, std::size_t count) {
  const std::unique_ptr<PacketStream> stream = peer.stream();
  std::vector<SentPacket> packets;
  for (std::size_t i = 0; i < count; ++i) {
    const LanePacket packet = *stream->next();
    packets.push_back({packet.lane, {packet.bytes.begin(), packet.bytes.end()}});
  }
  return packets;
}

/// Upper bound of header sizes.
constexpr std::size_t header_region = 80;

/// A packet with one to three changes: mostly of its header, in bits, in fields, to values next to a limit;
/// or of its length; or of all of it.
test::Bytes forged(test::Bytes bytes, const test::Bytes& older, Random& random) {
  for (std::uint64_t times = 1 + random.below(3); times > 0 && !bytes.empty(); --times) {
    const std::size_t region = std::min(bytes.size(), header_region);
    const std::size_t at = random.below(region);
    switch (random.below(9)) {
      case 0:
      case 1:
        bytes[at] ^= std::byte{1} << static_cast<int>(random.below(8));
        break;
      case 2:
        bytes[at] = static_cast<std::byte>(random.below(256));
        break;
      case 3:
      case 4: {
        const std::size_t size = std::min<std::size_t>(std::size_t{1} << random.below(4), region - at);
        std::uint64_t value = 0;
        std::memcpy(&value, bytes.data() + at, size);
        value = random.below(2) == 0 ? test::number_at_bound(random) : value + random.below(64) - 32;
        std::memcpy(bytes.data() + at, &value, size);
        break;
      }
      case 5:
        bytes.resize(random.below(bytes.size() + 1));
        break;
      case 6:
        bytes.resize(bytes.size() + random.below(random.below(10) == 0 ? 60'000 : 40), std::byte{0x5A});
        break;
      case 7:
        std::copy_n(older.begin(), std::min({older.size(), bytes.size(), at + 1}), bytes.begin());
        break;
      default:
        for (std::byte& byte : bytes) byte = static_cast<std::byte>(random.below(256));
    }
  }
  return bytes;
}

/// A receiver of packets, and its output.
class HostileReceiver {
 public:
  explicit HostileReceiver(const PacketPeer& peer)
      : format_(peer.format({})), queue_(4096, format_.type.size()), builder_(format_.make_builder(queue_)) {
    builder_->captured_at(1'700'000'000'000'000'000);
  }

  void take(std::size_t lane, const test::Bytes& bytes) {
    ++given_;
    // Sanitizers detect reads beyond the datagram.
    const std::unique_ptr<std::byte[]> own(new std::byte[bytes.size()]);
    std::ranges::copy(bytes, own.get());
    builder_->take(lane, {own.get(), bytes.size()}, static_cast<std::int64_t>(given_));
    if (queue_.free_slots() < 2048) drain();
  }
  void finish() {
    builder_->finish(static_cast<std::int64_t>(given_) + 1);
    drain();
  }

  [[nodiscard]] std::uint64_t given() const { return given_; }
  [[nodiscard]] std::uint64_t counted() const { return test::counted_packets(builder_->counters()); }
  [[nodiscard]] std::uint64_t count(const char* name) const {
    return test::value_of(builder_->counters().details, name);
  }
  [[nodiscard]] const std::vector<FrameHeader>& headers() const { return headers_; }

 private:
  void drain() {
    for (const test::KeptFrame& frame : test::take_all(queue_)) {
      ASSERT_EQ(frame.bytes.size(), format_.type.size().count);
      headers_.push_back(frame.header);
    }
  }

  const PacketFormat format_;
  FrameQueue queue_;
  const std::unique_ptr<FrameBuilder> builder_;
  std::uint64_t given_ = 0;
  std::vector<FrameHeader> headers_;
};

class HostilePackets : public testing::TestWithParam<PacketPeer> {};

TEST_P(HostilePackets, among_valid_ones_are_counted_once_and_have_no_effect) {
  const std::vector<SentPacket> good = good_packets(GetParam(), 3000);
  HostileReceiver calm(GetParam());
  for (const SentPacket& packet : good) calm.take(packet.lane, packet.bytes);
  calm.finish();
  ASSERT_GT(calm.headers().size(), 100U);

  const int rounds = std::max(test::mutation_count() / 3000, 1);
  for (int round = 1; round <= rounds; ++round) {
    SCOPED_TRACE(round);
    Random random(static_cast<std::uint64_t>(round));
    HostileReceiver receiver(GetParam());
    for (std::size_t i = 0; i < good.size(); ++i) {
      receiver.take(good[i].lane, good[i].bytes);
      // The last packets are unchanged, so that all frames but the last ones are closed by valid packets.
      if (i > 100 && i + 700 < good.size())
        for (std::uint64_t n = random.below(3); n > 0; --n)
          receiver.take(random.below(GetParam().lanes),
                        forged(good[i].bytes, good[random.below(i)].bytes, random));
    }
    receiver.finish();
    EXPECT_GT(receiver.given(), good.size() * 3 / 2);
    EXPECT_EQ(receiver.counted(), receiver.given());
    EXPECT_EQ(receiver.count("clock_jumps"), 0U);
    EXPECT_EQ(receiver.count("packets_lost"), 0U);
    ASSERT_EQ(receiver.headers().size(), calm.headers().size());
    for (std::size_t k = 0; k < calm.headers().size(); ++k) {
      const FrameHeader &header = receiver.headers()[k], &expected = calm.headers()[k];
      ASSERT_EQ(header.sequence, expected.sequence);
      ASSERT_EQ(header.utc_ns, expected.utc_ns);
      ASSERT_EQ(header.missing_parts, expected.missing_parts) << "frame " << k;
    }
  }
}

TEST_P(HostilePackets, before_the_first_valid_one_do_not_block_the_stream) {
  const std::vector<SentPacket> good = good_packets(GetParam(), 3000);
  const int rounds = std::max(test::mutation_count() / 100, 1);
  for (int round = 1; round <= rounds; ++round) {
    Random random(static_cast<std::uint64_t>(round));
    HostileReceiver receiver(GetParam());
    for (std::uint64_t n = 1 + random.below(6); n > 0; --n)
      receiver.take(random.below(GetParam().lanes),
                    forged(good[random.below(400)].bytes, good[1].bytes, random));
    for (const SentPacket& packet : good) receiver.take(packet.lane, packet.bytes);
    receiver.finish();
    EXPECT_EQ(receiver.counted(), receiver.given());
    EXPECT_GT(receiver.count("packets_received"), good.size() * 9 / 10) << "round " << round;
  }
}

TEST_P(HostilePackets, alone_are_counted_once_and_the_following_stream_is_received) {
  const std::vector<SentPacket> good = good_packets(GetParam(), 3000);
  Random random(7);
  HostileReceiver receiver(GetParam());
  for (int i = 0; i < test::mutation_count(10'000); ++i) {
    const SentPacket& packet = good[random.below(good.size())];
    receiver.take(packet.lane, forged(packet.bytes, good[random.below(good.size())].bytes, random));
  }
  const std::uint64_t before = receiver.count("packets_received");
  for (const SentPacket& packet : good) receiver.take(packet.lane, packet.bytes);
  receiver.finish();
  EXPECT_EQ(receiver.counted(), receiver.given());
  EXPECT_GT(receiver.count("packets_received") - before, good.size() * 8 / 10);
}

INSTANTIATE_TEST_SUITE_P(Of, HostilePackets, testing::ValuesIn(test::packet_peers),
                         [](const auto& info) { return std::string(info.param.name); });

}  // namespace packets_hostile_packets_test
}  // namespace takt::sensors
