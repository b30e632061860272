#include "pipeline/costs/trial_frames.hpp"

#include <algorithm>
#include <random>

namespace takt::pipeline {

namespace {

constexpr std::size_t cache_line = 64;

}  // namespace

void fill_with_noise(const FrameBuffer& frame, ElementType element) {
  std::mt19937 random(1);
  switch (element) {
    case ElementType::float32:
    case ElementType::complex_float32:
      for (float& value : frame.as<float>()) value = static_cast<float>(random() % 2001) / 1000.0F - 1.0F;
      break;
    case ElementType::float64:
      for (double& value : frame.as<double>()) value = static_cast<double>(random() % 2001) / 1000.0 - 1.0;
      break;
    case ElementType::int32:
      // Small enough that sums of thousands of them do not overflow.
      for (auto& value : frame.as<std::int32_t>()) value = static_cast<std::int32_t>(random() % 2001) - 1000;
      break;
    default:
      for (std::byte& value : frame.bytes) value = static_cast<std::byte>(random() % 32);
  }
}

void touch(std::span<std::byte> bytes) {
  for (std::size_t i = 0; i < bytes.size(); i += cache_line) {
    volatile std::byte& first_of_line = bytes[i];
    first_of_line = first_of_line;
  }
}

}  // namespace takt::pipeline
