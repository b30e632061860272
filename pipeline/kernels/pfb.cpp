#include "pipeline/kernels/pfb.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <complex>
#include <numbers>

#include <fmt/format.h>

#include "pipeline/kernel_state.hpp"
#include "pipeline/kernels/fftw.hpp"
#include "pipeline/kernels/frame_shapes.hpp"
#include "pipeline/kernels/windows.hpp"

namespace takt::pipeline {

namespace {

class Pfb final : public Kernel {
 public:
  explicit Pfb(const Parameters& parameters)
      : parameters_(parameters),
        channels_(static_cast<std::size_t>(parameters.integer("channels"))),
        taps_(static_cast<std::size_t>(parameters.integer("taps"))),
        oversampling_(static_cast<std::size_t>(parameters.integer("oversampling"))) {
    if (channels_ % 2 != 0)
      parameters.refuse("channels", fmt::format("{} is odd: expected an even number", channels_));
    if (channels_ % oversampling_ != 0)
      parameters.refuse("oversampling",
                        fmt::format("{} does not divide the {} channels", oversampling_, channels_));
    step_ = channels_ / oversampling_;
    kept_ = taps_ * channels_ - step_;
  }

  FrameType configure(std::span<const FrameType> inputs) override {
    require_input(inputs, 0, {ElementType::complex_float32}, {"beamlet", "time", "polarisation"});
    FrameType type = inputs.front();
    const std::size_t samples = type.axes[1].size;
    if (samples % channels_ != 0)
      parameters_.refuse("channels", fmt::format("{} does not divide the {} time samples of a frame ({})",
                                                 channels_, samples, type.to_string()));
    beamlets_ = type.axes[0].size;
    samples_ = samples;
    row_ = 2 * type.axes[2].size;
    const double rate = sample_rate(type);
    require_steady(type);
    lag_ = Lag(inputs.front(), static_cast<double>(kept_) - static_cast<double>((taps_ - 1) * channels_) / 2,
               type);
    prepare();
    window_.assign(beamlets_ * (kept_ + samples_) * row_, missing_value);
    const Axis time{"time", samples_ / step_,
                    even_times(samples_ / step_, rate / static_cast<double>(step_))};
    type.axes = {time, channel_axis(type.axes[0], rate), type.axes[2]};
    if (inputs.front().axes[1].coordinates.empty()) type.axes[0].coordinates.clear();
    return type;
  }

  std::optional<std::size_t> separates(std::size_t axis) const override {
    // Beamlets become channels.
    return axis == 0 ? std::optional<std::size_t>(1) : std::nullopt;
  }

  Outcome process(std::span<const FrameView> inputs, const FrameBuffer& output) override {
    const bool is_followed = succession_.continues(*inputs.front().header);
    const std::size_t frame = samples_ * row_, kept = kept_ * row_;
    const float* from = inputs.front().as<float>().data();
    for (std::size_t beamlet = 0; beamlet < beamlets_; ++beamlet, from += frame) {
      float* const window = window_.data() + beamlet * (kept + frame);
      if (is_followed)
        std::copy_n(window + frame, kept, window);
      else
        std::fill_n(window, kept, missing_value);
      std::copy_n(from, frame, window + kept);
      for (std::size_t m = 0; m < samples_ / step_; ++m)
        transform(window + m * step_ * row_, m,
                  output.as<float>().data() + (m * beamlets_ + beamlet) * channels_ * row_);
    }
    mark_nan(output);
    lag_.shift(*output.header);
    return Outcome::produced;
  }

  std::optional<std::vector<std::byte>> save() const override { return saved(window_, succession_); }
  void load(std::span<const std::byte> state) override { load_into(state, window_, succession_); }

 private:
  /// Computes one spectrum of all polarisations: [channel][polarisation].
  void transform(const float* from, std::size_t m, float* to) {
    auto* __restrict const folded = reinterpret_cast<float*>(folded_.get());
    const std::size_t block = channels_ * row_;
    std::fill_n(folded, block, 0.0F);
    for (std::size_t tap = 0; tap < taps_; ++tap) {
      const float* __restrict const weights = weights_.data() + tap * block;
      const float* __restrict const samples = from + tap * block;
      for (std::size_t i = 0; i < block; ++i) folded[i] += weights[i] * samples[i];
    }
    fftwf_execute(plan_.get());
    std::copy_n(reinterpret_cast<const float*>(spectrum_.get()), block, to);
    if (oversampling_ == 1) return;
    // Restores the phases of the stream: the window begins at an offset from a multiple of N.
    const std::size_t begin = (m * step_ + taps_ * channels_ - kept_) % channels_;
    auto* const out = reinterpret_cast<std::complex<float>*>(to);
    for (std::size_t k = 0; k < channels_; ++k) {
      const std::complex<float> turn = turns_[(k + channels_ / 2) % channels_ * begin % channels_];
      for (std::size_t p = 0; p < row_ / 2; ++p) out[k * row_ / 2 + p] *= turn;
    }
  }

