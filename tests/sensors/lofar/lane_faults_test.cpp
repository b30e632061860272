/// Tests that one bad lane, or one bad sender, does not affect the data of the others.

#include <algorithm>
#include <map>
#include <random>

#include <gmock/gmock.h>

#include "sensors/lofar/assembler.hpp"
#include "tests/sensors/packets/packet_support.hpp"

namespace takt::sensors {
namespace lofar_lane_faults_test {

using test::KeptFrame;
using test::make_packet;
using test::payload_of;
using testing::Contains;
using testing::HasSubstr;
using testing::IsEmpty;

constexpr std::uint64_t base_block = 323528554687526;
constexpr std::size_t payload = 64;
/// Packets of a lane per second.
constexpr std::int64_t second = 12207;

/// Packets are numbered from base_block; a payload depends on its lane and its block.
class Station {
 public:
  Station(std::size_t lanes, std::size_t packets, Assembly assembly = {.window = 16})
      : format_(test::small_format(lanes, packets)),
        queue_(65536, lofar_frame_type(format_).size()),
        assembler_(format_, assembly, 0, queue_) {}

  void deliver(std::size_t lane, std::int64_t number, std::size_t station_lane) {
    const std::uint64_t block = base_block + static_cast<std::uint64_t>(number * 16);
    ++delivered_;
    assembler_.take(lane, make_packet(format_, station_lane, block, payload_of(payload, lane, block)),
                    ++now_);
  }
  void deliver(std::size_t lane, std::int64_t number) { deliver(lane, number, lane); }
  void deliver_all(std::int64_t first, std::int64_t last) {
    for (std::int64_t number = first; number <= last; ++number)
      for (std::size_t lane = 0; lane < format_.lanes; ++lane) deliver(lane, number);
  }
  std::vector<KeptFrame> frames() { return test::take_all(queue_); }
  std::vector<KeptFrame> finish() {
    assembler_.finish(++now_);
    return frames();
  }

  /// Returns 1 if the part holds the payload of the packet at its place, 0 if it is flagged as missing.
  [[nodiscard]] int part_of(const KeptFrame& frame, std::size_t lane, std::size_t packet) const {
    const std::size_t place = packet * format_.lanes + lane;
    const test::Bytes part(frame.bytes.begin() + static_cast<std::ptrdiff_t>(place * payload),
                           frame.bytes.begin() + static_cast<std::ptrdiff_t>((place + 1) * payload));
    const auto flag = frame.bytes[format_.lanes * format_.packets * payload + place];
    if (flag == std::byte{1}) {
      EXPECT_EQ(part, test::Bytes(payload));
      return 0;
    }
    EXPECT_EQ(part, payload_of(payload, lane, frame.header.first_sample + packet * 16));
    return 1;
  }
  /// Packets of a lane in the frames.
  [[nodiscard]] std::uint64_t found(const std::vector<KeptFrame>& frames, std::size_t lane) const {
    std::uint64_t count = 0;
    for (const KeptFrame& frame : frames)
      for (std::size_t p = 0; p < format_.packets; ++p)
        count += static_cast<unsigned>(part_of(frame, lane, p));
    return count;
  }
  void expect_each_counted_once() const {
    const LofarCounts& c = counts();
    EXPECT_EQ(
        c.received.value() + c.late.value() + c.early.value() + c.implausible.value() + c.duplicate.value(),
        delivered_);
  }

  [[nodiscard]] const LofarCounts& counts() const { return assembler_.counts(); }
  [[nodiscard]] std::vector<std::string> warnings() const {
    std::vector<std::string> names;
    for (std::size_t i = 0; i < format_.lanes; ++i) names.push_back("port " + std::to_string(i));
    return counts().warnings(names);
  }

