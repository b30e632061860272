/// Tests a stream's time when valid packets are mixed with forged ones, bursts of them, and other
/// senders. The generator knows the valid packets: exactly these must be delivered, or count as
/// lost.

#include <algorithm>
#include <array>
#include <cstring>
#include <random>
#include <string_view>

#include <gmock/gmock.h>

#include "tests/sensors/packets/packet_peers.hpp"

namespace takt::sensors {
namespace packets_stream_time_test {

using testing::Contains;
using testing::HasSubstr;
using testing::Not;

/// 10,000 packets/s per lane: the evidence of a lane is 256 packets.
constexpr double packets_per_second = 10'000;
constexpr std::uint64_t evidence = 256;
constexpr std::uint64_t hour = 36'000'000;

/// Packets carry their number in sending order, by which the output is identified.
class Mixture {
 public:
  explicit Mixture(std::size_t lanes)
      : lanes_(lanes),
        grid_{.lanes = lanes,
              .packets = 8,
              .ticks_per_packet = 3,
              .ticks_per_second = 3 * packets_per_second,
              .payload_bytes = sizeof(std::uint64_t),
              .part_bytes = sizeof(std::uint64_t),
              .utc_of = [](std::uint64_t tick, double) { return static_cast<std::int64_t>(tick); }},
        queue_(8192, Bytes{8 * lanes * (sizeof(std::uint64_t) + 1)}),
        assembler_(grid_, {.window = 64}, counts_, queue_) {}

  /// Delivers a packet of the stream, `number` packets after time 0.
  void good(std::size_t lane, std::uint64_t number) { take(lane, number, true); }
  void forged(std::size_t lane, std::uint64_t number) { take(lane, number, false); }
  void good_of_all(std::uint64_t number) {
    for (std::size_t lane = 0; lane < lanes_; ++lane) good(lane, number);
  }
  void good_run(std::uint64_t begin, std::uint64_t end) {
    for (std::uint64_t number = begin; number < end; ++number) good_of_all(number);
  }

  /// Ends the stream, and classifies the output.
  void finish() {
    assembler_.finish(0);
    collect();
  }

  [[nodiscard]] const AssemblyCounts& counts() const { return counts_; }
  /// Valid and forged packets in frames, each at the place of its time.
  [[nodiscard]] std::size_t good_in_frames() const { return good_out_; }
  [[nodiscard]] std::size_t forged_in_frames() const { return forged_out_; }
  [[nodiscard]] std::size_t good_sent() const { return good_sent_; }
  [[nodiscard]] std::vector<std::string> warnings() const {
    std::vector<std::string> names;
    for (std::size_t lane = 0; lane < lanes_; ++lane) names.push_back("port " + std::to_string(lane));
    return lane_warnings(counts_, names);
  }
  void expect_each_counted_once() const {
    EXPECT_EQ(counts_.received.value() + counts_.late.value() + counts_.early.value() +
                  counts_.implausible.value() + counts_.duplicate.value(),
              sent_.size());
  }

 private:
  struct Sent {
    std::size_t lane;
    std::uint64_t tick;
    bool is_good;
  };

  void take(std::size_t lane, std::uint64_t number, bool is_good) {
    const std::uint64_t id = sent_.size(), tick = 1'000'000'000 + number * 3;
    sent_.push_back({lane, tick, is_good});
    good_sent_ += is_good ? 1 : 0;
    test::Bytes payload(sizeof id);
    std::memcpy(payload.data(), &id, sizeof id);
    assembler_.take(lane, tick, payload, 0);
    if (queue_.free_slots() < 4096) collect();
  }

  void collect() {
    for (const test::KeptFrame& frame : test::take_all(queue_))
      for (std::size_t part = 0; part < 8 * lanes_; ++part) {
        if (frame.bytes[8 * lanes_ * sizeof(std::uint64_t) + part] != std::byte{0}) continue;
        std::uint64_t id = 0;
        std::memcpy(&id, frame.bytes.data() + part * sizeof id, sizeof id);
        ASSERT_LT(id, sent_.size());
        EXPECT_EQ(sent_[id].lane, part % lanes_);
        EXPECT_EQ(sent_[id].tick, frame.header.first_sample + part / lanes_ * 3);
        ++(sent_[id].is_good ? good_out_ : forged_out_);
      }
  }

