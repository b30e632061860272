/// Tests that a stream joined at any time begins with its first whole heap, without waiting.

#include <cstring>
#include <vector>

#include <gmock/gmock.h>

#include "sensors/packets/assembler.hpp"
#include "tests/sensors/packets/packet_support.hpp"

namespace takt::sensors {
namespace packets_assembler_start_test {

/// A receiver of heaps of `heap` packets in each lane, two of them per frame.
class Receiver {
 public:
  Receiver(std::size_t lanes, std::size_t heap)
      : grid_{.lanes = lanes,
              .packets = 2 * heap,
              .alignment = heap,
              .payload_bytes = sizeof(std::uint64_t),
              .part_bytes = sizeof(std::uint64_t),
              .utc_of = [](std::uint64_t tick, double) { return static_cast<std::int64_t>(tick); }},
        queue_(64, Bytes{2 * heap * lanes * (sizeof(std::uint64_t) + 1)}),
        assembler_(grid_, {}, counts_, queue_) {}

  void take(std::size_t lane, std::uint64_t tick) {
    test::Bytes payload(sizeof tick);
    std::memcpy(payload.data(), &tick, sizeof tick);
    assembler_.take(lane, tick, payload, 0);
  }

  /// Returns the first tick of each complete frame.
  std::vector<std::uint64_t> whole_frames() {
    std::vector<std::uint64_t> ticks;
    for (const test::KeptFrame& frame : test::take_all(queue_)) {
      EXPECT_EQ(frame.header.missing_parts, 0u);
      for (std::size_t part = 0; part < grid_.packets * grid_.lanes; ++part) {
        std::uint64_t tick = 0;
        std::memcpy(&tick, frame.bytes.data() + part * sizeof tick, sizeof tick);
        EXPECT_EQ(tick, frame.header.first_sample + part / grid_.lanes);
      }
      ticks.push_back(frame.header.first_sample);
    }
    return ticks;
  }

  void finish() { assembler_.finish(0); }
  const AssemblyCounts& counts() const { return counts_; }

  void expect_no_faults() const {
    EXPECT_EQ(counts_.lost.value(), 0u);
    EXPECT_EQ(counts_.implausible.value(), 0u);
    EXPECT_EQ(counts_.jumps.value(), 0u);
    EXPECT_EQ(counts_.frames_incomplete.value(), 0u);
  }

 private:
  FrameGrid grid_;
  AssemblyCounts counts_;
  FrameQueue queue_;
  Assembler assembler_;
};

/// From a few packets to more than are remembered, or than move a stream.
class AssemblerStart : public testing::TestWithParam<std::size_t> {};

TEST_P(AssemblerStart, the_first_whole_heap_is_the_first_one_of_the_first_frame) {
  const std::size_t heap = GetParam();
  for (const std::size_t heard : {std::size_t{0}, std::size_t{1}, heap / 2, heap - 1}) {
    Receiver receiver(1, heap);
    const std::uint64_t joined = 7 * heap + heard, first = heard == 0 ? 7 : 8;
    for (std::uint64_t tick = joined; tick < (first + 20) * heap; ++tick) receiver.take(0, tick);
    // Ten frames, all of them before the stream continues or ends.
    const std::vector<std::uint64_t> frames = receiver.whole_frames();
    ASSERT_EQ(frames.size(), 10u) << "joined at packet " << heard << " of a heap";
    for (std::uint64_t f = 0; f < frames.size(); ++f) EXPECT_EQ(frames[f], (first + 2 * f) * heap);
    receiver.expect_no_faults();
    EXPECT_EQ(receiver.counts().early.value(), heard == 0 ? 0 : heap - heard);
  }
}

INSTANTIATE_TEST_SUITE_P(Heaps, AssemblerStart, testing::Values(2, 3, 100, 5000));

TEST(AssemblerStart, lost_first_packets_cost_their_heap_and_late_ones_do_not) {
  const auto frames_of = [](const std::vector<std::uint64_t>& first) {
    Receiver receiver(1, 4);
    for (const std::uint64_t tick : first) receiver.take(0, tick);
    for (std::uint64_t tick = 12; tick < 40; ++tick) receiver.take(0, tick);
    receiver.expect_no_faults();
    return receiver.whole_frames();
  };
  EXPECT_THAT(frames_of({9, 11, 10, 8}), testing::ElementsAre(8, 16, 24, 32));
  EXPECT_THAT(frames_of({9, 10, 11}), testing::ElementsAre(12, 20, 28));
  // The last one belongs to a heap that had ended before the reception.
  EXPECT_THAT(frames_of({8, 9, 7, 10, 11}), testing::ElementsAre(8, 16, 24, 32));
}

TEST(AssemblerStart, lanes_that_begin_at_different_moments_begin_with_one_heap) {
  Receiver receiver(2, 4);
  // The second lane is joined within heap 2, which the first one has.
  for (std::uint64_t tick = 5; tick < 44; ++tick) {
    receiver.take(0, tick);
    if (tick > 9) receiver.take(1, tick);
  }
  EXPECT_THAT(receiver.whole_frames(), testing::ElementsAre(12, 20, 28, 36));
  receiver.expect_no_faults();
  EXPECT_EQ(receiver.counts().early.value(), 7u + 2u);
}

TEST(AssemblerStart, an_epoch_that_begins_within_a_heap_starts_at_the_next_whole_one) {
  Receiver receiver(1, 4);
  for (std::uint64_t tick = 800; tick < 880; ++tick) receiver.take(0, tick);
  for (std::uint64_t tick = 402; tick < 404 + 80; ++tick) receiver.take(0, tick);
  std::vector<std::uint64_t> expected;
  for (const std::uint64_t begin : {800, 404})
    for (std::uint64_t f = 0; f < 10; ++f) expected.push_back(begin + 8 * f);
  EXPECT_EQ(receiver.whole_frames(), expected);
  EXPECT_EQ(receiver.counts().jumps.value(), 1u);
  EXPECT_EQ(receiver.counts().lost.value(), 0u);
  EXPECT_EQ(receiver.counts().early.value(), 2u);
}

TEST(AssemblerStart, a_stream_that_ends_before_a_whole_heap_yields_no_frame) {
  Receiver receiver(1, 100);
  for (std::uint64_t tick = 30; tick < 80; ++tick) receiver.take(0, tick);
  receiver.finish();
  EXPECT_TRUE(receiver.whole_frames().empty());
  receiver.expect_no_faults();
  EXPECT_EQ(receiver.counts().early.value(), 50u);
}

}  // namespace packets_assembler_start_test
}  // namespace takt::sensors
