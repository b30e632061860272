/// Tests streams whose restarted sender begins new numbers or times, and single packets that only resemble a
/// restart.

#include <cstring>

#include <gmock/gmock.h>

#include "tests/sensors/packets/packet_peers.hpp"

namespace takt::sensors {
namespace packets_sender_restarts_test {

constexpr std::int64_t second_ns = 1'000'000'000;
constexpr std::int64_t began_ns = 1'700'000'000 * second_ns;

/// GNU Radio's datagrams, 8000/s, 8 per frame.
class NumberedStream {
 public:
  NumberedStream()
      : format_(gnuradio_packets(test::peer_gnuradio(), {}, 0)),
        queue_(4096, format_.type.size()),
        builder_(format_.make_builder(queue_)) {}

  void take(std::uint64_t number, std::int64_t utc_ns) {
    test::Bytes bytes(sizeof number + test::peer_gnuradio().payload_bytes);
    std::memcpy(bytes.data(), &number, sizeof number);
    builder_->captured_at(utc_ns);
    (void)builder_->take(0, bytes, utc_ns);
  }
  void take(std::uint64_t first, std::uint64_t last, std::int64_t utc_ns) {
    for (std::uint64_t number = first; number <= last; ++number) take(number, utc_ns);
  }
  std::vector<test::KeptFrame> finish() {
    builder_->finish(0);
    return test::take_all(queue_);
  }
  [[nodiscard]] std::uint64_t count(const char* name) const {
    return test::value_of(builder_->counters().details, name);
  }