  std::size_t lanes_;
  FrameGrid grid_;
  AssemblyCounts counts_;
  FrameQueue queue_;
  Assembler assembler_;
  std::vector<Sent> sent_;
  std::size_t good_sent_ = 0, good_out_ = 0, forged_out_ = 0;
};

TEST(StreamTime, a_burst_below_the_evidence_has_no_effect) {
  for (const std::size_t lanes : {1U, 2U, 4U})
    for (const std::uint64_t burst : {std::uint64_t{16}, std::uint64_t{100}, evidence - 1})
      for (const std::uint64_t place : {hour, std::uint64_t{100'000}}) {
        SCOPED_TRACE(testing::Message() << lanes << " lanes, " << burst << " packets at " << place);
        Mixture mixture(lanes);
        mixture.good_run(50'000, 51'000);
        for (std::uint64_t i = 0; i < burst; ++i)
          for (std::size_t lane = 0; lane < lanes; ++lane) mixture.forged(lane, place + i);
        mixture.good_run(51'000, 52'000);
        mixture.finish();
        EXPECT_EQ(mixture.counts().jumps.value(), 0U);
        EXPECT_EQ(mixture.counts().lost.value(), 0U);
        EXPECT_EQ(mixture.good_in_frames(), 2000 * lanes);
        EXPECT_EQ(mixture.forged_in_frames(), 0U);
        EXPECT_EQ(mixture.counts().implausible.value(), burst * lanes);
        mixture.expect_each_counted_once();
      }
}

TEST(StreamTime, forged_packets_after_a_burst_do_not_exclude_a_lane) {
  // As many as move a lane, or nearly, and then one of them after 33 valid ones.
  for (const std::uint64_t burst : {std::uint64_t{100}, evidence, 2 * evidence}) {
    SCOPED_TRACE(burst);
    Mixture mixture(1);
    std::uint64_t forged = hour;
    mixture.good_run(0, 1000);
    for (std::uint64_t i = 0; i < burst; ++i) mixture.forged(0, forged++);
    for (std::uint64_t number = 1000; number < 9000; ++number) {
      if (number % 33 == 0) mixture.forged(0, forged++);
      mixture.good(0, number);
    }
    mixture.finish();
    EXPECT_EQ(mixture.counts().jumps.value(), burst < evidence ? 0U : 2U);
    EXPECT_EQ(mixture.good_in_frames(), 9000U) << "uncertain packets were kept";
    EXPECT_LE(mixture.forged_in_frames(), burst < evidence ? 0 : burst + 16);
    EXPECT_THAT(mixture.warnings(), Contains(HasSubstr("two senders on port 0")));
    mixture.expect_each_counted_once();
  }
}

TEST(StreamTime, discarded_packets_count_as_lost_once_their_time_wins) {
  Mixture mixture(1);
  std::uint64_t forged = hour;
  mixture.good_run(0, 1000);
  for (std::uint64_t i = 0; i < evidence; ++i) mixture.forged(0, forged++);
  // Equal numbers: nothing is decided, and there are too many valid ones to keep.
  for (std::uint64_t number = 1000; number < 4000; ++number) {
    mixture.good(0, number);
    mixture.forged(0, forged++);
  }
  mixture.good_run(4000, 9000);
  mixture.finish();
  EXPECT_EQ(mixture.counts().jumps.value(), 2U);
  EXPECT_GT(mixture.counts().lost.value(), 1000U);
  EXPECT_EQ(mixture.good_in_frames() + mixture.counts().lost.value(), 9000U);
  mixture.expect_each_counted_once();
}

TEST(StreamTime, two_senders_on_one_port_are_reported_and_one_is_followed) {
  Mixture mixture(1);
  mixture.good_run(0, 1000);
  for (std::uint64_t number = 1000; number < 20'000; ++number) {
    mixture.good(0, number);
    mixture.forged(0, hour + number);
  }
  mixture.finish();
  EXPECT_EQ(mixture.counts().jumps.value(), 0U);
  EXPECT_EQ(mixture.good_in_frames(), 20'000U);
  EXPECT_EQ(mixture.forged_in_frames(), 0U);
  EXPECT_THAT(mixture.warnings(), Contains(HasSubstr("two senders on port 0")));
}

TEST(StreamTime, a_clock_jump_is_followed_without_a_warning_of_two_senders) {
  for (const std::size_t lanes : {1U, 3U}) {
    Mixture mixture(lanes);
    mixture.good_run(hour, hour + 3000);
    mixture.good_run(0, 3000);
    mixture.good_run(5 * hour, 5 * hour + 3000);
    mixture.finish();
    EXPECT_EQ(mixture.counts().jumps.value(), 2U);
    EXPECT_EQ(mixture.counts().lost.value(), 0U);
    EXPECT_EQ(mixture.good_in_frames(), 9000 * lanes);
    EXPECT_THAT(mixture.warnings(), Not(Contains(HasSubstr("two senders"))));
  }
}

TEST(StreamTime, short_pieces_ahead_are_a_stream_with_gaps) {
  // An overloaded receiver: 26 packets of each lane, then a gap of 30 ms.
  Mixture mixture(2);
  for (std::uint64_t piece = 0; piece < 400; ++piece)
    for (std::uint64_t i = 0; i < 26; ++i) mixture.good_of_all(piece * 300 + i);
  mixture.finish();
  EXPECT_EQ(mixture.counts().jumps.value(), 0U);
  EXPECT_GT(mixture.good_in_frames(), mixture.good_sent() * 9 / 10);
  mixture.expect_each_counted_once();
}

/// A random stream of some seconds: valid packets with gaps, forged ones among them, bursts, a second sender,
/// and real steps of the clock.
class RandomMixture {
 public:
  RandomMixture(unsigned seed, Mixture& mixture, std::size_t lanes)
      : random_(seed), mixture_(mixture), lanes_(lanes), share_(random_() % 31) {}

  std::uint64_t run() {
    const std::uint64_t steps = random_() % 4;
    for (std::uint64_t step = 0; step <= steps; ++step) {
      segment();
      step_clock();
    }
    return steps;
  }

 private:
  void segment() {
    const std::uint64_t length = 2000 + random_() % 3000;
    const std::uint64_t burst_at = 700 + random_() % 500;
    for (std::uint64_t i = 0; i < length; ++i, ++now_) {
      for (std::size_t lane = 0; lane < lanes_; ++lane) {
        mixture_.good(lane, now_);
        if (i > 400 && random_() % 100 < share_) forge(lane);
      }
      if (i == burst_at) burst();
    }
  }

  /// A packet of a second sender two hours ahead, or of any time.
  void forge(std::size_t lane) {
    if (random_() % 2 == 0)
      mixture_.forged(lane, now_ + 2 * hour);
    else
      mixture_.forged(lane, random_() % (1000 * hour));
  }

  /// In some lanes, or all.
  void burst() {
    const std::uint64_t length = random_() % (evidence - 10), place = now_ + 20 * hour + random_() % hour;
    const std::size_t lanes = 1 + random_() % lanes_;
    for (std::uint64_t i = 0; i < length; ++i)
      for (std::size_t lane = 0; lane < lanes; ++lane) mixture_.forged(lane, place + i);
  }

  /// Back by a second to an hour, or further ahead than the longest gap.
  void step_clock() {
    if (random_() % 2 == 0)
      now_ -= 10'000 + random_() % hour;
    else
      now_ += 200'000 + random_() % hour;
  }

  std::mt19937_64 random_;
  Mixture& mixture_;
  std::size_t lanes_;
  /// Percentage of valid packets followed by a forged one.
  std::uint64_t share_;
  std::uint64_t now_ = 100 * hour;
};

TEST(StreamTime, valid_packets_are_delivered_and_forged_ones_not_in_any_mixture) {
  for (unsigned seed = 1; seed <= 60; ++seed) {
    SCOPED_TRACE(seed);
    const std::size_t lanes = 1 + seed % 4;
    Mixture mixture(lanes);
    const std::uint64_t steps = RandomMixture(seed, mixture, lanes).run();
    mixture.finish();
    EXPECT_EQ(mixture.counts().jumps.value(), steps);
    EXPECT_EQ(mixture.forged_in_frames(), 0U);
    EXPECT_EQ(mixture.good_in_frames() + mixture.counts().early.value() + mixture.counts().lost.value(),
              mixture.good_sent());
    EXPECT_LE(mixture.counts().lost.value(), steps * lanes * 16);
    mixture.expect_each_counted_once();
  }
}

/// A builder of a format, and its output for its peer's stream.
class Peer {
 public:
  explicit Peer(const test::PacketPeer& peer)
      : format_(peer.format({})), queue_(4096, format_.type.size()), builder_(format_.make_builder(queue_)) {
    builder_->captured_at(1'700'000'000'000'000'000);
  }
  void take(PacketStream& stream, std::size_t packets) {
    for (std::size_t i = 0; i < packets; ++i) {
      const LanePacket packet = *stream.next();
      builder_->take(packet.lane, packet.bytes, 0);
    }
    drain();
  }
  void finish() {
    builder_->finish(0);
    drain();
  }
  [[nodiscard]] std::uint64_t count(const char* name) const {
    return test::value_of(builder_->counters().details, name);
  }
  [[nodiscard]] const std::vector<FrameHeader>& headers() const { return headers_; }

 private:
  void drain() {
    for (const test::KeptFrame& frame : test::take_all(queue_)) headers_.push_back(frame.header);
  }
  const PacketFormat format_;
  FrameQueue queue_;
  const std::unique_ptr<FrameBuilder> builder_;
  std::vector<FrameHeader> headers_;
};

constexpr std::array<std::string_view, 3> formats_with_times{"lofar", "vdif", "spead"};

std::unique_ptr<PacketStream> stream_at(const std::string& format, std::uint32_t second) {
  if (format == "lofar")
    return std::make_unique<LofarSynthesis>(
        LofarSynthesisOptions{.format = test::peer_lofar(), .second = second});
  if (format == "lwa")
    return std::make_unique<LwaSynthesis>(LwaSynthesisOptions{.format = test::peer_lwa(), .second = second});
  if (format == "vdif")
    return std::make_unique<VdifSynthesis>(
        VdifSynthesisOptions{.format = test::peer_vdif(), .second = second});
  return std::make_unique<SpeadSynthesis>(
      SpeadSynthesisOptions{.format = test::peer_spead(), .second = second});
}

TEST(StreamTime, is_not_moved_by_a_sender_an_hour_ahead) {
  for (const test::PacketPeer& peer : test::packet_peers) {
    if (std::ranges::count(formats_with_times, std::string_view(peer.name)) == 0) continue;
    SCOPED_TRACE(peer.name);
    Peer receiver(peer);
    const auto good = stream_at(peer.name, test::first_second_sent);
    const auto other = stream_at(peer.name, test::first_second_sent + 3600);
    receiver.take(*good, 1200);
    receiver.take(*other, 100 * peer.lanes);
    for (int i = 0; i < 60; ++i) {
      receiver.take(*good, 33 * peer.lanes);
      receiver.take(*other, peer.lanes);
    }
    receiver.finish();
    EXPECT_EQ(receiver.count("clock_jumps"), 0U);
    EXPECT_EQ(receiver.count("packets_lost"), 0U);
    EXPECT_EQ(receiver.count("packets_received"), 1200 + 60 * 33 * peer.lanes);
    // Packets of a SPEAD heap whose first one has not arrived are placed by the heap's counter.
    EXPECT_NEAR(static_cast<double>(receiver.count("packets_implausible")),
                160 * static_cast<double>(peer.lanes), 4);
  }
}

/// GNU Radio's numbers: their time is the arrival of the first one.
TEST(StreamTime, is_restored_after_forged_numbers) {
  // After the stream, and ahead of it: fewer than a stream, and as many.
  for (const std::uint64_t place : {std::uint64_t{1}, std::uint64_t{10'000'000}})
    for (const std::uint64_t burst : {100U, 400U}) {
      SCOPED_TRACE(testing::Message() << burst << " at " << place);
      const PacketFormat format = gnuradio_packets(test::peer_gnuradio(), {}, 0);
      FrameQueue queue(4096, format.type.size());
      const auto builder = format.make_builder(queue);
      std::int64_t now = 1'700'000'000'000'000'000;
      const auto take = [&](std::uint64_t number) {
        test::Bytes bytes(sizeof number + test::peer_gnuradio().payload_bytes);
        std::memcpy(bytes.data(), &number, sizeof number);
        builder->captured_at(now);
        (void)builder->take(0, bytes, now);
      };
      std::uint64_t forged = place;
      for (std::uint64_t number = 50'000; number < 58'000; ++number, now += 125'000) {
        if (number == 52'000)
          for (std::uint64_t i = 0; i < burst; ++i) take(forged++);
        if (number > 52'000 && number % 33 == 0) take(forged++);
        take(number);
      }
      builder->finish(0);
      const std::vector<test::KeptFrame> frames = test::take_all(queue);
      EXPECT_EQ(test::value_of(builder->counters().details, "clock_jumps"), burst < evidence ? 0U : 2U);
      EXPECT_EQ(test::value_of(builder->counters().details, "packets_lost"), 0U);
      EXPECT_GE(frames.size(), 1000U);
      // The last frame's time follows from its numbers, not from the forged ones.
      EXPECT_NEAR(static_cast<double>(frames.back().header.utc_ns - (now - 1'000'000)), 0, 1'000'000);
    }
}

}  // namespace packets_stream_time_test
}  // namespace takt::sensors
