#include "pipeline/kernels/downmix.hpp"

#include <cmath>
#include <complex>
#include <numbers>

#include <fmt/format.h>

#include "core/system/wide_registers.hpp"
#include "pipeline/kernels/filtering_kernel.hpp"
#include "pipeline/kernels/frame_shapes.hpp"
#include "pipeline/kernels/windows.hpp"

namespace takt::pipeline {

namespace {

class Downmix final : public FilteringKernel {
 public:
  explicit Downmix(const Parameters& parameters) : parameters_(parameters) {}

  FrameType configure(std::span<const FrameType> inputs) override {
    require_input(inputs, 0, {ElementType::float32, ElementType::complex_float32},
                  {"beamlet", "time", "polarisation"});
    FrameType type = inputs.front();
    rate_ = sample_rate(type);
    hertz_ = parameters_.number("frequency");
    if (!(rate_ > 0)) throw InputError(fmt::format("the sample rate of {} is not known", type.to_string()));
    if (std::abs(hertz_) > rate_ / 2)
      parameters_.refuse("frequency",
                         fmt::format("{} Hz is beyond half the sample rate of {} Hz", hertz_, rate_));
    const auto factor = static_cast<std::size_t>(parameters_.integer("factor"));
    if (type.axes[1].size % factor != 0)
      parameters_.refuse("factor", fmt::format("does not divide the {} samples of a frame ({})",
                                               type.axes[1].size, type.to_string()));
    is_real_ = type.element == ElementType::float32;
    type.element = ElementType::complex_float32;
    mixed_.resize(type.element_count());
    turns_.resize(type.axes[1].size);
    std::vector<double> taps{1};
    if (factor > 1)
      taps = windowed_sinc(0, 0.5 / static_cast<double>(factor),
                           2 * static_cast<std::size_t>(parameters_.integer("half_width")) * factor + 1);
    if (is_real_)
      for (double& tap : taps) tap *= std::numbers::sqrt2;
    require_steady(type);
    const Lag lag(inputs.front(), static_cast<double>(taps.size() - 1) / 2, type);
    rows_ = type.axes[1].size;
    run_ = type.axes[2].size;
    const AxisShape shape = shape_of(type, "time");
    filter_by({shape, std::move(taps), 1, factor}, shape, lag);
    const bool has_times = !type.axes[1].coordinates.empty();
    type.axes[1] = {"time", filter().rows(), {}};
    if (has_times)
      type.axes[1].coordinates = even_times(filter().rows(), rate_ / static_cast<double>(factor));
    for (double& frequency : type.axes[0].coordinates) frequency += hertz_;
    return type;
  }

  Outcome process(std::span<const FrameView> inputs, const FrameBuffer& output) override {
    const FrameView& frame = inputs.front();
    find_turns(frame.header->utc_ns);
    is_real_ ? mix(frame.as<float>().data())
             : mix(reinterpret_cast<const std::complex<float>*>(frame.bytes.data()));
    const FrameView mixed{frame.header, std::as_bytes(std::span(mixed_))};
    return FilteringKernel::process({{mixed}}, output);
  }

 private:
  void find_turns(std::int64_t utc_ns) {
    // Separates whole seconds from the rest to keep precision.
    const double begin =
        std::fmod(std::fmod(static_cast<double>(utc_ns / 1'000'000'000) * std::fmod(hertz_, 1.0), 1.0) +
                      static_cast<double>(utc_ns % 1'000'000'000) * 1e-9 * hertz_,
                  1.0);
    const double step = std::fmod(hertz_ / rate_, 1.0);
    for (std::size_t t = 0; t < rows_; ++t) turns_[t] = turn_of(begin + step * static_cast<double>(t));
  }

  template <class Sample>
  void mix(const Sample* from) {
    std::complex<float>* to = mixed_.data();
    const std::size_t beamlets = mixed_.size() / (rows_ * run_);
    for (std::size_t b = 0; b < beamlets; ++b)
      for (std::size_t t = 0; t < rows_; ++t, from += run_, to += run_)
        turn(from, turns_[t].real(), turns_[t].imag(), reinterpret_cast<float*>(to), run_);
  }
  TAKT_WIDE static void turn(const std::complex<float>* from, float re, float im, float* __restrict to,
                             std::size_t count) {
    const auto* const __restrict x = reinterpret_cast<const float*>(from);
    for (std::size_t i = 0; i < 2 * count; i += 2) {
      to[i] = x[i] * re - x[i + 1] * im;
      to[i + 1] = x[i] * im + x[i + 1] * re;
    }
  }
  TAKT_WIDE static void turn(const float* __restrict from, float re, float im, float* __restrict to,
                             std::size_t count) {
    for (std::size_t i = 0; i < count; ++i) {
      to[2 * i] = from[i] * re;
      to[2 * i + 1] = from[i] * im;
    }
  }

  Parameters parameters_;
  double rate_ = 0, hertz_ = 0;
  bool is_real_ = false;
  std::size_t rows_ = 0, run_ = 0;
  std::vector<std::complex<float>> mixed_, turns_;
};

}  // namespace

KernelKind downmix_kernel() {
  return {.name = "downmix",
          .summary = "mixes a band of each beamlet to 0 Hz and lowers the sample rate",
          .stateless = false,
          .parameters = {{.name = "frequency",
                          .type = ParameterType::number,
                          .help = "offset of the band's centre from the beamlet's frequency, in Hz"},
                         {.name = "factor",
                          .type = ParameterType::integer,
                          .fallback = "1",
                          .help = "factor of decimation",
                          .minimum = 1,
                          .maximum = 65536},
                         {.name = "half_width",
                          .type = ParameterType::integer,
                          .fallback = "10",
                          .help = "half length of the filter, in samples of the lower rate",
                          .minimum = 1,
                          .maximum = 1000}},
          .make = make_from<Downmix>};
}

}  // namespace takt::pipeline
