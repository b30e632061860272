#include "pipeline/kernels/detrend.hpp"

#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include "core/system/wide_registers.hpp"
#include "pipeline/kernels/frame_shapes.hpp"

namespace takt::pipeline {

namespace {

class Detrend final : public Kernel {
 public:
  explicit Detrend(const Parameters& parameters) : takes_line_(parameters.text("mode") == "line") {}

  FrameType configure(std::span<const FrameType> inputs) override {
    shape_ = shape_of(inputs.front(), "time");
    if (shape_.size < 2)
      throw InputError(
          fmt::format("one sample without its mean is 0: expected frames of two or more samples, found {}",
                      inputs.front().to_string()));
    for (std::vector<double>* sums : {&n_, &t_, &tt_, &x_, &tx_}) sums->resize(shape_.inner);
    return inputs.front();
  }

  std::optional<std::size_t> separates(std::size_t axis) const override {
    return axis == shape_.dimension ? std::nullopt : std::optional(axis);
  }

  Outcome process(std::span<const FrameView> inputs, const FrameBuffer& output) override {
    const float* from = inputs.front().as<float>().data();
    float* to = output.as<float>().data();
    const std::size_t frame = shape_.size * shape_.inner;
    for (std::size_t run = 0; run < shape_.outer; ++run, from += frame, to += frame) {
      inputs.front().header->missing_parts > 0 ? fit_present(from) : fit(from);
      for (std::size_t t = 0; t < shape_.size; ++t)
        take_away(from + t * shape_.inner, centred(t), x_.data(), tx_.data(), to + t * shape_.inner,
                  shape_.inner);
    }
    mark_nan(output);
    return Outcome::produced;
  }

 private:
  [[nodiscard]] double centred(std::size_t t) const {
    return static_cast<double>(t) - (static_cast<double>(shape_.size) - 1) / 2;
  }

  TAKT_WIDE static void take_away(const float* __restrict from, double t, const double* __restrict mean,
                                  const double* __restrict slope, float* __restrict to, std::size_t count) {
    for (std::size_t i = 0; i < count; ++i) to[i] = static_cast<float>(from[i] - (mean[i] + slope[i] * t));
  }
  TAKT_WIDE static void add(const float* __restrict from, double t, double* __restrict x,
                            double* __restrict tx, std::size_t count) {
    for (std::size_t i = 0; i < count; ++i) {
      const double value = from[i];
      x[i] += value;
      tx[i] += t * value;
    }
  }

  /// Replaces the sums of each column by its mean in the frame's middle, and its slope per sample.
  void fit(const float* from) {
    std::ranges::fill(x_, 0.0);
    std::ranges::fill(tx_, 0.0);
    double spread = 0;
    for (std::size_t t = 0; t < shape_.size; ++t) {
      spread += centred(t) * centred(t);
      add(from + t * shape_.inner, centred(t), x_.data(), tx_.data(), shape_.inner);
    }
    // A single sample does not define a line.
    const double slope = !takes_line_ ? 0 : spread > 0 ? 1 / spread : std::nan("");
    for (std::size_t i = 0; i < shape_.inner; ++i) {
      x_[i] /= static_cast<double>(shape_.size);
      tx_[i] *= slope;
    }
  }

  void fit_present(const float* from) {
    for (std::vector<double>* sums : {&n_, &t_, &tt_, &x_, &tx_}) std::ranges::fill(*sums, 0.0);
    for (std::size_t row = 0; row < shape_.size; ++row) {
      const double t = centred(row);
      for (std::size_t i = 0; i < shape_.inner; ++i) {
        const double value = *from++;
        if (std::isnan(value)) continue;
        n_[i] += 1;
        t_[i] += t;
        tt_[i] += t * t;
        x_[i] += value;
        tx_[i] += t * value;
      }
    }
    for (std::size_t i = 0; i < shape_.inner; ++i) {
      const double spread = n_[i] * tt_[i] - t_[i] * t_[i];
      const double slope =
          takes_line_ ? (n_[i] * tx_[i] - t_[i] * x_[i]) / (spread > 0 ? spread : std::nan("")) : 0;
      x_[i] = (x_[i] - slope * t_[i]) / n_[i];
      tx_[i] = slope;
    }
  }

  bool takes_line_;
  AxisShape shape_;
  /// By column, sums over present samples of 1, t, t^2, x, t x.
  std::vector<double> n_, t_, tt_, x_, tx_;
};

}  // namespace

KernelKind detrend_kernel() {
  return {.name = "detrend",
          .summary = "subtracts the mean or a straight line along the time of each frame",
          .stateless = true,
          .parameters = {{.name = "mode",
                          .fallback = "line",
                          .help = "what to subtract",
                          .choices = {"line", "mean"},
                          .may_change = true}},
          .make = make_from<Detrend>};
}

}  // namespace takt::pipeline
