/// Which frames become one, and what does their header say?

#include "pipeline/kernels/frame_group.hpp"

#include <gmock/gmock.h>

namespace takt::pipeline {
namespace {

using sensors::FrameHeader;

TEST(FrameGroup, ends_with_its_last_number) {
  FrameGroup group(3);
  EXPECT_FALSE(group.add({.sequence = 6}));
  EXPECT_FALSE(group.add({.sequence = 7}));
  EXPECT_TRUE(group.add({.sequence = 8}));
  EXPECT_EQ(group.count(), 3U);
  EXPECT_EQ(group.take().sequence, 2U);
  EXPECT_EQ(group.count(), 0U);
}

TEST(FrameGroup, is_over_when_a_frame_of_another_group_comes) {
  FrameGroup group(3);
  EXPECT_FALSE(group.is_over({.sequence = 5}));
  group.add({.sequence = 6});
  EXPECT_FALSE(group.is_over({.sequence = 8}));
  EXPECT_TRUE(group.is_over({.sequence = 9}));
}

TEST(FrameGroup, of_one_frame_leaves_its_header_alone) {
  FrameGroup group(1);
  EXPECT_TRUE(group.add({.sequence = 7, .utc_ns = 5, .parts = 4, .missing_parts = 1, .missing_mask = 0b100}));
  const FrameHeader header = group.take();
  EXPECT_EQ(header.sequence, 7U);
  EXPECT_EQ(header.utc_ns, 5);
  EXPECT_EQ(header.missing_mask, 0b100U);
}

TEST(FrameGroup, marks_the_frames_with_missing_parts) {
  FrameGroup group(4);
  for (std::uint64_t sequence = 0; sequence < 4; ++sequence)
    group.add(
        {.sequence = sequence, .parts = 8, .missing_parts = sequence % 2 == 1 ? 2U : 0U, .missing_mask = 0});
  const FrameHeader header = group.take();
  EXPECT_EQ(header.parts, 32U);
  EXPECT_EQ(header.missing_parts, 4U);
  EXPECT_EQ(header.missing_mask, 0b1010U);
}

TEST(FrameGroup, marks_all_pieces_that_a_frame_touches) {
  // 96 frames in 64 pieces of 1.5 frames: frame 1 is the end of piece 0 and the beginning of piece 1, frame
  // 95 lies in piece 63.
  FrameGroup group(96);
  group.add({.sequence = 1, .parts = 1, .missing_parts = 1});
  group.add({.sequence = 95, .parts = 1, .missing_parts = 1});
  EXPECT_EQ(group.take().missing_mask, 0x8000000000000003U);
}

}  // namespace
}  // namespace takt::pipeline
