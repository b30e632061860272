/// Tests that every packet is either placed or in exactly one count.

#include "sensors/lofar/assembler.hpp"

#include <random>
#include <set>

#include <gmock/gmock.h>

#include "core/error.hpp"
#include "tests/sensors/lofar/station_support.hpp"

namespace takt::sensors {
namespace {

using test::base_block;
using test::expected_frame;
using test::KeptFrame;
using test::make_packet;
using test::payload_of;
using test::Station;
using test::station_payload;

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

TEST(LofarAssembler, whole_frames_are_in_order_with_times_and_places) {
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

TEST(LofarAssembler, a_complete_frame_is_handed_over_immediately) {
  Station station(1, 16, 256);
  station.deliver(0, 0, 30);
  EXPECT_EQ(station.frames().size(), 1u);
  station.deliver({0, 31});
  EXPECT_EQ(station.frames().size(), 1u);
}

TEST(LofarAssembler, an_incomplete_frame_waits_for_the_window_and_no_longer) {
  Station station(1, 8, 10);
  station.deliver(0, 0, 20);  // frames 0 and 1 are complete, 21 is omitted, frame 2 ends with 23
  station.deliver(0, 22, 33);
  EXPECT_EQ(station.frames().size(), 2u);
  station.deliver({0, 34});  // 10 packets after the first one that does not belong to frame 2
  const std::vector<KeptFrame> frames = station.frames();
  ASSERT_GE(frames.size(), 1u);
  EXPECT_EQ(frames[0].header.sequence, 2u);
  EXPECT_EQ(frames[0].header.missing_parts, 1u);
  EXPECT_EQ(frames[0].header.missing_mask, 1u << 5);
  EXPECT_EQ(station.counts().lost.value(), 1u);
}

TEST(LofarAssembler, the_mask_locates_missing_packets_to_1_64_of_a_long_frame) {
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
  EXPECT_EQ(station.counts().lost.value(), 0u) << "the lane that ended may have sent another packet";
  EXPECT_EQ(station.counts().received.value(), 59u);
}

TEST(LofarAssembler, packets_out_of_order_at_the_start_are_placed) {
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

TEST(LofarAssembler, a_silent_lane_is_awaited_for_a_limited_time_and_then_missing) {
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

TEST(LofarAssembler, a_packet_after_its_frame_is_late_and_not_lost) {
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

TEST(LofarAssembler, a_gap_beyond_the_window_is_loss_with_a_hole_in_the_sequence) {
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

TEST(LofarAssembler, a_damaged_time_has_no_effect) {
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
    for (std::uint64_t number = 0; number < 320; ++number)
      for (std::size_t lane = 0; lane < 2; ++lane)
        station.take(lane, make_packet(station.format(), lane, block + number * 16,
                                       payload_of(station_payload, lane, number)));
  };
  run(base_block);
  run(base_block - 16'000'000);
  run(base_block + 160'000'005);
  station.finish();
  const std::vector<KeptFrame> frames = station.frames();
  ASSERT_EQ(frames.size(), 120u);
  for (std::size_t k = 0; k < 120; ++k) {
    EXPECT_EQ(frames[k].header.epoch, k / 40);
    EXPECT_EQ(frames[k].header.sequence, k % 40);
    EXPECT_EQ(frames[k].header.missing_parts, 0u);
  }
  EXPECT_EQ(frames[40].header.first_sample, base_block - 16'000'000);
  EXPECT_EQ(frames[80].header.first_sample, base_block + 160'000'005);
  EXPECT_EQ(station.counts().jumps.value(), 2u);
  EXPECT_EQ(station.counts().received.value(), 1920u);
  EXPECT_EQ(station.counts().lost.value(), 0u);
}

TEST(LofarAssembler, frames_without_a_slot_are_dropped_newest_first_and_counted) {
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

TEST(LofarAssembler, the_first_valid_packet_determines_the_station_by_default) {
  LofarFormat format = test::small_format(1, 4);
  format.station = std::nullopt;
  FrameQueue queue(64, lofar_frame_type(format).size());
  LofarAssembler assembler(format, {.window = 8}, 0, queue);
  LofarFormat other = format;
  other.station = 215;
  assembler.take(0, make_packet(format, 0, base_block, test::Bytes(station_payload)), 0);
  EXPECT_EQ(assembler.take(0, make_packet(other, 0, base_block + 16, test::Bytes(station_payload)), 0),
            LofarVerdict::station);
  EXPECT_EQ(assembler.counts().refused[static_cast<std::size_t>(LofarVerdict::station)].value(), 1u);
}

TEST(LofarAssembler, four_bit_samples_are_widened) {
  LofarFormat format = test::small_format(1, 1);
  format.bits = 4;
  FrameQueue queue(64, lofar_frame_type(format).size());
  LofarAssembler assembler(format, {.window = 8}, 0, queue);
  assembler.take(0, make_packet(format, 0, base_block, test::Bytes(32, std::byte{0x7F})), 0);
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
    test::Bytes garbage(random() % 200);
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

}  // namespace
}  // namespace takt::sensors
