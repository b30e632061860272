#include "pipeline/kernels/statistics.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>

#include <fmt/format.h>

#include "core/system/wide_registers.hpp"
#include "pipeline/kernel_state.hpp"
#include "pipeline/kernels/frame_shapes.hpp"
#include "pipeline/kernels/gathering_kernel.hpp"

namespace takt::pipeline {

namespace {

/// Channels processed together, so that their sums stay in the first-level cache for all rows.
constexpr std::size_t channels_at_once = 256;

/// Number of values, their mean, and sums of powers of their deviations, for one block of channels.
struct alignas(64) Moments {
  std::array<double, channels_at_once> number{}, mean{}, second{}, third{}, fourth{};
};

/// Computes the moments of `rows` rows, `stride` apart, for `count` channels. Missing values are NaN.
template <bool may_miss, bool with_third>
[[gnu::always_inline]] inline void measure(const float* __restrict from, std::size_t rows, std::size_t stride,
                                           std::size_t count, Moments& to) {
  to = {};
  for (std::size_t row = 0; row < rows; ++row)
    for (std::size_t i = 0; i < count; ++i) {
      const float value = from[row * stride + i];
      if constexpr (may_miss) {
        const bool is_there = !std::isnan(value);
        to.mean[i] += is_there ? value : 0.0;
        to.number[i] += is_there ? 1.0 : 0.0;
      } else {
        to.mean[i] += value;
      }
    }
  if constexpr (!may_miss) std::fill_n(to.number.begin(), count, static_cast<double>(rows));
  for (std::size_t i = 0; i < count; ++i) to.mean[i] /= std::max(to.number[i], 1.0);
  for (std::size_t row = 0; row < rows; ++row)
    for (std::size_t i = 0; i < count; ++i) {
      const float value = from[row * stride + i];
      const double deviation = may_miss && std::isnan(value) ? 0.0 : value - to.mean[i];
      const double squared = deviation * deviation;
      to.second[i] += squared;
      if constexpr (with_third) to.third[i] += squared * deviation;
      to.fourth[i] += squared * squared;
    }
}

TAKT_WIDE void measure_whole(const float* from, std::size_t rows, std::size_t stride, std::size_t count,
                             Moments& to) {
  measure<false, false>(from, rows, stride, count, to);
}
TAKT_WIDE void measure_whole_to_merge(const float* from, std::size_t rows, std::size_t stride,
                                      std::size_t count, Moments& to) {
  measure<false, true>(from, rows, stride, count, to);
}
TAKT_WIDE void measure_present(const float* from, std::size_t rows, std::size_t stride, std::size_t count,
                               Moments& to) {
  measure<true, false>(from, rows, stride, count, to);
}
TAKT_WIDE void measure_present_to_merge(const float* from, std::size_t rows, std::size_t stride,
                                        std::size_t count, Moments& to) {
  measure<true, true>(from, rows, stride, count, to);
}

/// Merges `b` into `a`.
void merge(Moments& a, const Moments& b) {
  for (std::size_t i = 0; i < channels_at_once; ++i) {
    const double na = a.number[i], nb = b.number[i], n = std::max(na + nb, 1.0);
    const double d = b.mean[i] - a.mean[i], d2 = d * d;
    a.fourth[i] += b.fourth[i] + d2 * d2 * na * nb * (na * na - na * nb + nb * nb) / (n * n * n) +
                   6 * d2 * (na * na * b.second[i] + nb * nb * a.second[i]) / (n * n) +
                   4 * d * (na * b.third[i] - nb * a.third[i]) / n;
    a.third[i] += b.third[i] + d2 * d * na * nb * (na - nb) / (n * n) +
                  3 * d * (na * b.second[i] - nb * a.second[i]) / n;
    a.second[i] += b.second[i] + d2 * na * nb / n;
    a.mean[i] += d * nb / n;
    a.number[i] += nb;
  }
}

class Statistics final : public GatheringKernel {
 public:
  explicit Statistics(std::size_t frames) : GatheringKernel(frames) {}

  FrameType configure(std::span<const FrameType> inputs) override {
    FrameType type = inputs.front();
    (void)real_shape_of(type, "time", true);
    rows_ = type.axes.front().size;
    row_ = type.element_count() / rows_;
    blocks_.resize((row_ + channels_at_once - 1) / channels_at_once);
    type.axes.front() = {"statistic", 3, {}};
    type.rate_hz /= static_cast<double>(group_.frames());
    type.unit.clear();
    return type;
  }

  std::optional<std::size_t> separates(std::size_t axis) const override {
    return axis == 0 ? std::nullopt : std::optional(axis);
  }

  std::optional<std::vector<std::byte>> save() const override {
    if (is_stateless()) return std::nullopt;
    return saved(group_, blocks_);
  }
  void load(std::span<const std::byte> state) override { load_into(state, group_, blocks_); }

 private:
  void gather(const FrameHeader&, std::span<const FrameView> inputs) override {
    const FrameView& frame = inputs.front();
    const float* const from = frame.as<float>().data();
    const bool is_first = group_.count() == 0;
    // The third moment is needed for merging.
    const bool may_miss = frame.header->missing_parts > 0;
    const auto measured = is_stateless() ? (may_miss ? measure_present : measure_whole)
                                         : (may_miss ? measure_present_to_merge : measure_whole_to_merge);
    for (std::size_t i = 0; i < blocks_.size(); ++i) {
      const std::size_t count = std::min(channels_at_once, row_ - i * channels_at_once);
      if (is_first) {
        measured(from + i * channels_at_once, rows_, row_, count, blocks_[i]);
        continue;
      }
      Moments moments;
      measured(from + i * channels_at_once, rows_, row_, count, moments);
      merge(blocks_[i], moments);
    }
  }

  void give(const FrameBuffer& output) override {
    constexpr float none = std::numeric_limits<float>::quiet_NaN();
    float* const to = output.as<float>().data();
    bool has_all = true;
    for (std::size_t channel = 0; channel < row_; ++channel) {
      const Moments& moments = blocks_[channel / channels_at_once];
      const std::size_t i = channel % channels_at_once;
      const double n = moments.number[i], mean = moments.mean[i], second = moments.second[i];
      to[channel] = n > 0 ? static_cast<float>(mean) : none;
      to[row_ + channel] = n > 0 ? static_cast<float>(std::sqrt(mean * mean + second / n)) : none;
      to[2 * row_ + channel] = static_cast<float>(moments.fourth[i] * n / (second * second));
      has_all = has_all && second > 0;
    }
    *output.header = group_.take();
    if (!has_all) mark_incomplete(*output.header);
  }

  /// Rows of the time axis, and elements in each.
  std::size_t rows_ = 0, row_ = 0;
  std::vector<Moments> blocks_;
};

}  // namespace

KernelKind statistics_kernel() {
  return {.name = "statistics",
          .summary = "mean, rms and kurtosis of each channel over the time of one or several frames",
          .stateless = false,
          .parameters = {{.name = "frames",
                          .type = ParameterType::integer,
                          .fallback = "1",
                          .help = "number of frames per result",
                          .minimum = 1,
                          .maximum = 1e9}},
          .make = [](const Parameters& parameters) -> std::unique_ptr<Kernel> {
            return std::make_unique<Statistics>(static_cast<std::size_t>(parameters.integer("frames")));
          }};
}

}  // namespace takt::pipeline
