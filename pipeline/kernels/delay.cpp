#include "pipeline/kernels/delay.hpp"

#include <algorithm>
#include <chrono>
#include <cmath>
#include <complex>
#include <numbers>
#include <utility>

#include <fmt/format.h>

#include "pipeline/kernels/filtering_kernel.hpp"
#include "pipeline/kernels/frame_shapes.hpp"

namespace takt::pipeline {

namespace {

class Delay final : public FilteringKernel {
 public:
  explicit Delay(const Parameters& parameters) : parameters_(parameters) {}

  FrameType configure(std::span<const FrameType> inputs) override {
    require_input(inputs, 0, {ElementType::float32, ElementType::complex_float32},
                  {"beamlet", "time", "polarisation"});
    type_ = inputs.front();
    const double rate = sample_rate(type_);
    if (!(rate > 0)) throw InputError(fmt::format("the sample rate of {} is not known", type_.to_string()));
    if (parameters_.boolean("rotate") && type_.element == ElementType::complex_float32 &&
        type_.axes[0].coordinates.empty())
      throw InputError(
          fmt::format("the frequencies of the beamlets are not known, which rotation needs ({}): give "
                      "frequencies, or set rotate: false",
                      type_.to_string()));
    const auto half = static_cast<std::size_t>(parameters_.integer("taps")) / 2;
    require_steady(type_);
    FrameType output = type_;
    const Lag lag(type_, static_cast<double>(half - 1), output);
    auto [taps, whole] = filter_of(parameters_);
    const AxisShape shape = shape_of(type_, "time");
    filter_by({shape, std::move(taps), 1, 1, whole}, shape, lag);
    find_turns(parameters_);
    return output;
  }

  /// Keeps the stored samples while the whole samples of the delay are unchanged: tracking within a sample
  /// loses nothing.
  bool change(const Parameters& parameters) override {
    const auto [taps, whole] = filter_of(parameters);
    if (whole != filter().offset()) return false;
    filter().change_taps(taps);
    find_turns(parameters);
    return true;
  }

  Outcome process(std::span<const FrameView> inputs, const FrameBuffer& output) override {
    const Outcome outcome = FilteringKernel::process(inputs, output);
    if (turns_.empty()) return outcome;
    auto* value = reinterpret_cast<std::complex<float>*>(output.bytes.data());
    const std::size_t run = output.bytes.size() / sizeof *value / turns_.size();
    for (const std::complex<float> turn : turns_)
      for (std::size_t i = 0; i < run; ++i, ++value)
        *value = {value->real() * turn.real() - value->imag() * turn.imag(),
                  value->real() * turn.imag() + value->imag() * turn.real()};
    mark_nan(output);
    return outcome;
  }

 private:
  static double seconds(const Parameters& parameters) {
    return std::chrono::duration<double>(parameters.time("delay")).count() +
           parameters.number("fraction_ns") * 1e-9;
  }

  /// Returns the taps for the fraction of a sample, and the whole samples.
  [[nodiscard]] std::pair<std::vector<double>, std::size_t> filter_of(const Parameters& parameters) const {
    const double samples = seconds(parameters) * sample_rate(type_);
    // Delays within rounding of a whole sample count as whole.
    const double whole = std::floor(samples + 1e-9);
    const double fraction = std::max(samples - whole, 0.0);
    const auto half = static_cast<std::size_t>(parameters.integer("taps")) / 2;
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
    return {std::move(taps), static_cast<std::size_t>(whole)};
  }

  void find_turns(const Parameters& parameters) {
    turns_.clear();
    if (!parameters.boolean("rotate") || type_.element != ElementType::complex_float32) return;
    for (const double frequency : type_.axes[0].coordinates)
      turns_.push_back(std::polar(
          1.0F, static_cast<float>(-2 * std::numbers::pi * std::fmod(frequency * seconds(parameters), 1.0))));
  }

  Parameters parameters_;
  FrameType type_;
  std::vector<std::complex<float>> turns_;
};

}  // namespace

KernelKind delay_kernel() {
  return {.name = "delay",
          .summary = "delays a stream by a time, including fractions of a sample",
          .stateless = false,
          .parameters = {{.name = "delay",
                          .type = ParameterType::time,
                          .fallback = "0",
                          .help = "length of the delay",
                          .minimum = 0,
                          .maximum = 1e10,
                          .may_change = true},
                         {.name = "fraction_ns",
                          .type = ParameterType::number,
                          .fallback = "0",
                          .help = "additional nanoseconds, with fractions",
                          .minimum = 0,
                          .maximum = 1e9,
                          .may_change = true},
                         {.name = "taps",
                          .type = ParameterType::integer,
                          .fallback = "32",
                          .help = "length of the interpolation filter, in samples; an even number",
                          .minimum = 4,
                          .maximum = 1024},
                         {.name = "rotate",
                          .type = ParameterType::boolean,
                          .fallback = "true",
                          .help = "whether phases rotate as those of the signal on the sky"}},
          .make = make_from<Delay>};
}

}  // namespace takt::pipeline