 private:
  LofarFormat format_;
  FrameQueue queue_;
  LofarAssembler assembler_;
  std::int64_t now_ = 0;
  std::uint64_t delivered_ = 0;
};

class LaneAhead : public testing::TestWithParam<std::int64_t> {};

TEST_P(LaneAhead, does_not_affect_the_others) {
  for (const std::int64_t from : {0, 100}) {
    Station station(4, 8);
    for (std::int64_t number = 0; number < 800; ++number)
      for (std::size_t lane = 0; lane < 4; ++lane)
        station.deliver(lane, lane == 0 && number >= from ? number + GetParam() : number);
    const std::vector<KeptFrame> frames = station.finish();
    EXPECT_EQ(station.counts().jumps.value(), 0u);
    EXPECT_EQ(station.found(frames, 0), static_cast<std::uint64_t>(from));
    for (const std::size_t lane : {1u, 2u, 3u}) EXPECT_EQ(station.found(frames, lane), 800u);
    EXPECT_EQ(station.counts().lanes[0].implausible.value(), static_cast<std::uint64_t>(800 - from));
    station.expect_each_counted_once();
  }
}

INSTANTIATE_TEST_SUITE_P(By, LaneAhead,
                         testing::Values(second * 8 / 100, second / 2, second * 10, second * 3600),
                         [](const auto& test) { return std::to_string(test.param) + "packets"; });

TEST(LaneFaults, forged_packets_move_nothing) {
  for (const std::int64_t place : {std::int64_t{5000}, std::int64_t{-100'000}, second * 100}) {
    Station station(4, 8);
    station.deliver_all(0, 99);
    // 512 of them in a row, and again among valid ones.
    for (std::int64_t i = 0; i < 512; ++i) station.deliver(2, place + i);
    for (std::int64_t number = 100; number < 700; ++number) {
      station.deliver_all(number, number);
      station.deliver(2, place + 512 + number);
    }
    const std::vector<KeptFrame> frames = station.finish();
    EXPECT_EQ(station.counts().jumps.value(), 0u);
    for (std::size_t lane = 0; lane < 4; ++lane) EXPECT_EQ(station.found(frames, lane), 700u);
    EXPECT_EQ(station.counts().lost.value(), 0u);
    EXPECT_EQ(station.counts().implausible.value(), 512u + 600u);
    station.expect_each_counted_once();
  }
}

TEST(LaneFaults, the_stream_follows_the_majority_of_the_lanes) {
  Station station(4, 8);
  station.deliver_all(0, 99);
  for (std::int64_t number = 100; number < 900; ++number)
    for (std::size_t lane = 0; lane < 4; ++lane)
      station.deliver(lane, lane == 3 ? number : number - second * 60);
  const std::vector<KeptFrame> frames = station.finish();
  EXPECT_EQ(station.counts().jumps.value(), 1u);
  EXPECT_EQ(frames.back().header.epoch, 1u);
  for (const std::size_t lane : {0u, 1u, 2u}) EXPECT_EQ(station.found(frames, lane), 900u);
  station.expect_each_counted_once();
}

class StepBack : public testing::TestWithParam<std::int64_t> {};

TEST_P(StepBack, of_the_clock_costs_nothing) {
  for (const std::size_t lanes : {1u, 4u}) {
    Station station(lanes, 8);
    station.deliver_all(0, 5999);
    station.deliver_all(6000 - GetParam(), 9999);
    const std::vector<KeptFrame> frames = station.finish();
    EXPECT_EQ(station.counts().jumps.value(), 1u);
    EXPECT_EQ(station.counts().duplicate.value(), 0u);
    EXPECT_EQ(station.counts().lost.value(), 0u);
    for (std::size_t lane = 0; lane < lanes; ++lane)
      EXPECT_EQ(station.found(frames, lane), 10'000u + static_cast<std::uint64_t>(GetParam()));
    const auto second_epoch =
        std::ranges::find(frames, 1, [](const KeptFrame& frame) { return frame.header.epoch; });
    ASSERT_NE(second_epoch, frames.end());
    EXPECT_EQ(second_epoch->header.sequence, 0u);
    EXPECT_EQ(second_epoch->header.first_sample,
              base_block + static_cast<std::uint64_t>(16 * (6000 - GetParam())));
    station.expect_each_counted_once();
  }
}

// From 10 ms (the successive copies that prove a step) to 0.33 s (the end of the packet memory), and beyond.
INSTANTIATE_TEST_SUITE_P(By, StepBack, testing::Values(128, 300, 1220, 4028, 4100, 5900),
                         [](const auto& test) { return std::to_string(test.param) + "packets"; });

TEST(LaneFaults, a_network_that_sends_bursts_twice_does_not_look_like_a_clock_step) {
  Station station(4, 8, {.window = 64});
  for (std::int64_t burst = 0; burst < 50; ++burst)
    for (int copy = 0; copy < 2; ++copy) station.deliver_all(burst * 40, burst * 40 + 39);
  const std::vector<KeptFrame> frames = station.finish();
  EXPECT_EQ(station.counts().jumps.value(), 0u);
  EXPECT_EQ(station.counts().duplicate.value(), 4 * 2000u);
  for (std::size_t lane = 0; lane < 4; ++lane) EXPECT_EQ(station.found(frames, lane), 2000u);
}

TEST(LaneFaults, a_dead_lane_delays_nothing_and_recovers_completely) {
  Station station(2, 8, {.window = 256});
  station.deliver_all(0, 99);
  // After 256 + 8 packets the assembler no longer waits for the lane.
  for (std::int64_t number = 100; number < 400; ++number) station.deliver(0, number);
  (void)station.frames();
  for (std::int64_t number = 400; number < 408; ++number) {
    EXPECT_THAT(station.frames(), IsEmpty());
    station.deliver(0, number);
  }
  const std::vector<KeptFrame> at_once = station.frames();
  ASSERT_EQ(at_once.size(), 1u);
  EXPECT_EQ(at_once[0].header.missing_parts, 8u);
  station.deliver_all(408, 599);
  const std::vector<KeptFrame> later = station.finish();
  EXPECT_EQ(station.found(later, 0), 192u);
  // The lane's first packet arrives after its first frame was begun, and in time.
  EXPECT_EQ(station.found(later, 1), 192u);
  EXPECT_EQ(station.counts().lost.value(), 308u);
  station.expect_each_counted_once();
}

TEST(LaneFaults, a_gap_of_hours_is_counted_without_iteration) {
  const std::int64_t hours = second * 3600 * 1000;
  Station station(4, 1, {.window = 16, .longest_gap = std::chrono::hours(2000)});
  station.deliver_all(0, 99);
  station.deliver_all(100 + hours, 199 + hours);
  const std::vector<KeptFrame> frames = station.finish();
  EXPECT_EQ(frames.size(), 200u);
  EXPECT_EQ(frames.back().header.sequence, static_cast<std::uint64_t>(199 + hours));
  EXPECT_EQ(station.counts().frames_lost.value(), static_cast<std::uint64_t>(hours));
  EXPECT_EQ(station.counts().lost.value(), static_cast<std::uint64_t>(4 * hours));
  EXPECT_EQ(station.counts().jumps.value(), 0u);
}

TEST(LaneFaults, an_outage_beyond_the_longest_gap_is_a_new_epoch_with_the_right_time) {
  Station station(2, 8);
  station.deliver_all(0, 99);
  station.deliver_all(100 + second * 11, 199 + second * 11);
  const std::vector<KeptFrame> frames = station.finish();
  EXPECT_EQ(station.counts().jumps.value(), 1u);
  const auto next = std::ranges::find(frames, 1, [](const KeptFrame& frame) { return frame.header.epoch; });
  ASSERT_NE(next, frames.end());
  EXPECT_EQ(next->header.utc_ns,
            utc_of_block(base_block, 200'000'000) + (100 + second * 11) * std::int64_t{16 * 5120});
}

TEST(LaneFaults, swapped_lanes_cause_a_warning) {
  Station station(4, 8), part(2, 8);
  for (std::int64_t number = 0; number < 20; ++number) {
    for (std::size_t lane = 0; lane < 4; ++lane) station.deliver(lane, number, lane ^ 1U);
    for (std::size_t lane = 0; lane < 2; ++lane) part.deliver(lane, number, lane + 2);
  }
  EXPECT_THAT(station.warnings(),
              Contains(HasSubstr(
                  "port 0 brings lane 1, port 1 brings lane 0, port 2 brings lane 3, port 3 brings lane 2")));
  EXPECT_THAT(part.warnings(), IsEmpty()) << "the upper two of four lanes are in order";
}

TEST(LaneFaults, a_silent_lane_or_one_with_another_time_causes_a_warning) {
  Station station(3, 8);
  for (std::int64_t number = 0; number < 3 * second; ++number) {
    station.deliver(0, number);
    station.deliver(2, number < second ? number : number + 8 * second);
  }
  (void)station.finish();
  EXPECT_THAT(station.warnings(), Contains(HasSubstr("no packets on port 1 (lane 1)")));
  EXPECT_THAT(station.warnings(),
              Contains(HasSubstr("port 2 (lane 2) sends packets with another time than the stream")));
}

/// The window is 16 packets, a frame 8.
TEST(LaneFaults, a_lane_that_ends_early_causes_a_warning) {
  for (const std::int64_t missing : {0, 20, 30, 300}) {
    Station station(3, 8);
    for (std::int64_t number = 0; number < 1000; ++number)
      for (const std::size_t lane : {0U, 1U, 2U})
        if (lane != 1 || number < 1000 - missing) station.deliver(lane, number);
    (void)station.finish();
    EXPECT_EQ(station.counts().lanes[1].ended_early.value(), missing > 24 ? missing : 0);
    if (missing > 24)
      EXPECT_THAT(station.warnings(),
                  Contains(HasSubstr("port 1 (lane 1) ends " + std::to_string(missing) + " packets before")));
    else
      EXPECT_THAT(station.warnings(), IsEmpty());
  }
}

/// Lanes that drift, stop, jump and repeat themselves at random: each packet is counted once, each frame
/// holds the sent data or marks it as missing, and frames are in order.
TEST(LaneFaults, frames_are_right_and_counts_consistent_under_random_faults) {
  for (unsigned seed = 0; seed < 60; ++seed) {
    std::mt19937_64 random(seed);
    const std::size_t lanes = 1 + random() % 4;
    const std::size_t packets = 1 + random() % 12;
    Station station(lanes, packets, {.window = 1 + random() % 64});
    std::vector<std::int64_t> at(lanes, 0);
    for (int step = 0; step < 6000; ++step) {
      const auto kind = random() % 1000;
      const std::array<std::int64_t, 6> jumps{-3, 40, -500, 5000, -50'000, 50 * second};
      const std::int64_t jump = jumps[random() % jumps.size()];
      if (kind < 2)
        for (std::int64_t& lane : at) lane += jump;
      else if (kind < 4)
        at[random() % lanes] += jump;
      const std::size_t lane = random() % lanes;
      const int burst = kind < 20 ? static_cast<int>(random() % 40) : 1;
      for (int i = 0; i < burst; ++i, ++at[lane])
        if (random() % 20 != 0) station.deliver(lane, at[lane]);
    }
    const std::vector<KeptFrame> frames = station.finish();
    station.expect_each_counted_once();
    std::uint64_t found = 0, missing = 0;
    for (std::size_t lane = 0; lane < lanes; ++lane) found += station.found(frames, lane);
    for (std::size_t k = 0; k < frames.size(); ++k) {
      missing += frames[k].header.missing_parts;
      const auto order = [](const KeptFrame& f) { return std::pair(f.header.epoch, f.header.sequence); };
      if (k > 0) {
        EXPECT_LT(order(frames[k - 1]), order(frames[k])) << seed;
      }
      EXPECT_EQ(frames[k].header.utc_ns, utc_of_block(frames[k].header.first_sample, 200'000'000));
    }
    EXPECT_EQ(found, station.counts().received.value()) << seed;
    EXPECT_EQ(found + missing, frames.size() * lanes * packets) << seed;
  }
}

}  // namespace lofar_lane_faults_test
}  // namespace takt::sensors
