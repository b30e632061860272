/// Tests that the receiver counts each configured sender fault exactly and by its kind, in every packet
/// format. The emulator's stages feed the formats' own builders, without sockets or clocks.

#include <functional>
#include <ostream>

#include <gmock/gmock.h>

#include "core/error.hpp"
#include "sensors/emulator/fault_injector.hpp"
#include "sensors/emulator/sender_events.hpp"
#include "tests/sensors/packets/packet_peers.hpp"

namespace takt::sensors {
namespace emulator_impairments_test {

using namespace std::chrono_literals;
using testing::Contains;
using testing::HasSubstr;
using testing::ThrowsMessage;

/// Gaps up to this are loss.
constexpr Assembly short_gaps{.window = 256, .longest_gap = Time(40'000'000)};

struct Impaired {
  std::uint64_t packets = 0;
  SenderEventCounts events;
  FaultCounts faults;
  SourceCounters counters;
  std::vector<test::KeptFrame> frames;
  std::vector<std::string> warnings;
  [[nodiscard]] std::uint64_t count(const char* name) const { return test::value_of(counters.details, name); }
};

/// A fifth of a second.
Impaired pass(const test::PacketPeer& peer, const SenderEvents& events, const Faults& faults = {}) {
  const std::unique_ptr<PacketStream> stream = peer.stream();
  const PacketFormat format = peer.format(short_gaps);
  FrameQueue queue(512, format.type.size());
  const std::unique_ptr<FrameBuilder> builder = format.make_builder(queue);
  Impaired done;
  std::int64_t now = 0;
  SenderEventStage stage(events, peer.lanes, stream->codec());
  FaultInjector injector(faults, peer.lanes, 3, stream->codec(),
                         [&](const LanePacket& packet) { builder->take(packet.lane, packet.bytes, ++now); });
  done.packets = peer.lanes * static_cast<std::uint64_t>(stream->codec().packets_per_second() / 5);
  for (std::uint64_t i = 0; i < done.packets; ++i)
    if (const auto sent = stage.take(*stream->next())) injector.take(*sent);
  injector.finish();
  builder->finish(++now);
  done.events = stage.counts();
  done.faults = injector.counts();
  done.counters = builder->counters();
  done.frames = test::take_all(queue);
  done.warnings = builder->warnings(std::vector<std::string>(peer.lanes, "a port"));
  return done;
}

/// Returns the shift from the frames of one epoch to those of the next.
std::int64_t step_between_epochs(const std::vector<test::KeptFrame>& frames, double frame_hz) {
  for (std::size_t k = 1; k < frames.size(); ++k)
    if (frames[k].header.epoch != frames[k - 1].header.epoch)
      return frames[k].header.utc_ns - frames[k - 1].header.utc_ns -
             static_cast<std::int64_t>(1e9 / frame_hz);
  return 0;
}

class Impairments : public testing::TestWithParam<test::PacketPeer> {};

TEST_P(Impairments, a_pause_is_loss_packet_for_packet) {
  const Impaired done = pass(GetParam(), {.pauses = {{.at = 50ms, .length = 20ms}}});
  EXPECT_NEAR(static_cast<double>(done.events.paused), static_cast<double>(done.packets) / 10, 3);
  EXPECT_EQ(done.count("packets_lost"), done.events.paused);
  EXPECT_EQ(done.count("packets_received"), done.packets - done.events.paused);
  EXPECT_EQ(done.count("clock_jumps"), 0U);
}

TEST_P(Impairments, a_pause_beyond_the_longest_gap_begins_an_epoch) {
  const Impaired done = pass(GetParam(), {.pauses = {{.at = 50ms, .length = 60ms}}});
  EXPECT_EQ(done.count("clock_jumps"), 1U);
  EXPECT_EQ(done.count("packets_lost"), 0U);
  EXPECT_EQ(done.count("packets_received"), done.packets - done.events.paused);
}

TEST_P(Impairments, a_pause_of_one_lane_is_its_loss) {
  if (GetParam().lanes == 1) GTEST_SKIP() << "it has one lane";
  const Impaired done = pass(GetParam(), {.pauses = {{.at = 50ms, .length = 60ms, .lane = 1}}});
  EXPECT_NEAR(static_cast<double>(done.events.paused),
              static_cast<double>(done.packets / GetParam().lanes) * 0.3, 2);
  EXPECT_EQ(done.count("packets_lost"), done.events.paused);
  EXPECT_EQ(done.count("lane_0_received"), done.packets / GetParam().lanes);
  EXPECT_EQ(done.count("clock_jumps"), 0U);
}

TEST_P(Impairments, a_step_of_the_clock_within_the_longest_gap_is_loss) {
  const Impaired done = pass(GetParam(), {.clock_jumps = {{.at = 50ms, .step = 10ms}}});
  EXPECT_EQ(done.events.clock_jumps, 1U);
  EXPECT_NEAR(static_cast<double>(done.count("packets_lost")), static_cast<double>(done.packets) / 20, 3);
  EXPECT_EQ(done.count("packets_received"), done.packets);
  EXPECT_EQ(done.count("clock_jumps"), 0U);
}

TEST_P(Impairments, further_steps_forwards_and_back_begin_epochs_and_lose_nothing) {
  for (const Time step : {Time(80ms), Time(3600s), Time(-20ms), Time(-3600s)}) {
    // Streams numbered from 1 cannot represent earlier times.
    if (step < -1s && (GetParam().name == std::string("spead") || GetParam().name == std::string("gnuradio")))
      continue;
    SCOPED_TRACE(to_string(step));
    const Impaired done = pass(GetParam(), {.clock_jumps = {{.at = 100ms, .step = step}}});
    EXPECT_NEAR(static_cast<double>(done.events.shifted), static_cast<double>(done.packets) / 2, 4)
        << "half of a fifth of a second";
    EXPECT_EQ(done.count("clock_jumps"), 1U);
    EXPECT_EQ(done.count("clock_jumps"), done.events.clock_jumps);
    EXPECT_EQ(done.count("packets_received"), done.packets);
    EXPECT_EQ(done.count("packets_lost"), 0U);
    EXPECT_THAT(done.warnings, Contains(HasSubstr("clock jumped")));
    // To a packet, plus the part that a frame truncated by the step lacks.
    const double frame_hz = GetParam().format(short_gaps).type.rate_hz;
    EXPECT_NEAR(static_cast<double>(step_between_epochs(done.frames, frame_hz)),
                static_cast<double>(step.count()), 1.01e9 / frame_hz);
  }
}

TEST_P(Impairments, a_step_back_and_forth_is_two_epochs) {
  const Impaired done =
      pass(GetParam(), {.clock_jumps = {{.at = 50ms, .step = 100s}, {.at = 120ms, .step = -100s}}});
  EXPECT_EQ(done.events.clock_jumps, 2U);
  EXPECT_EQ(done.count("clock_jumps"), 2U);
  EXPECT_EQ(done.count("packets_received"), done.packets);
}

TEST_P(Impairments, disorder_around_a_step_is_counted) {
  const Impaired done = pass(GetParam(), {.clock_jumps = {{.at = 100ms, .step = 100s}}},
                             {.drop = 0.05, .duplicate = 0.05, .reorder = 0.3});
  EXPECT_EQ(done.count("clock_jumps"), 1U);
  EXPECT_EQ(done.count("packets_duplicate"), done.faults.duplicated);
  // Packets delayed beyond the step have a time in the past, up to eight per lane.
  EXPECT_NEAR(static_cast<double>(done.count("packets_reordered")),
              static_cast<double>(done.faults.overtaken), 3);
}

TEST_P(Impairments, one_wrong_lane_clock_is_implausible_and_does_not_affect_others) {
  if (GetParam().lanes == 1) GTEST_SKIP() << "it has one lane";
  const Impaired done = pass(GetParam(), {.clock_jumps = {{.at = 50ms, .step = 3s, .lane = 1}}});
  EXPECT_EQ(done.events.clock_jumps, 1U);
  EXPECT_EQ(done.count("packets_implausible"), done.events.shifted);
  EXPECT_EQ(done.count("lane_1_implausible"), done.events.shifted);
  EXPECT_EQ(done.count("lane_0_received"), done.packets / GetParam().lanes);
  EXPECT_EQ(done.count("clock_jumps"), 0U);
}

TEST_P(Impairments, jitter_disorders_and_loses_nothing) {
  const Impaired done = pass(GetParam(), {}, {.jitter = 2ms});
  EXPECT_GT(done.faults.jittered, done.packets * 8 / 10);
  EXPECT_GT(done.faults.overtaken, done.packets / 3);
  EXPECT_EQ(done.count("packets_reordered"), done.faults.overtaken);
  EXPECT_EQ(done.count("packets_received"), done.packets);
  EXPECT_EQ(done.count("packets_late"), 0U);
  EXPECT_EQ(done.count("packets_lost"), 0U);
}

TEST_P(Impairments, packets_overtaken_by_later_ones_count_as_reordered) {
  const Impaired done = pass(GetParam(), {}, {.drop = 0.2, .duplicate = 0.05, .reorder = 0.3});
  EXPECT_LE(done.faults.overtaken, done.faults.reordered);
  EXPECT_EQ(done.count("packets_reordered"), done.faults.overtaken);
  EXPECT_EQ(done.count("packets_lost"), done.faults.dropped);
  EXPECT_EQ(done.count("packets_duplicate"), done.faults.duplicated);
}

TEST_P(Impairments, all_together_are_counted_one_by_one) {
  const Impaired done = pass(GetParam(), {.pauses = {{.at = 60ms, .length = 5ms}}},
                             {.drop = 0.02, .duplicate = 0.02, .corrupt = 0.02, .jitter = 1ms});
  EXPECT_EQ(done.count("packets_lost"),
            done.events.paused + done.faults.dropped + done.faults.corrupted_in_all());
  EXPECT_EQ(done.count("packets_duplicate"), done.faults.duplicated);
  EXPECT_EQ(done.count("packets_reordered"), done.faults.overtaken);
  std::uint64_t refused = 0;
  for (const Counter& counter : done.counters.details)
    if (counter.name.starts_with("refused_")) refused += counter.value;
  EXPECT_EQ(refused, done.faults.corrupted_in_all());
}

INSTANTIATE_TEST_SUITE_P(Of, Impairments, testing::ValuesIn(test::packet_peers),
                         [](const auto& info) { return std::string(info.param.name); });

TEST(LaneSwap, of_a_station_is_counted_and_reported) {
  const Impaired done = pass(test::packet_peers[0], {.lane_swaps = {{.at = 50ms, .one = 0, .other = 2}}});
  EXPECT_NEAR(static_cast<double>(done.events.swapped), static_cast<double>(done.packets) / 2, 3);
  EXPECT_EQ(done.count("packets_swapped"), done.events.swapped);
  EXPECT_EQ(done.count("packets_received"), done.packets);
  EXPECT_THAT(done.warnings, Contains(HasSubstr("not in the station's order")));
}

TEST(LaneSwap, of_threads_with_numbers_in_their_headers_has_no_effect) {
  const Impaired done = pass(test::packet_peers[1], {.lane_swaps = {{.at = 50ms, .one = 0, .other = 1}}});
  const Impaired calm = pass(test::packet_peers[1], {});
  EXPECT_GT(done.events.swapped, 0U);
  ASSERT_EQ(done.frames.size(), calm.frames.size());
  for (std::size_t k = 0; k < calm.frames.size(); ++k) EXPECT_EQ(done.frames[k].bytes, calm.frames[k].bytes);
}

TEST(SenderEvents, that_are_invalid_are_refused_with_what_was_expected) {
  const auto refuses = [](const SenderEvents& events, const char* text) {
    EXPECT_THAT([&] { validate(events, 2, 1000); }, ThrowsMessage<ConfigError>(HasSubstr(text)));
  };
  refuses({.pauses = {{.at = -1s, .length = 1s}}}, "before the beginning of the stream");
  refuses({.pauses = {{.at = 0s, .length = 100us}}}, "drops no packet: expected 1 ms or more");
  refuses({.pauses = {{.at = 0s, .length = 1s, .lane = 2}}}, "lane 2 does not exist: expected 0 to 1");
  refuses({.clock_jumps = {{.at = 0s, .step = 100us}}}, "less than half a packet");
  refuses({.lane_swaps = {{.at = 0s, .one = 1, .other = 1}}}, "cannot be swapped with itself");
  const LofarCodec codec(200'000'000);
  EXPECT_THAT([&] { FaultInjector({.jitter = 10s}, 1, 1, codec, {}); },
              ThrowsMessage<ConfigError>(HasSubstr("is 122070 packets of a lane: expected at most 4096")));
}

}  // namespace emulator_impairments_test
}  // namespace takt::sensors
