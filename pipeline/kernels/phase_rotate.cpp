#include "pipeline/kernels/phase_rotate.hpp"

#include <algorithm>
#include <cmath>
#include <complex>
#include <numbers>
#include <optional>

#include <fmt/format.h>

#include "core/system/wide_registers.hpp"
#include "pipeline/kernels/frame_shapes.hpp"
#include "sensors/frames/missing_values.hpp"

namespace takt::pipeline {

namespace {

class PhaseRotate final : public Kernel {
 public:
  explicit PhaseRotate(const Parameters& parameters)
      : parameters_(parameters),
        phase_(parameters.number("phase")),
        hertz_(parameters.number("frequency")),
        moves_(parameters.boolean("moves")) {}

  FrameType configure(std::span<const FrameType> inputs) override {
    FrameType type = inputs.front();
    shape_ = shape_of(type, "time");
    if (type.element != ElementType::complex_float32)
      throw InputError(fmt::format("expected complex_float32 with an axis 'time', got {}", type.to_string()));
    rate_ = sample_rate(type);
    if (!(rate_ > 0) && hertz_ != 0)
      throw InputError(fmt::format("the sample rate of {} is not known", type.to_string()));
    turns_.resize(shape_.size);
    if (moves_)
      for (Axis& axis : type.axes)
        if (axis.name == "beamlet" || axis.name == "channel")
          for (double& frequency : axis.coordinates) frequency -= hertz_;
    return type;
  }

  std::optional<std::size_t> separates(std::size_t axis) const override {
    return axis == shape_.dimension ? std::nullopt : std::optional(axis);
  }

  Outcome process(std::span<const FrameView> inputs, const FrameBuffer& output) override {
    const std::int64_t utc_ns = inputs.front().header->utc_ns;
    // Separates whole seconds from the rest to keep precision.
    const double begin =
        std::fmod(std::fmod(static_cast<double>(utc_ns / 1'000'000'000) * std::fmod(hertz_, 1.0), 1.0) +
                      static_cast<double>(utc_ns % 1'000'000'000) * 1e-9 * hertz_,
                  1.0);
    const double step = hertz_ != 0 ? std::fmod(hertz_ / rate_, 1.0) : 0,
                 first = std::fmod(phase_ + begin, 1.0);
    for (std::size_t t = 0; t < shape_.size; ++t) turns_[t] = turn_of(first + step * static_cast<double>(t));
    const float* from = inputs.front().as<float>().data();
    float* to = output.as<float>().data();
    const std::size_t frame = shape_.size * shape_.inner;
    bool has_nan = false;
    for (std::size_t run = 0; run < shape_.outer; ++run, from += frame, to += frame) {
      if (shape_.inner == 4)
        turn<4>(from, turns_.data(), shape_.size, 4, to);
      else
        turn<2>(from, turns_.data(), shape_.size, shape_.inner, to);
      // Checked while it is in the cache.
      has_nan = sensors::any_nan({to, frame}) || has_nan;
    }
    if (has_nan) mark_nan(output);
    return Outcome::produced;
  }

 private:
  /// Rotates rows of `inner` numbers, `width` of them at a time.
  template <std::size_t width>
  TAKT_WIDE static void turn(const float* __restrict from, const std::complex<float>* turns, std::size_t rows,
                             std::size_t inner, float* __restrict to) {
    for (std::size_t t = 0; t < rows; ++t) {
      const float re = turns[t].real(), im = turns[t].imag();
      for (std::size_t first = 0; first < inner; first += width, from += width, to += width)
        for (std::size_t i = 0; i < width; i += 2) {
          to[i] = from[i] * re - from[i + 1] * im;
          to[i + 1] = from[i] * im + from[i + 1] * re;
        }
    }
  }

  Parameters parameters_;
  double phase_, hertz_, rate_ = 0;
  bool moves_;
  AxisShape shape_;
  std::vector<std::complex<float>> turns_;
};

}  // namespace

KernelKind phase_rotate_kernel() {
  return {.name = "phase_rotate",
          .summary = "rotates phases steadily: fringe stopping, mixing to another frequency",
          .stateless = true,
          .parameters = {{.name = "frequency",
                          .type = ParameterType::number,
                          .fallback = "0",
                          .help = "rate of rotation, in Hz; below 0: reverse",
                          .may_change = true},
                         {.name = "phase",
                          .type = ParameterType::number,
                          .fallback = "0",
                          .help = "turns at 1970-01-01T00:00 UTC",
                          .may_change = true},
                         {.name = "moves",
                          .type = ParameterType::boolean,
                          .fallback = "false",
                          .help = "whether the frequencies of beamlets or channels are lowered by it"}},
          .make = make_from<PhaseRotate>};
}

}  // namespace takt::pipeline
