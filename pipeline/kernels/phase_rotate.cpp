#include "pipeline/kernels/phase_rotate.hpp"

#include <algorithm>
#include <cmath>
#include <complex>
#include <numbers>

#include <fmt/format.h>

#include "pipeline/kernels/frame_shapes.hpp"

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
      throw InputError(fmt::format("the time between samples is not known of {}", type.to_string()));
    turns_.resize(shape_.size);
    if (moves_)
      for (Axis& axis : type.axes)
        if (axis.name == "beamlet" || axis.name == "channel")
          for (double& frequency : axis.coordinates) frequency -= hertz_;
    return type;
  }

  Outcome process(std::span<const FrameView> inputs, const FrameBuffer& output) override {
    const std::int64_t utc_ns = inputs.front().header->utc_ns;
    // Whole seconds and the rest apart, so that no digits are lost.
    const double begin =
        std::fmod(std::fmod(static_cast<double>(utc_ns / 1'000'000'000) * std::fmod(hertz_, 1.0), 1.0) +
                      static_cast<double>(utc_ns % 1'000'000'000) * 1e-9 * hertz_,
                  1.0);
    for (std::size_t t = 0; t < shape_.size; ++t) {
      const double cycles =
          phase_ + begin + (hertz_ != 0 ? std::fmod(hertz_ / rate_ * static_cast<double>(t), 1.0) : 0);
      turns_[t] = std::polar(1.0F, static_cast<float>(-2 * std::numbers::pi * std::fmod(cycles, 1.0)));
    }
    const auto* from = reinterpret_cast<const std::complex<float>*>(inputs.front().bytes.data());
    auto* to = reinterpret_cast<std::complex<float>*>(output.bytes.data());
    const std::size_t inner = shape_.inner / 2;
    for (std::size_t run = 0; run < shape_.outer; ++run)
      for (std::size_t t = 0; t < shape_.size; ++t)
        for (std::size_t i = 0; i < inner; ++i, ++from, ++to)
          *to = {from->real() * turns_[t].real() - from->imag() * turns_[t].imag(),
                 from->real() * turns_[t].imag() + from->imag() * turns_[t].real()};
    return Outcome::produced;
  }

 private:
  Parameters parameters_;
  double phase_, hertz_, rate_ = 0;
  bool moves_;
  AxisShape shape_;
  std::vector<std::complex<float>> turns_;
};

}  // namespace

KernelKind phase_rotate_kernel() {
  return {.name = "phase_rotate",
          .summary = "turns phases steadily: fringe stopping, mixing to another frequency",
          .parameters = {{.name = "frequency",
                          .type = ParameterType::number,
                          .fallback = "0",
                          .help = "turns a second, in Hz; below 0 the other way round",
                          .may_change = true},
                         {.name = "phase",
                          .type = ParameterType::number,
                          .fallback = "0",
                          .help = "turns at 1970-01-01T00:00 UTC",
                          .may_change = true},
                         {.name = "moves",
                          .type = ParameterType::boolean,
                          .fallback = "false",
                          .help = "whether frequencies of beamlets or channels go down by it"}},
          .make = make_from<PhaseRotate>};
}

}  // namespace takt::pipeline
