/// Tests that pieces of frames keep their flags in new frames.

#include <gmock/gmock.h>

#include "core/error.hpp"
#include "sensors/joining/joined_source.hpp"

namespace takt::sensors {
namespace joining_frame_splicer_test {

using ::testing::ElementsAre;

TEST(FrameSplicer, keeps_flags_with_their_rows) {
  const FrameType type{.element = ElementType::complex_int8,
                       .axes = {{"packet", 4, {}}, {"beamlet", 2, {}}},
                       .rate_hz = 100,
                       .parts = {4, 2}};
  const FrameType cut = with_rows(type, 6);
  EXPECT_EQ(cut.parts, (std::vector<std::size_t>{6, 2}));
  FrameSplicer splicer(type, cut);
  std::vector<std::byte> in(type.size().count, std::byte{7}), out(cut.size().count, std::byte{9});
  // The second lane of packet 3 is missing.
  std::fill(in.begin() + 16, in.end(), std::byte{0});
  in[16 + 3 * 2 + 1] = std::byte{1};
  const FrameHeader header{.parts = 8, .missing_parts = 1};
  FrameHeader made;
  splicer.begin({&made, out});
  splicer.skip(1);
  splicer.copy({&header, in}, 2, 2);
  splicer.copy({&header, in}, 0, 3);
  splicer.end();
  const auto flags = std::span(out).subspan(24);
  std::vector<int> numbers;
  for (const std::byte flag : flags) numbers.push_back(static_cast<int>(flag));
  EXPECT_THAT(numbers, ElementsAre(1, 1, 0, 0, 0, 1, 0, 0, 0, 0, 0, 0));
  EXPECT_EQ(out[0], std::byte{0});
  EXPECT_EQ(out[4], std::byte{7});
  EXPECT_EQ(made.parts, 12);
  // A row, and at most an eighth of a quarter for each of five rows of two frames: rounded up.
  EXPECT_EQ(made.missing_parts, 4);
}

TEST(FrameSplicer, refuses_frames_without_a_time_axis) {
  FrameType type{.element = ElementType::float32, .axes = {{"channel", 8, {}}}, .rate_hz = 10};
  EXPECT_EQ(with_rows(type, 1), type);
  EXPECT_THROW((void)with_rows(type, 2), ConfigError);
  type = {.element = ElementType::int16, .axes = {{"time", 8, {}}}, .rate_hz = 10, .parts = {4}};
  EXPECT_THROW((void)with_rows(type, 16), ConfigError);
}

}  // namespace joining_frame_splicer_test
}  // namespace takt::sensors
