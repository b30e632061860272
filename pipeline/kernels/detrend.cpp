#include "pipeline/kernels/detrend.hpp"

#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include "pipeline/kernels/frame_shapes.hpp"

namespace takt::pipeline {

namespace {

class Detrend final : public Kernel {
 public:
  explicit Detrend(const Parameters& parameters) : takes_line_(parameters.text("mode") == "line") {}

  FrameType configure(std::span<const FrameType> inputs) override {
    shape_ = shape_of(inputs.front(), "time");
    fits_.resize(shape_.inner);
    return inputs.front();
  }

  std::optional<std::size_t> separates(std::size_t axis) const override {
    return axis == shape_.dimension ? std::nullopt : std::optional(axis);
  }

  Outcome process(std::span<const FrameView> inputs, const FrameBuffer& output) override {
    const float* from = inputs.front().as<float>().data();
    float* to = output.as<float>().data();
    for (std::size_t run = 0; run < shape_.outer; ++run) {
      fit(from);
      for (std::size_t t = 0; t < shape_.size; ++t)
        for (std::size_t i = 0; i < shape_.inner; ++i)
          *to++ = static_cast<float>(*from++ - (fits_[i].mean + fits_[i].slope * centred(t)));
    }
    return Outcome::produced;
  }

 private:
  /// Sums over what is there, and the line of them: mean at the frame's middle, slope a sample.
  struct Fit {
    double n, t, tt, x, tx, mean, slope;
  };

  [[nodiscard]] double centred(std::size_t t) const {
    return static_cast<double>(t) - (static_cast<double>(shape_.size) - 1) / 2;
  }

  void fit(const float* from) {
    std::ranges::fill(fits_, Fit{});
    for (std::size_t row = 0; row < shape_.size; ++row) {
      const double t = centred(row);
      for (Fit& fit : fits_) {
        const double x = *from++;
        if (std::isnan(x)) continue;
        fit.n += 1;
        fit.t += t;
        fit.tt += t * t;
        fit.x += x;
        fit.tx += t * x;
      }
    }
    for (Fit& fit : fits_) {
      const double spread = fit.n * fit.tt - fit.t * fit.t;
      fit.slope = takes_line_ ? (fit.n * fit.tx - fit.t * fit.x) / (spread > 0 ? spread : std::nan("")) : 0;
      fit.mean = (fit.x - fit.slope * fit.t) / fit.n;
    }
  }

  bool takes_line_;
  AxisShape shape_;
  std::vector<Fit> fits_;
};

}  // namespace

KernelKind detrend_kernel() {
  return {.name = "detrend",
          .summary = "takes the mean or a straight line away along the time of each frame",
          .parameters = {{.name = "mode",
                          .fallback = "line",
                          .help = "what is taken away",
                          .choices = {"line", "mean"}}},
          .make = make_from<Detrend>};
}

}  // namespace takt::pipeline
