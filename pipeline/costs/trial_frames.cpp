#include "pipeline/costs/trial_frames.hpp"

#include <algorithm>
#include <random>

namespace takt::pipeline {

namespace {

constexpr std::size_t cache_line = 64;

Bytes other_frames(const Pipeline& pipeline, std::span<const std::size_t> measured) {
  std::size_t bytes = 0;
  for (std::size_t i = 0; i < pipeline.stages.size(); ++i) {
    const Stage& other = pipeline.stages[i];
    if (std::ranges::count(measured, i) > 0) continue;
    if (other.kind != StageKind::sink) bytes += other.output.size().count;
    for (const std::size_t input : other.inputs) bytes += pipeline.stages[input].output.size().count;
  }
  constexpr std::size_t most = 64 << 20;
  return Bytes{std::min(bytes, most)};
}

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

OtherTasks::OtherTasks(const Pipeline& pipeline, std::span<const std::size_t> measured)
    : memory_(1, other_frames(pipeline, measured)) {}

}  // namespace takt::pipeline
