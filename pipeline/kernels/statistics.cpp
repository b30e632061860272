#include "pipeline/kernels/statistics.hpp"

#include <algorithm>
#include <array>
#include <cmath>

#include <fmt/format.h>

namespace takt::pipeline {

namespace {

/// Channels treated together, so that their sums stay in the first-level cache while the rows go by.
constexpr std::size_t block = 256;

class Statistics final : public Kernel {
 public:
  FrameType configure(std::span<const FrameType> inputs) override {
    FrameType type = inputs.front();
    if (type.element != ElementType::float32 || type.axes.empty() || type.axes.front().name != "time")
      throw InputError(fmt::format("expected float32[time]..., got {}", type.to_string()));
    rows_ = type.axes.front().size;
    row_ = type.element_count() / rows_;
    type.axes.front() = {"statistic", 3, {}};
    type.unit.clear();
    return type;
  }

  Outcome process(std::span<const FrameView> inputs, const FrameBuffer& output) override {
    const float* const from = inputs.front().as<float>().data();
    float* const to = output.as<float>().data();
    for (std::size_t first = 0; first < row_; first += block)
      channels(from + first, to + first, std::min(block, row_ - first));
    return Outcome::produced;
  }

 private:
  void channels(const float* __restrict from, float* __restrict to, std::size_t count) const {
    std::array<double, block> mean{}, square{}, second{}, fourth{};
    for (std::size_t row = 0; row < rows_; ++row) {
      const float* const x = from + row * row_;
      for (std::size_t i = 0; i < count; ++i) {
        const double value = x[i];
        mean[i] += value;
        square[i] += value * value;
      }
    }
    const auto n = static_cast<double>(rows_);
    for (std::size_t i = 0; i < count; ++i) mean[i] /= n;
    for (std::size_t row = 0; row < rows_; ++row) {
      const float* const x = from + row * row_;
      for (std::size_t i = 0; i < count; ++i) {
        const double deviation = x[i] - mean[i];
        const double squared = deviation * deviation;
        second[i] += squared;
        fourth[i] += squared * squared;
      }
    }
    for (std::size_t i = 0; i < count; ++i) {
      to[i] = static_cast<float>(mean[i]);
      to[row_ + i] = static_cast<float>(std::sqrt(square[i] / n));
      to[2 * row_ + i] = static_cast<float>(fourth[i] * n / (second[i] * second[i]));
    }
  }

  /// Rows of the time axis, and elements in each.
  std::size_t rows_ = 0, row_ = 0;
};

}  // namespace

KernelKind statistics_kernel() {
  return {
      .name = "statistics",
      .summary = "mean, rms and kurtosis of each channel over a frame's time",
      .make = [](const Parameters&) -> std::unique_ptr<Kernel> { return std::make_unique<Statistics>(); }};
}

}  // namespace takt::pipeline
