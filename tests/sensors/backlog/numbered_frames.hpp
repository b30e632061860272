#pragma once
/// Numbered frames for tests of queues.

#include <algorithm>
#include <array>
#include <cstdint>

#include <gtest/gtest.h>

#include "sensors/frames/frame.hpp"

namespace takt::test {

inline constexpr std::size_t numbered_bytes = 512;
inline const sensors::FrameType numbered_type{
    .element = sensors::ElementType::uint8, .axes = {{"time", numbered_bytes, {}}}, .rate_hz = 100};

/// A frame whose bytes contain its number.
class NumberedFrame {
 public:
  explicit NumberedFrame(std::uint64_t number) : header_{.sequence = number} {
    for (std::size_t i = 0; i < numbered_bytes; ++i) bytes_[i] = static_cast<std::byte>(number * 7 + i);
  }
  [[nodiscard]] sensors::FrameView view() const { return {&header_, bytes_}; }

 private:
  sensors::FrameHeader header_;
  std::array<std::byte, numbered_bytes> bytes_{};
};

inline std::uint64_t number_of(const sensors::FrameView& frame) {
  const NumberedFrame expected(frame.header->sequence);
  EXPECT_TRUE(std::ranges::equal(frame.bytes, expected.view().bytes));
  return frame.header->sequence;
}

}  // namespace takt::test
