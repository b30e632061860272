/// Tests which frames are combined into one, and its header.

#include "pipeline/kernels/frame_group.hpp"

#include <gmock/gmock.h>

namespace takt::pipeline {
namespace {

using sensors::FrameHeader;
using ::testing::ElementsAre;
using ::testing::IsEmpty;

/// Returns the headers that the group produces for these frames, one after another.
std::vector<FrameHeader> given(FrameGroup& group, const std::vector<FrameHeader>& frames) {
  std::vector<FrameHeader> results;
  for (const FrameHeader& frame : frames) {
    const std::size_t before = results.size();
    const bool is_given = group.add(
        frame, [] {}, [&] { results.push_back(group.take()); });
    EXPECT_EQ(results.size() - before, is_given ? 1U : 0U);
  }
  return results;
}

std::vector<std::uint64_t> sequences(const std::vector<FrameHeader>& headers) {
  std::vector<std::uint64_t> numbers;
  for (const FrameHeader& header : headers) numbers.push_back(header.sequence);
  return numbers;
}

TEST(FrameGroup, is_produced_with_its_last_frame) {
  FrameGroup group(3);
  EXPECT_THAT(given(group, {{.sequence = 6}, {.sequence = 7}}), IsEmpty());
  EXPECT_EQ(group.count(), 2U);
  EXPECT_THAT(sequences(given(group, {{.sequence = 8}})), ElementsAre(2));
  EXPECT_EQ(group.count(), 0U);
}

TEST(FrameGroup, is_produced_when_a_frame_of_another_group_arrives) {
  FrameGroup group(3);
  EXPECT_THAT(sequences(given(group, {{.sequence = 6}, {.sequence = 10}, {.sequence = 11}})),
              ElementsAre(2, 3));
}

TEST(FrameGroup, is_produced_when_a_new_epoch_begins) {
  FrameGroup group(4);
  const auto headers = given(group, {{.sequence = 4, .utc_ns = 40},
                                     {.sequence = 5, .utc_ns = 50},
                                     {.sequence = 6, .utc_ns = 7, .epoch = 1},
                                     {.sequence = 7, .utc_ns = 8, .epoch = 1}});
  // The numbers are equal, the epochs differ.
  ASSERT_THAT(sequences(headers), ElementsAre(1, 1));
  EXPECT_EQ(headers[0].epoch, 0U);
  EXPECT_EQ(headers[0].utc_ns, 40);
  EXPECT_EQ(headers[1].epoch, 1U);
  EXPECT_EQ(headers[1].utc_ns, 7);
}

TEST(FrameGroup, waits_when_complete_while_another_one_is_produced) {
  FrameGroup group(2);
  EXPECT_THAT(sequences(given(group, {{.sequence = 0}, {.sequence = 3}})), ElementsAre(0));
  EXPECT_EQ(group.count(), 1U);
  EXPECT_THAT(sequences(given(group, {{.sequence = 4}})), ElementsAre(1));
}

TEST(FrameGroup, of_one_frame_keeps_its_header) {
  FrameGroup group(1);
  const auto headers =
      given(group, {{.sequence = 7, .utc_ns = 5, .parts = 4, .missing_parts = 1, .missing_mask = 0b100}});
  ASSERT_EQ(headers.size(), 1U);
  EXPECT_EQ(headers[0].sequence, 7U);
  EXPECT_EQ(headers[0].utc_ns, 5);
  EXPECT_EQ(headers[0].missing_mask, 0b100U);
}

TEST(FrameGroup, marks_the_frames_with_missing_parts) {
  FrameGroup group(4);
  const auto headers = given(group, {{.sequence = 0, .parts = 8},
                                     {.sequence = 1, .parts = 8, .missing_parts = 2},
                                     {.sequence = 2, .parts = 8},
                                     {.sequence = 3, .parts = 8, .missing_parts = 2}});
  ASSERT_EQ(headers.size(), 1U);
  EXPECT_EQ(headers[0].parts, 32U);
  EXPECT_EQ(headers[0].missing_parts, 4U);
  EXPECT_EQ(headers[0].missing_mask, 0b1010U);
}

TEST(FrameGroup, marks_all_pieces_that_a_frame_touches) {
  // 96 frames in 64 pieces of 1.5 frames: frame 1 is the end of piece 0 and the
  // beginning of piece 1; frame 95 is in piece 63.
  FrameGroup group(96);
  const auto headers = given(group, {{.sequence = 1, .parts = 1, .missing_parts = 1},
                                     {.sequence = 95, .parts = 1, .missing_parts = 1}});
  ASSERT_EQ(headers.size(), 1U);
  EXPECT_EQ(headers[0].missing_mask, 0x8000000000000003U);
}

}  // namespace
}  // namespace takt::pipeline
