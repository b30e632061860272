#include "pipeline/kernels/delay.hpp"

#include <algorithm>
#include <chrono>
#include <cmath>
#include <complex>
#include <numbers>
#include <optional>

#include <fmt/format.h>

#include "pipeline/kernels/frame_shapes.hpp"
#include "pipeline/kernels/polyphase_filter.hpp"

namespace takt::pipeline {

namespace {

class Delay final : public Kernel {
 public:
  explicit Delay(const Parameters& parameters)
      : parameters_(parameters),
        delay_s_(std::chrono::duration<double>(parameters.time("delay")).count() +
                 parameters.number("fraction_ns") * 1e-9) {}

  FrameType configure(std::span<const FrameType> inputs) override {
    require_input(inputs, 0, {ElementType::float32, ElementType::complex_float32},
                  {"beamlet", "time", "polarisation"});
    const FrameType& type = inputs.front();
    const double rate = sample_rate(type);
    if (!(rate > 0))
      throw InputError(fmt::format("the time between samples is not known of {}", type.to_string()));
    const double samples = delay_s_ * rate;
    // A sample that is met within rounding is met.
    double whole = std::floor(samples + 1e-9);
    const double fraction = std::max(samples - whole, 0.0);
    const auto half = static_cast<std::size_t>(parameters_.integer("taps")) / 2;
    std::vector<double> taps(2 * half);
    double gain = 0;
    for (std::size_t k = 0; k < taps.size(); ++k) {
      const double at = static_cast<double>(k) - static_cast<double>(half - 1) - fraction;
      const double x = std::numbers::pi * at;
      const double window = 0.54 + 0.46 * std::cos(x / static_cast<double>(half));
      taps[k] = (std::abs(at) < 1e-12 ? 1 : std::sin(x) / x) * window;
      gain += taps[k];
    }
    for (double& tap : taps) tap /= gain;
    shift_s_ = static_cast<double>(half - 1) / rate;
    filter_.emplace(shape_of(type, "time"), std::move(taps), 1, 1, static_cast<std::size_t>(whole));
    if (parameters_.boolean("rotate") && type.element == ElementType::complex_float32) {
      if (type.axes[0].coordinates.empty())
        throw InputError(
            fmt::format("beamlets of unknown frequency cannot be turned in phase ({}): give them "
                        "frequencies, or say rotate: false",
                        type.to_string()));
      for (const double frequency : type.axes[0].coordinates)
        turns_.push_back(std::polar(
            1.0F, static_cast<float>(-2 * std::numbers::pi * std::fmod(frequency * delay_s_, 1.0))));
    }
    return type;
  }

  std::optional<std::size_t> separates(std::size_t axis) const override {
    constexpr std::size_t time = 1;
    return axis == time ? std::nullopt : std::optional(axis);
  }

  Outcome process(std::span<const FrameView> inputs, const FrameBuffer& output) override {
    filter_->process(inputs.front(), output);
    shift_time(*output.header, shift_s_);
    if (turns_.empty()) return Outcome::produced;
    auto* value = reinterpret_cast<std::complex<float>*>(output.bytes.data());
    const std::size_t run = output.bytes.size() / sizeof *value / turns_.size();
    for (const std::complex<float> turn : turns_)
      for (std::size_t i = 0; i < run; ++i, ++value)
        *value = {value->real() * turn.real() - value->imag() * turn.imag(),
                  value->real() * turn.imag() + value->imag() * turn.real()};
    return Outcome::produced;
  }

 private:
  Parameters parameters_;
  double delay_s_, shift_s_ = 0;
  std::optional<PolyphaseFilter> filter_;
  std::vector<std::complex<float>> turns_;
};

}  // namespace

KernelKind delay_kernel() {
  return {.name = "delay",
          .summary = "delays a stream by a time that need not be a whole number of samples",
          .stateless = false,
          .parameters = {{.name = "delay",
                          .type = ParameterType::time,
                          .fallback = "0",
                          .help = "how long",
                          .minimum = 0,
                          .maximum = 1e10},
                         {.name = "fraction_ns",
                          .type = ParameterType::number,
                          .fallback = "0",
                          .help = "nanoseconds beside it, with their fractions",
                          .minimum = 0,
                          .maximum = 1e9},
                         {.name = "taps",
                          .type = ParameterType::integer,
                          .fallback = "32",
                          .help = "samples that make one between samples; an even number",
                          .minimum = 4,
                          .maximum = 1024},
                         {.name = "rotate",
                          .type = ParameterType::boolean,
                          .fallback = "true",
                          .help = "whether phases turn as those of the signal on the sky"}},
          .make = make_from<Delay>};
}

}  // namespace takt::pipeline
