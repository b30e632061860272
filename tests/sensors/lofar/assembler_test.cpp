/// Does every packet land in its place or in exactly one count, whatever the network does?

#include "sensors/lofar/assembler.hpp"

#include <algorithm>
#include <deque>
#include <map>
#include <random>
#include <set>

#include <gmock/gmock.h>

#include "core/error.hpp"
#include "tests/sensors/packet_support.hpp"

namespace takt::sensors {
namespace {

using test::Bytes;
using test::KeptFrame;
using test::make_packet;
using test::payload_of;

constexpr std::uint64_t base_block = 323528554687526;
constexpr std::size_t payload = 64;

/// Packet `number` of a lane, counted from base_block.
struct Delivery {
  std::size_t lane;
  std::int64_t number;
};

class Station {
 public:
  Station(std::size_t lanes, std::size_t packets, std::size_t window, std::size_t slots = 4096)
      : format_(test::small_format(lanes, packets)),
        queue_(slots, lofar_frame_type(format_).size()),
        assembler_(format_, {.window = window}, 3, queue_) {}

  void deliver(const Delivery& delivery) {
    const std::uint64_t block = base_block + static_cast<std::uint64_t>(delivery.number * 16);
    take(delivery.lane,
         make_packet(format_, delivery.lane, block,
                     payload_of(payload, delivery.lane, static_cast<std::uint64_t>(delivery.number))));
  }
  void deliver(std::size_t lane, std::int64_t first, std::int64_t last) {
    for (std::int64_t number = first; number <= last; ++number) deliver({lane, number});
  }
  void take(std::size_t lane, const Bytes& packet) { assembler_.take(lane, packet, ++now_); }
  void finish() { assembler_.finish(++now_); }
  std::vector<KeptFrame> frames() { return test::take_all(queue_); }

  [[nodiscard]] const LofarCounts& counts() const { return assembler_.counts(); }
  [[nodiscard]] const LofarFormat& format() const { return format_; }
  [[nodiscard]] FrameQueue& queue() { return queue_; }

