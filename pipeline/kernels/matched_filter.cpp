#include "pipeline/kernels/matched_filter.hpp"

#include <algorithm>
#include <cmath>
#include <optional>
#include <span>

#include <fmt/format.h>

#include "core/system/wide_registers.hpp"
#include "pipeline/kernel_state.hpp"
#include "pipeline/kernels/frame_shapes.hpp"

namespace takt::pipeline {

namespace {

/// Computes boxcars of `width` rows over `rows` rows of `inner` numbers, from running sums in double
/// precision, because added values are subtracted again. All widths of a row together, so that shared data
/// stay in the cache.
TAKT_WIDE void slide_rows(const float* __restrict window, std::span<const std::size_t> widths,
                          const double* __restrict scales, double* __restrict all_sums, float* __restrict to,
                          std::size_t rows, std::size_t inner) {
  for (std::size_t t = 0; t < rows; ++t)
    for (std::size_t w = 0; w < widths.size(); ++w, to += inner) {
      const float* const comes = window + t * inner;
      const float* const goes = comes - (widths[w] - 1) * inner;
      double* __restrict const sums = all_sums + w * inner;
      const double scale = scales[w];
      for (std::size_t i = 0; i < inner; ++i) {
        const double sum = sums[i] + comes[i];
        to[i] = static_cast<float>(sum * scale);
        sums[i] = sum - goes[i];
      }
    }
}

/// Sums each column of `rows` rows. A NaN or infinity makes its column's sum non-finite.
TAKT_WIDE void sum_rows(const float* __restrict from, std::size_t rows, double* __restrict sums,
                        std::size_t inner) {
  std::fill_n(sums, inner, 0.0);
  for (std::size_t row = 0; row < rows; ++row, from += inner)
    for (std::size_t i = 0; i < inner; ++i) sums[i] += from[i];
}

class MatchedFilter final : public Kernel {
 public:
  explicit MatchedFilter(const Parameters& parameters) : share_(parameters.number("least")) {
    for (const std::int64_t width : parameters.integers("widths"))
      widths_.push_back(static_cast<std::size_t>(width));
    if (widths_.empty()) parameters.refuse("widths", "expected at least one width");
  }

  FrameType configure(std::span<const FrameType> inputs) override {
    FrameType type = inputs.front();
    shape_ = real_shape_of(type, "time", true);
    require_steady(type);
    const std::size_t widest = std::ranges::max(widths_);
    kept_ = widest - 1;
    window_.assign((kept_ + shape_.size) * shape_.inner, missing_value);
    sums_.resize(widths_.size() * shape_.inner);
    for (const std::size_t each : widths_) scales_.push_back(1 / std::sqrt(static_cast<double>(each)));
    counts_.resize(shape_.inner);
    levels_.resize(shape_.inner);
    frame_sums_.resize(shape_.inner);
    // Never zero: if a frame has no values, the level stays that of the frames before.
    constexpr double least_left = 1e-30;
    forgets_ = std::max(std::exp(-static_cast<double>(shape_.size) / (16 * static_cast<double>(widest))),
                        least_left);
    Axis width{"width", widths_.size(), {}};
    for (const std::size_t each : widths_) width.coordinates.push_back(static_cast<double>(each));
    type.axes.insert(type.axes.begin() + 1, std::move(width));
    return type;
  }

  bool change(const Parameters& parameters) override {
    share_ = parameters.number("least");
    return true;
  }

  std::optional<std::size_t> separates(std::size_t axis) const override {
    // `width` is inserted after the time.
    return axis == 0 ? std::nullopt : std::optional(axis + 1);
  }

  Outcome process(std::span<const FrameView> inputs, const FrameBuffer& output) override {
    const std::size_t frame = shape_.size * shape_.inner, kept = kept_ * shape_.inner;
    const Following following = succession_.follow(*inputs.front().header);
    const bool is_followed = following == Following::next;
    succession_.move_on(following, kept, frame, window_.data());
    if (following == Following::anew) std::ranges::fill(levels_, Level{});
    // Lost frames add nothing to the levels, but age the earlier frames.
    const double left = std::pow(forgets_, static_cast<double>(1 + succession_.lost()));
    std::copy_n(inputs.front().as<float>().data(), frame, window_.data() + kept);
    // Missing samples affect later frames as far as the widest boxcar reaches.
    if (!learn(left) || !is_followed) holes_ = kept_ + shape_.size;
    float* const to = output.as<float>().data();
    if (holes_ == 0) slide(to);
    bool is_whole = true;
    for (std::size_t w = 0; holes_ > 0 && w < widths_.size(); ++w)
      is_whole = slide_present(w, to) && is_whole;
    if (!is_whole) mark_incomplete(*output.header);
    holes_ -= std::min(holes_, shape_.size);
    return Outcome::produced;
  }

