#include "pipeline/runtime/reorder_buffer.hpp"

#include <array>
#include <cstdint>
#include <vector>

#include <gtest/gtest.h>

namespace takt::pipeline {
namespace {

using sensors::FrameHeader;

/// Two outputs of a frame, whose headers and elements say which frame it is.
class Outputs {
 public:
  explicit Outputs(std::uint64_t frame) {
    for (std::size_t i = 0; i < headers_.size(); ++i) {
      headers_[i].sequence = frame;
      elements_[i].fill(static_cast<std::byte>(16 * frame + i));
      data_[i] = {.header = &headers_[i], .bytes = elements_[i].data(), .present = true};
    }
  }
  Outputs(const Outputs&) = delete;
  Outputs& operator=(const Outputs&) = delete;

  [[nodiscard]] std::array<Datum, 2>& data() { return data_; }

 private:
  std::array<FrameHeader, 2> headers_;
  std::array<std::array<std::byte, 96>, 2> elements_;
  std::array<Datum, 2> data_;
};

const std::vector<std::size_t> sizes{96, 8};

void expect_frame(const ReorderBuffer& buffer, std::uint64_t frame) {
  ASSERT_TRUE(buffer.has_next(frame));
  ASSERT_EQ(buffer.oldest().size(), sizes.size());
  for (std::size_t i = 0; i < sizes.size(); ++i) {
    const Datum& kept = buffer.oldest()[i];
    EXPECT_TRUE(kept.present);
    EXPECT_EQ(kept.header->sequence, frame);
    for (std::size_t byte = 0; byte < sizes[i]; ++byte)
      ASSERT_EQ(kept.bytes[byte], static_cast<std::byte>(16 * frame + i));
  }
}

TEST(ReorderBuffer, keeps_copies_that_outlive_the_outputs) {
  ReorderBuffer buffer(2, sizes);
  {
    Outputs outputs(3);
    buffer.keep(3, outputs.data());
    EXPECT_NE(buffer.oldest()[0].bytes, outputs.data()[0].bytes);
    EXPECT_NE(buffer.oldest()[0].header, outputs.data()[0].header);
  }
  expect_frame(buffer, 3);
}

TEST(ReorderBuffer, gives_frames_back_in_their_order_however_often_the_ring_wraps) {
  constexpr std::size_t room = 3;
  ReorderBuffer buffer(room, sizes);
  std::uint64_t kept = 0;
  // Frames 0, 5, 10, ...: the frames between belong to other ranks.
  for (std::uint64_t taken = 0; taken < 10; ++taken) {
    while (!buffer.is_full()) {
      Outputs outputs(kept);
      buffer.keep(kept, outputs.data());
      kept += 5;
    }
    EXPECT_EQ(kept, 5 * (taken + room));
    EXPECT_FALSE(buffer.has_next(5 * taken + 1));
    expect_frame(buffer, 5 * taken);
    buffer.drop_oldest();
    EXPECT_FALSE(buffer.is_full());
  }
}

TEST(ReorderBuffer, has_no_next_frame_when_it_is_empty) {
  ReorderBuffer buffer(2, sizes);
  EXPECT_TRUE(buffer.is_empty());
  EXPECT_FALSE(buffer.has_next(0));
  Outputs outputs(0);
  buffer.keep(0, outputs.data());
  EXPECT_FALSE(buffer.is_empty());
  buffer.drop_oldest();
  EXPECT_TRUE(buffer.is_empty());
  EXPECT_FALSE(buffer.has_next(0));
}

/// A kernel that gathers frames produces nothing for most of them.
TEST(ReorderBuffer, keeps_that_an_output_is_absent_or_cut_off) {
  ReorderBuffer buffer(1, sizes);
  Outputs outputs(7);
  outputs.data()[0] = {.cut_off = true};
  outputs.data()[1].cut_off = true;
  buffer.keep(7, outputs.data());
  EXPECT_FALSE(buffer.oldest()[0].present);
  EXPECT_TRUE(buffer.oldest()[0].cut_off);
  EXPECT_TRUE(buffer.oldest()[1].present);
  EXPECT_TRUE(buffer.oldest()[1].cut_off);
}

}  // namespace
}  // namespace takt::pipeline