 private:
  LofarFormat format_;
  FrameQueue queue_;
  LofarAssembler assembler_;
  std::int64_t now_ = 0;
};

/// What a frame must hold, worked out from the set of packets that came: no order, no window, no state.
Bytes expected_frame(const LofarFormat& format, const std::set<std::pair<std::size_t, std::int64_t>>& came,
                     std::int64_t first) {
  Bytes bytes;
  for (std::size_t p = 0; p < format.packets; ++p)
    for (std::size_t lane = 0; lane < format.lanes; ++lane) {
      const std::int64_t number = first + static_cast<std::int64_t>(p);
      const Bytes part = came.contains({lane, number})
                             ? payload_of(payload, lane, static_cast<std::uint64_t>(number))
                             : Bytes(payload, std::byte{0});
      bytes.insert(bytes.end(), part.begin(), part.end());
    }
  for (std::size_t p = 0; p < format.packets; ++p)
    for (std::size_t lane = 0; lane < format.lanes; ++lane)
      bytes.push_back(std::byte{!came.contains({lane, first + static_cast<std::int64_t>(p)})});
  return bytes;
}

TEST(LofarAssembler, a_few_forged_packets_move_no_stream_of_a_single_lane) {
  Station station(1, 8, 32);
  station.deliver(0, 0, 99);
  station.deliver(0, 1'000'000, 1'000'062);
  station.deliver(0, 100, 299);
  station.deliver(0, 2'000'000, 2'000'063);
  station.finish();
  EXPECT_EQ(station.counts().implausible.value(), 63u);
  EXPECT_EQ(station.counts().jumps.value(), 1u) << "64 are a stream";
  EXPECT_EQ(station.counts().received.value(), 300u + 64u);
}

TEST(LofarAssembler, whole_frames_come_in_order_with_time_and_place) {
  Station station(2, 8, 16);
  for (std::int64_t number = 0; number < 24; ++number)
    for (std::size_t lane = 0; lane < 2; ++lane) station.deliver({lane, number});
  station.finish();
  const std::vector<KeptFrame> frames = station.frames();
  ASSERT_EQ(frames.size(), 3u);
  for (std::size_t k = 0; k < 3; ++k) {
    const FrameHeader& header = frames[k].header;
    EXPECT_EQ(header.sequence, k);
    EXPECT_EQ(header.first_sample, base_block + k * 8 * 16);
    EXPECT_EQ(header.utc_ns,
              utc_of_block(base_block, 200'000'000) + static_cast<std::int64_t>(k * 8 * 16 * 5120));
    EXPECT_EQ(header.parts, 16u);
    EXPECT_EQ(header.missing_parts, 0u);
    EXPECT_EQ(header.missing_mask, 0u);
    EXPECT_EQ(header.combined, 1u);
    EXPECT_EQ(header.source, 3u);
    std::set<std::pair<std::size_t, std::int64_t>> all;
    for (std::int64_t number = 0; number < 24; ++number)
      for (std::size_t lane = 0; lane < 2; ++lane) all.insert({lane, number});
    EXPECT_EQ(frames[k].bytes, expected_frame(station.format(), all, static_cast<std::int64_t>(k) * 8));
  }
}

TEST(LofarAssembler, a_complete_frame_is_handed_over_at_once) {
  Station station(1, 16, 256);
  station.deliver(0, 0, 30);
  EXPECT_EQ(station.frames().size(), 1u);
  station.deliver({0, 31});
  EXPECT_EQ(station.frames().size(), 1u);
}

TEST(LofarAssembler, an_incomplete_frame_waits_for_the_window_and_no_longer) {
  Station station(1, 8, 10);
  station.deliver(0, 0, 20);  // frames 0 and 1 are complete, 21 is left out, frame 2 ends with 23
  station.deliver(0, 22, 33);
  EXPECT_EQ(station.frames().size(), 2u);
  station.deliver({0, 34});  // 10 packets after the first one that is not of frame 2
  const std::vector<KeptFrame> frames = station.frames();
  ASSERT_GE(frames.size(), 1u);
  EXPECT_EQ(frames[0].header.sequence, 2u);
  EXPECT_EQ(frames[0].header.missing_parts, 1u);
  EXPECT_EQ(frames[0].header.missing_mask, 1u << 5);
  EXPECT_EQ(station.counts().lost.value(), 1u);
}

TEST(LofarAssembler, the_mask_of_a_long_frame_tells_the_64th_in_which_packets_are_missing) {
  Station station(1, 256, 16);
  for (std::int64_t number = 0; number < 256; ++number)
    if (number != 41 && number != 43 && number != 255) station.deliver({0, number});
  station.finish();
  const std::vector<KeptFrame> frames = station.frames();
  ASSERT_EQ(frames.size(), 1u);
  // 256 packets in 64 pieces of 4: packets 41 and 43 are in piece 10, packet 255 in piece 63.
  EXPECT_EQ(frames[0].header.missing_mask, std::uint64_t{1} << 10 | std::uint64_t{1} << 63);
}

TEST(LofarAssembler, lanes_are_aligned_at_the_latest_of_their_first_packets) {
  // As in the recordings: one lane starts a packet early and ends a packet early.
  Station station(3, 5, 64);
  for (std::int64_t number = 0; number < 21; ++number) {
    if (number > 0) station.deliver({0, number});
    if (number > 0) station.deliver({1, number});
    if (number < 20) station.deliver({2, number});
  }
  station.finish();
  const std::vector<KeptFrame> frames = station.frames();
  ASSERT_EQ(frames.size(), 4u);
  EXPECT_EQ(frames[0].header.first_sample, base_block + 16);
  EXPECT_EQ(frames[3].header.missing_parts, 1u);
  EXPECT_EQ(station.counts().early.value(), 1u);
  EXPECT_EQ(station.counts().lost.value(), 0u)
      << "nobody knows whether the lane that ended sent another packet";
  EXPECT_EQ(station.counts().received.value(), 59u);
}

TEST(LofarAssembler, packets_that_are_out_of_order_at_the_very_start_find_their_place) {
  Station station(2, 4, 64);
  for (const std::int64_t number : {3, 1, 0, 2, 7, 5, 4, 6})
    for (std::size_t lane = 0; lane < 2; ++lane) station.deliver({lane, number});
  station.finish();
  const std::vector<KeptFrame> frames = station.frames();
  ASSERT_EQ(frames.size(), 2u);
  EXPECT_EQ(frames[0].header.first_sample, base_block);
  EXPECT_EQ(station.counts().received.value(), 16u);
  EXPECT_EQ(station.counts().early.value(), 0u);
}

TEST(LofarAssembler, a_lane_of_which_nothing_comes_is_waited_for_within_bounds_and_then_marked_missing) {
  Station station(2, 8, 32);
  station.deliver(0, 0, 199);
  const std::vector<KeptFrame> frames = station.frames();
  ASSERT_GT(frames.size(), 10u);
  for (const KeptFrame& frame : frames) EXPECT_EQ(frame.header.missing_parts, 8u);
  EXPECT_EQ(frames[0].header.first_sample, base_block);
}

TEST(LofarAssembler, lanes_that_begin_far_apart_begin_with_the_latest) {
  Station station(2, 8, 32);
  station.deliver(0, 0, 40);
  for (std::int64_t number = 10'000; number < 10'040; ++number) {
    station.deliver({0, number});
    station.deliver({1, number});
  }
  station.finish();
  EXPECT_EQ(station.frames().size(), 5u);
  EXPECT_EQ(station.counts().received.value(), 80u);
  EXPECT_EQ(station.counts().early.value(), 41u);
}

TEST(LofarAssembler, damaged_times_at_the_very_start_cost_those_packets_only) {
  Station station(1, 8, 32);
  for (std::int64_t number = 0; number < 64; ++number) {
    if (number % 3 == 0 && number < 27) station.deliver({0, 10'000'000 + number * 1000});
    station.deliver({0, number});
  }
  station.finish();
  EXPECT_EQ(station.frames().size(), 8u);
  EXPECT_EQ(station.counts().received.value(), 64u);
  EXPECT_EQ(station.counts().implausible.value(), 9u);
}

TEST(LofarAssembler, a_packet_that_comes_too_late_is_late_and_no_longer_lost) {
  Station station(1, 8, 16);
  station.deliver(0, 0, 16);
  station.deliver(0, 18, 47);
  EXPECT_EQ(station.counts().lost.value(), 1u);
  station.deliver({0, 17});
  EXPECT_EQ(station.counts().lost.value(), 0u);
  EXPECT_EQ(station.counts().late.value(), 1u);
  station.deliver({0, 17});
  EXPECT_EQ(station.counts().late.value(), 1u);
  EXPECT_EQ(station.counts().duplicate.value(), 1u);
}

TEST(LofarAssembler, a_duplicate_of_a_frame_already_handed_over_is_a_duplicate_and_not_late) {
  Station station(1, 8, 16);
  station.deliver(0, 0, 23);
  station.deliver({0, 23});
  station.deliver({0, 2});
  EXPECT_EQ(station.counts().duplicate.value(), 2u);
  EXPECT_EQ(station.counts().late.value(), 0u);
}

TEST(LofarAssembler, a_gap_longer_than_the_window_is_loss_and_leaves_a_hole_in_the_sequence) {
  Station station(1, 8, 16);
  station.deliver(0, 0, 23);
  station.deliver(0, 1000, 1047);  // 1000 = 125 * 8
  station.finish();
  const std::vector<KeptFrame> frames = station.frames();
  ASSERT_EQ(frames.size(), 9u);
  EXPECT_EQ(frames[2].header.sequence, 2u);
  EXPECT_EQ(frames[3].header.sequence, 125u);
  EXPECT_EQ(frames[3].header.first_sample, base_block + 16'000);
  EXPECT_EQ(station.counts().lost.value(), 976u);
  EXPECT_EQ(station.counts().frames_lost.value(), 122u);
  EXPECT_EQ(station.counts().received.value(), 72u);
  EXPECT_EQ(station.counts().jumps.value(), 0u);
}

TEST(LofarAssembler, a_damaged_time_upsets_nothing) {
  Station station(1, 8, 16);
  station.deliver(0, 0, 30);
  for (const std::int64_t astray : {5'000, -40'000, 1'000'000, 100'000'000}) station.deliver({0, astray});
  station.deliver(0, 31, 63);
  station.finish();
  EXPECT_EQ(station.frames().size(), 8u);
  EXPECT_EQ(station.counts().implausible.value(), 4u);
  EXPECT_EQ(station.counts().received.value(), 64u);
  EXPECT_EQ(station.counts().lost.value(), 0u);
}

TEST(LofarAssembler, a_lane_whose_clock_is_wrong_does_not_make_the_others_jump) {
  Station station(2, 8, 16);
  for (std::int64_t number = 0; number < 400; ++number) {
    station.deliver({0, number});
    station.deliver({1, number < 100 ? number : number - 1'000'000});
  }
  station.finish();
  EXPECT_EQ(station.counts().jumps.value(), 0u);
  EXPECT_EQ(station.counts().implausible.value(), 300u);
  EXPECT_EQ(station.counts().received.value(), 500u);
  EXPECT_EQ(station.frames().size(), 50u);
}

TEST(LofarAssembler, a_clock_that_jumps_begins_a_new_epoch_whose_frames_are_numbered_from_0) {
  // Back by a million packets (82 s), then forward by far more than the longest gap, and off the grid of 16
  // blocks.
  Station station(2, 8, 16);
  const auto run = [&](std::uint64_t block) {
    for (std::uint64_t number = 0; number < 32; ++number)
      for (std::size_t lane = 0; lane < 2; ++lane)
        station.take(lane, make_packet(station.format(), lane, block + number * 16,
                                       payload_of(payload, lane, number)));
  };
  run(base_block);
  run(base_block - 16'000'000);
  run(base_block + 160'000'005);
  station.finish();
  const std::vector<KeptFrame> frames = station.frames();
  ASSERT_EQ(frames.size(), 12u);
  for (std::size_t k = 0; k < 12; ++k) {
    EXPECT_EQ(frames[k].header.epoch, k / 4);
    EXPECT_EQ(frames[k].header.sequence, k % 4);
    EXPECT_EQ(frames[k].header.missing_parts, 0u);
  }
  EXPECT_EQ(frames[4].header.first_sample, base_block - 16'000'000);
  EXPECT_EQ(frames[8].header.first_sample, base_block + 160'000'005);
  EXPECT_EQ(station.counts().jumps.value(), 2u);
  EXPECT_EQ(station.counts().received.value(), 192u);
  EXPECT_EQ(station.counts().lost.value(), 0u);
}

TEST(LofarAssembler, frames_for_which_there_is_no_room_are_dropped_and_counted_newest_first) {
  Station station(1, 4, 8, 3);
  station.deliver(0, 0, 39);
  station.finish();
  const std::vector<KeptFrame> frames = station.frames();
  ASSERT_EQ(frames.size(), 3u);
  for (std::size_t k = 0; k < 3; ++k) EXPECT_EQ(frames[k].header.sequence, k);
  EXPECT_EQ(station.counts().frames_dropped.value(), 7u);
  EXPECT_EQ(station.counts().frames_lost.value(), 0u);
  EXPECT_EQ(station.counts().lost.value(), 0u);
  EXPECT_EQ(station.counts().received.value(), 40u);

  station.deliver(0, 40, 43);
  station.finish();
  const std::vector<KeptFrame> later = station.frames();
  ASSERT_EQ(later.size(), 1u);
  EXPECT_EQ(later[0].header.sequence, 10u) << "what was dropped leaves a hole";
}

TEST(LofarAssembler, the_first_good_packet_decides_about_the_station_when_none_is_given) {
  LofarFormat format = test::small_format(1, 4);
  format.station = std::nullopt;
  FrameQueue queue(64, lofar_frame_type(format).size());
  LofarAssembler assembler(format, {.window = 8}, 0, queue);
  LofarFormat other = format;
  other.station = 215;
  assembler.take(0, make_packet(format, 0, base_block, Bytes(payload)), 0);
  EXPECT_EQ(assembler.take(0, make_packet(other, 0, base_block + 16, Bytes(payload)), 0),
            LofarVerdict::station);
  EXPECT_EQ(assembler.counts().refused[static_cast<std::size_t>(LofarVerdict::station)].value(), 1u);
}

TEST(LofarAssembler, four_bit_samples_are_widened) {
  LofarFormat format = test::small_format(1, 1);
  format.bits = 4;
  FrameQueue queue(64, lofar_frame_type(format).size());
  LofarAssembler assembler(format, {.window = 8}, 0, queue);
  assembler.take(0, make_packet(format, 0, base_block, Bytes(32, std::byte{0x7F})), 0);
  assembler.finish(0);
  const std::vector<KeptFrame> frames = test::take_all(queue);
  ASSERT_EQ(frames.size(), 1u);
  ASSERT_EQ(frames[0].bytes.size(), 65u);
  for (std::size_t i = 0; i < 64; ++i)
    EXPECT_EQ(static_cast<std::int8_t>(frames[0].bytes[i]), i % 2 == 0 ? 7 : -1);
}

TEST(LofarAssembler, garbage_between_packets_changes_nothing_but_the_counts) {
  Station station(1, 8, 16);
  std::mt19937_64 random(11);
  for (std::int64_t number = 0; number < 64; ++number) {
    Bytes garbage(random() % 200);
    for (std::byte& byte : garbage) byte = static_cast<std::byte>(random());
    station.take(0, garbage);
    station.deliver({0, number});
  }
  station.finish();
  std::uint64_t refused = 0;
  for (const Tally& cause : station.counts().refused) refused += cause.value();
  EXPECT_EQ(refused, 64u);
  EXPECT_EQ(station.frames().size(), 8u);
}

TEST(LofarAssembler, options_out_of_range_are_refused) {
  EXPECT_THROW(validate(Assembly{.window = 0}), ConfigError);
  EXPECT_THROW(validate(Assembly{.longest_gap = Time(0)}), ConfigError);
  EXPECT_NO_THROW(validate(Assembly{}));
}

/// What the network does to a stream, by seed.
struct Weather {
  unsigned seed;
  std::size_t lanes;
  std::size_t packets;
  std::size_t window;
  double drop;
  double duplicate;
};

class LofarAssemblerInWeather : public testing::TestWithParam<Weather> {};

/// Packets are delayed by up to `window` packets: sorted by number plus a random delay, each is at most that
/// far behind the newest one.
std::vector<Delivery> deliveries_of(const Weather& weather, std::int64_t numbers, std::int64_t calm) {
  std::mt19937_64 random(weather.seed);
  const auto chance = [&](double p) { return std::uniform_real_distribution<>(0, 1)(random) < p; };
  std::vector<std::pair<std::int64_t, Delivery>> order;
  for (std::int64_t number = 0; number < numbers; ++number)
    for (std::size_t lane = 0; lane < weather.lanes; ++lane) {
      if (number >= calm && chance(weather.drop)) continue;
      const int copies = number >= calm && chance(weather.duplicate) ? 2 : 1;
      for (int copy = 0; copy < copies; ++copy) {
        const auto delay = number < calm ? 0 : static_cast<std::int64_t>(random() % (weather.window + 1));
        order.push_back({number + delay, {lane, number}});
      }
    }
  std::stable_sort(order.begin(), order.end(),
                   [](const auto& a, const auto& b) { return a.first < b.first; });
  std::vector<Delivery> deliveries;
  for (const auto& [when, delivery] : order) deliveries.push_back(delivery);
  return deliveries;
}

TEST_P(LofarAssemblerInWeather, frames_and_counts_are_those_of_the_set_of_packets_that_came) {
  const Weather& weather = GetParam();
  const auto packets = static_cast<std::int64_t>(weather.packets);
  const std::vector<Delivery> deliveries = deliveries_of(weather, 40 * packets + 3, 20);
  Station station(weather.lanes, weather.packets, weather.window);
  std::set<std::pair<std::size_t, std::int64_t>> came;
  std::map<std::size_t, std::int64_t> last;
  for (const Delivery& delivery : deliveries) {
    station.deliver(delivery);
    came.insert({delivery.lane, delivery.number});
    last[delivery.lane] = std::max(last[delivery.lane], delivery.number);
  }
  station.finish();

  std::uint64_t lost = 0;
  std::int64_t newest = 0;
  for (const auto& [lane, number] : last) {
    newest = std::max(newest, number);
    for (std::int64_t n = 0; n < number; ++n) lost += !came.contains({lane, n});
  }
  const LofarCounts& counts = station.counts();
  EXPECT_EQ(counts.received.value(), came.size());
  EXPECT_EQ(counts.duplicate.value(), deliveries.size() - came.size());
  EXPECT_EQ(counts.lost.value(), lost);
  EXPECT_EQ(counts.late.value(), 0u);
  EXPECT_EQ(counts.early.value(), 0u);
  EXPECT_EQ(counts.implausible.value(), 0u);

  const std::vector<KeptFrame> frames = station.frames();
  std::size_t next = 0;
  for (std::int64_t first = 0; first <= newest; first += packets) {
    const Bytes expected = expected_frame(station.format(), came, first);
    std::uint32_t missing = 0;
    for (std::int64_t number = first; number < first + packets; ++number)
      for (std::size_t lane = 0; lane < weather.lanes; ++lane) missing += !came.contains({lane, number});
    if (missing == weather.lanes * weather.packets) continue;  // a frame of which nothing came is lost
    ASSERT_LT(next, frames.size());
    EXPECT_EQ(frames[next].header.sequence, static_cast<std::uint64_t>(first / packets));
    EXPECT_EQ(frames[next].header.missing_parts, missing);
    EXPECT_EQ(frames[next].bytes, expected) << "frame " << first / packets;
    ++next;
  }
  EXPECT_EQ(next, frames.size());
  EXPECT_EQ(counts.frames.value(), frames.size());
}

INSTANTIATE_TEST_SUITE_P(AnyWeather, LofarAssemblerInWeather,
                         testing::Values(Weather{1, 1, 8, 16, 0, 0}, Weather{2, 4, 16, 64, 0.05, 0.02},
                                         Weather{3, 2, 1, 16, 0.5, 0.1}, Weather{4, 3, 7, 5, 0.3, 0.3},
                                         Weather{5, 1, 32, 3, 0.9, 0}, Weather{6, 2, 5, 100, 0.01, 0.5},
                                         Weather{7, 4, 64, 1, 0.1, 0.1}, Weather{8, 1, 3, 1, 0.2, 0.2}),
                         [](const auto& test) { return "seed" + std::to_string(test.param.seed); });

/// Delays beyond the window: nothing is said about which packets are in time, but no packet goes uncounted.
TEST(LofarAssembler, every_packet_is_counted_once_even_in_a_storm) {
  for (unsigned seed = 0; seed < 20; ++seed) {
    constexpr std::size_t window = 12;
    Weather storm{seed, 2, 4, window * 3, 0.2, 0.2};
    const std::vector<Delivery> deliveries = deliveries_of(storm, 400, 40);
    Station station(storm.lanes, storm.packets, window);
    std::set<std::pair<std::size_t, std::int64_t>> came;
    for (const Delivery& delivery : deliveries) {
      station.deliver(delivery);
      came.insert({delivery.lane, delivery.number});
    }
    station.finish();
    const LofarCounts& counts = station.counts();
    EXPECT_EQ(counts.received.value() + counts.late.value() + counts.early.value() +
                  counts.implausible.value() + counts.duplicate.value(),
              deliveries.size());
    EXPECT_GT(counts.late.value(), 0u);

    std::uint64_t filled = 0;
    for (const KeptFrame& frame : station.frames())
      for (std::size_t p = 0; p < 4; ++p)
        for (std::size_t lane = 0; lane < 2; ++lane) {
          const auto number = static_cast<std::int64_t>(frame.header.sequence * 4 + p);
          const auto at = frame.bytes.begin() + static_cast<std::ptrdiff_t>((p * 2 + lane) * payload);
          const Bytes part(at, at + payload);
          if (part == payload_of(payload, lane, static_cast<std::uint64_t>(number)))
            ++filled;
          else
            EXPECT_EQ(part, Bytes(payload, std::byte{0}));
        }
    EXPECT_EQ(filled, counts.received.value());
  }
}

/// A receiver that does not keep up: each lane's buffer holds so many packets, and what finds it full is
/// gone. Buffers then hold pieces of the stream from far apart, and one lane crosses a gap before another
/// does.
TEST(LofarAssembler, overload_is_loss_and_never_looks_like_a_clock_that_jumps) {
  for (unsigned seed = 0; seed < 5; ++seed) {
    std::mt19937_64 random(seed);
    Station station(4, 1 + random() % 64, 64 + random() % 256);
    const std::size_t capacity = 100 + random() % 1000;
    std::vector<std::deque<std::int64_t>> buffers(4);
    std::uint64_t delivered = 0;
    std::int64_t now = 0;
    for (int step = 0; step < 300; ++step) {
      const auto burst = static_cast<std::int64_t>(random() % (step % 10 == 0 ? 3000 : 100));
      for (const std::int64_t end = now + burst; now < end; ++now)
        for (auto& buffer : buffers)
          if (buffer.size() < capacity) buffer.push_back(now);
      for (std::uint64_t rounds = random() % 4; rounds > 0; --rounds)
        for (std::size_t lane = 0; lane < 4; ++lane)
          for (int i = 0; i < 32 && !buffers[lane].empty(); ++i) {
            station.deliver({lane, buffers[lane].front()});
            buffers[lane].pop_front();
            ++delivered;
          }
      (void)station.frames();
    }
    station.finish();
    const LofarCounts& counts = station.counts();
    EXPECT_EQ(counts.jumps.value(), 0u);
    EXPECT_EQ(counts.duplicate.value(), 0u);
    EXPECT_EQ(
        counts.received.value() + counts.late.value() + counts.early.value() + counts.implausible.value(),
        delivered);
    EXPECT_GT(counts.lost.value(), counts.received.value());
    EXPECT_LT(counts.late.value() + counts.implausible.value(), delivered / 10);
  }
}

}  // namespace
}  // namespace takt::sensors