  std::optional<std::vector<std::byte>> save() const override {
    return saved(window_, levels_, succession_, holes_);
  }
  void load(std::span<const std::byte> state) override {
    load_into(state, window_, levels_, succession_, holes_);
  }

 private:
  /// Sum and number of the samples of a series; earlier frames have less weight.
  struct Level {
    double sum = 0, count = 0;
  };

  /// Updates the levels with the frame after scaling them by `left`. Returns true if the frame is complete.
  bool learn(double left) {
    const float* const rows = window_.data() + kept_ * shape_.inner;
    sum_rows(rows, shape_.size, frame_sums_.data(), shape_.inner);
    bool is_whole = true;
    for (std::size_t i = 0; i < shape_.inner; ++i) {
      double sum = frame_sums_[i];
      auto count = static_cast<double>(shape_.size);
      if (!std::isfinite(sum)) {
        is_whole = false;
        sum = count = 0;
        for (std::size_t row = 0; row < shape_.size; ++row)
          if (const float value = rows[row * shape_.inner + i]; std::isfinite(value)) sum += value, ++count;
      }
      levels_[i].sum = left * levels_[i].sum + sum;
      levels_[i].count = left * levels_[i].count + count;
    }
    return is_whole;
  }

  void slide(float* to) {
    const std::size_t inner = shape_.inner;
    std::ranges::fill(sums_, 0.0);
    for (std::size_t w = 0; w < widths_.size(); ++w)
      for (std::size_t row = kept_ + 1 - widths_[w]; row < kept_; ++row)
        for (std::size_t i = 0; i < inner; ++i) sums_[w * inner + i] += window_[row * inner + i];
    slide_rows(window_.data() + kept_ * inner, widths_, scales_.data(), sums_.data(), to, shape_.size, inner);
  }

  /// Returns true if all results are present.
  bool slide_present(std::size_t w, float* to) {
    const std::size_t inner = shape_.inner, width = widths_[w];
    const auto least = static_cast<unsigned>(least_count(share_, width));
    const double whole = std::sqrt(static_cast<double>(width));
    bool is_whole = true;
    std::fill_n(sums_.begin(), inner, 0.0);
    std::ranges::fill(counts_, 0U);
    const auto add = [&](std::size_t row, int sign) {
      const float* const from = window_.data() + row * inner;
      for (std::size_t i = 0; i < inner; ++i) {
        const bool is_there = std::isfinite(from[i]);
        sums_[i] += is_there ? sign * static_cast<double>(from[i]) : 0.0;
        counts_[i] += static_cast<unsigned>(is_there ? sign : 0);
      }
    };
    for (std::size_t row = kept_ + 1 - width; row < kept_; ++row) add(row, 1);
    for (std::size_t t = 0; t < shape_.size; ++t) {
      add(kept_ + t, 1);
      float* const out = to + (t * widths_.size() + w) * inner;
      for (std::size_t i = 0; i < inner; ++i) {
        const unsigned count = counts_[i];
        if (count < least) {
          out[i] = missing_value;
          is_whole = false;
          continue;
        }
        const double root = std::sqrt(static_cast<double>(count));
        // A complete boxcar needs no correction: bitwise the same as without losses.
        out[i] = static_cast<float>(count < width
                                        ? sums_[i] / root + (whole - root) * levels_[i].sum / levels_[i].count
                                        : sums_[i] * scales_[w]);
      }
      add(kept_ + t + 1 - width, -1);
    }
    return is_whole;
  }

  std::vector<std::size_t> widths_;
  AxisShape shape_;
  std::size_t kept_ = 0;
  /// Least present share of a boxcar.
  double share_;
  std::vector<float> window_;
  /// [width][inner]; by width.
  std::vector<double> sums_, scales_;
  std::vector<unsigned> counts_;
  std::vector<Level> levels_;
  std::vector<double> frame_sums_;
  /// Remaining weight of the levels after a frame.
  double forgets_ = 0;
  Succession succession_;
  /// Rows until missing data have left the window.
  std::size_t holes_ = 0;
};

}  // namespace

KernelKind matched_filter_kernel() {
  return {.name = "matched_filter",
          .summary = "sums over sliding boxcars of several widths, to find pulses",
          .stateless = false,
          .parameters = {{.name = "widths",
                          .type = ParameterType::integers,
                          .fallback = "1,2,4,8,16",
                          .help = "widths of the boxcars, in samples",
                          .minimum = 1,
                          .maximum = 1 << 20},
                         least_parameter("least share of a boxcar with data")},
          .make = make_from<MatchedFilter>};
}

}  // namespace takt::pipeline