 private:
  const PacketFormat format_;
  FrameQueue queue_;
  const std::unique_ptr<FrameBuilder> builder_;
};

TEST(SenderRestarts, a_repeated_first_number_has_no_effect) {
  NumberedStream stream;
  stream.take(1, 3, began_ns);
  stream.take(1, began_ns + 1'000'000);
  stream.take(4, 300, began_ns + 1'000'000);
  stream.take(1, began_ns + 37'000'000);
  stream.take(301, 4000, began_ns + 40'000'000);
  stream.take(1, began_ns + 500'000'000);
  stream.take(4001, 8000, began_ns + 500'000'000);
  const std::vector<test::KeptFrame> frames = stream.finish();
  EXPECT_EQ(stream.count("packets_received"), 8000U);
  EXPECT_EQ(stream.count("packets_duplicate"), 2U);
  EXPECT_EQ(stream.count("packets_implausible"), 1U);
  EXPECT_EQ(stream.count("packets_lost"), 0U);
  EXPECT_EQ(stream.count("clock_jumps"), 0U);
  ASSERT_EQ(frames.size(), 1000U);
  // The clock at the first number, to the duration of a datagram.
  EXPECT_NEAR(static_cast<double>(frames[0].header.utc_ns - began_ns), 0, 125'000);
  for (std::size_t k = 0; k < frames.size(); ++k)
    ASSERT_EQ(frames[k].header.utc_ns - frames[0].header.utc_ns, static_cast<std::int64_t>(k) * 1'000'000);
}

TEST(SenderRestarts, restarted_numbers_begin_an_epoch_without_loss) {
  // After a pause within the longest gap, after one beyond it, and without one.
  for (const std::int64_t pause : {3 * second_ns, 30 * second_ns, std::int64_t{0}}) {
    SCOPED_TRACE(pause);
    NumberedStream stream;
    stream.take(1, 4000, began_ns);
    stream.take(1, 4000, began_ns + pause);
    const std::vector<test::KeptFrame> frames = stream.finish();
    EXPECT_EQ(stream.count("packets_received"), 8000U);
    EXPECT_EQ(stream.count("packets_lost"), 0U);
    EXPECT_EQ(stream.count("clock_jumps"), 1U);
    ASSERT_EQ(frames.size(), 1000U);
    EXPECT_EQ(frames[499].header.epoch, 0U);
    EXPECT_EQ(frames[500].header.epoch, 1U);
    EXPECT_EQ(frames[500].header.sequence, 0U);
    EXPECT_NEAR(static_cast<double>(frames[500].header.utc_ns - began_ns - pause), 0, 125'000);
  }
}

TEST(SenderRestarts, a_short_stream_restarted_after_a_silence_is_a_separate_stream) {
  NumberedStream stream;
  stream.take(1, 200, began_ns);
  stream.take(1, 200, began_ns + 5 * second_ns);
  const std::vector<test::KeptFrame> frames = stream.finish();
  EXPECT_EQ(stream.count("packets_received"), 400U);
  EXPECT_EQ(stream.count("clock_jumps"), 1U);
  ASSERT_EQ(frames.size(), 50U);
}

TEST(SenderRestarts, a_wrong_first_number_costs_only_itself) {
  NumberedStream stream;
  stream.take(std::uint64_t{1} << 60, began_ns);
  stream.take(70'000, 74'000, began_ns);
  const std::vector<test::KeptFrame> frames = stream.finish();
  EXPECT_EQ(stream.count("packets_received"), 4001U);
  EXPECT_EQ(stream.count("packets_implausible") + stream.count("packets_early"), 1U);
  EXPECT_NEAR(static_cast<double>(frames.at(0).header.utc_ns - began_ns), 0, 125'000);
}

/// The peer's stream from a second on, with times shifted by this many ticks relative to its samples.
class ShiftedHeaps {
 public:
  ShiftedHeaps(std::int64_t second, std::uint64_t ticks)
      : stream_({.format = test::peer_spead(), .second = second}), ticks_(ticks) {}

  test::Bytes next() {
    const LanePacket packet = *stream_.next();
    test::Bytes bytes(packet.bytes.begin(), packet.bytes.end());
    const SpeadFlavour flavour = test::peer_spead().flavour;
    const std::size_t items = read_spead_word(bytes) & 0xFFFF;
    for (std::size_t i = 1; i <= items; ++i) {
      const std::span<std::byte> word = std::span(bytes).subspan(i * spead_word, spead_word);
      SpeadPointer pointer = decode_pointer(read_spead_word(word), flavour);
      if (pointer.id != test::peer_spead().timestamp) continue;
      pointer.value += ticks_;
      write_spead_word(word, encode_pointer(pointer, flavour));
    }
    return bytes;
  }

 private:
  SpeadSynthesis stream_;
  std::uint64_t ticks_;
};

TEST(SenderRestarts, heaps_of_another_phase_are_accepted_once_some_agree) {
  const PacketFormat format = spead_packets(test::peer_spead(), {}, 0);
  FrameQueue queue(2048, format.type.size());
  const auto builder = format.make_builder(queue);
  const auto take = [&](ShiftedHeaps& stream, int packets) {
    for (int i = 0; i < packets; ++i) (void)builder->take(0, stream.next(), 0);
  };
  ShiftedHeaps before(1'656'466'200, 0), astray(1'656'466'200, 100), after(1'656'466'300, 512);
  take(before, 2000);
  // A single deviating time is no stream.
  take(astray, 1);
  take(before, 2000);
  take(after, 2000);
  builder->finish(0);
  const auto details = builder->counters().details;
  // The stray one, and the first packets of seven heaps, which alone contain times.
  EXPECT_EQ(test::value_of(details, "refused_timestamp"), 1U + 7U);
  // The places of the other packets of those seven heaps are unknown.
  EXPECT_EQ(test::value_of(details, "packets_received"), 6000U - 7U * 4U);
  EXPECT_EQ(test::value_of(details, "packets_lost"), 0U);
  EXPECT_EQ(test::value_of(details, "clock_jumps"), 1U);
  const std::vector<test::KeptFrame> frames = test::take_all(queue);
  for (const test::KeptFrame& frame : frames) {
    // 2000 frames/s; those after the step are offset by 512 ticks from the first ones' grid.
    const std::int64_t beyond = frame.header.epoch == 0 ? 0 : 250'000;
    ASSERT_EQ(frame.header.utc_ns % 500'000, beyond) << frame.header.epoch;
  }
  EXPECT_EQ(frames.back().header.epoch, 1U);
}

}  // namespace packets_sender_restarts_test
}  // namespace takt::sensors