  void prepare() {
    const std::size_t length = taps_ * channels_;
    std::vector<double> h = filter_window(parameters_.text("window"), length, parameters_.number("beta"));
    double squares = 0;
    for (std::size_t n = 0; n < length; ++n) {
      const double at = static_cast<double>(n) - (static_cast<double>(length) - 1) / 2;
      const double x = std::numbers::pi * at / static_cast<double>(channels_);
      h[n] *= x == 0 ? 1 : std::sin(x) / x;
      squares += h[n] * h[n];
    }
    for (std::size_t n = 0; n < length; ++n)
      // exp(pi i n) = (-1)^n moves frequency 0 to the middle channel.
      weights_.insert(weights_.end(), row_,
                      static_cast<float>((n % 2 == 0 ? h[n] : -h[n]) / std::sqrt(squares)));
    for (std::size_t k = 0; k < channels_; ++k)
      turns_.emplace_back(
          std::polar(1.0, -2 * std::numbers::pi * static_cast<double>(k) / static_cast<double>(channels_)));
    folded_.reset(fftwf_alloc_complex(channels_ * row_ / 2));
    spectrum_.reset(fftwf_alloc_complex(channels_ * row_ / 2));
    const auto size = static_cast<std::ptrdiff_t>(channels_),
               polarisations = static_cast<std::ptrdiff_t>(row_ / 2);
    const fftwf_iodim64 transform{size, polarisations, polarisations};
    const fftwf_iodim64 repeat{polarisations, 1, 1};
    const std::scoped_lock lock(fftw_planner_mutex);
    plan_.reset(fftwf_plan_guru64_dft(1, &transform, 1, &repeat, folded_.get(), spectrum_.get(), FFTW_FORWARD,
                                      FFTW_ESTIMATE));
  }

  [[nodiscard]] Axis channel_axis(const Axis& beamlets, double rate) const {
    Axis axis{"channel", beamlets.size * channels_, {}};
    const auto n = static_cast<double>(channels_);
    if (rate > 0)
      for (const double centre : beamlets.coordinates)
        for (std::size_t k = 0; k < channels_; ++k)
          axis.coordinates.push_back(centre + (static_cast<double>(k) - n / 2) * rate / n);
    return axis;
  }

  Parameters parameters_;
  std::size_t channels_, taps_, oversampling_, step_ = 0, kept_ = 0;
  std::size_t beamlets_ = 0, samples_ = 0;
  /// Floats of one time of a beamlet.
  std::size_t row_ = 0;
  Lag lag_;
  std::vector<float> weights_, window_;
  std::vector<std::complex<float>> turns_;
  FftwComplex folded_, spectrum_;
  FftwPlan plan_;
  Succession succession_;
};

}  // namespace

KernelKind pfb_kernel() {
  return {
      .name = "pfb",
      .summary = "a polyphase filter bank: frequency channels with steep edges",
      .stateless = false,
      .parameters = {{.name = "channels",
                      .type = ParameterType::integer,
                      .help = "channels of each beamlet, an even number",
                      .minimum = 2,
                      .maximum = 1 << 20},
                     {.name = "taps",
                      .type = ParameterType::integer,
                      .fallback = "8",
                      .help =
                          "taps per channel (blocks of samples per spectrum): more make the edges steeper",
                      .minimum = 1,
                      .maximum = 256},
                     {.name = "window",
                      .fallback = "hamming",
                      .help = "window of the filter's sinc",
                      .choices = filter_window_names()},
                     {.name = "beta",
                      .type = ParameterType::number,
                      .fallback = "9",
                      .help = "parameter of the Kaiser window: more reduces leakage and widens channels",
                      .minimum = 0,
                      .maximum = 100},
                     {.name = "oversampling",
                      .type = ParameterType::integer,
                      .fallback = "1",
                      .help = "oversampling factor of the spectra; a divisor of the channels",
                      .minimum = 1,
                      .maximum = 1024}},
      .make = make_from<Pfb>};
}

}  // namespace takt::pipeline
