#include "pipeline/kernels/pfb.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <complex>
#include <numbers>
#include <optional>

#include <fmt/format.h>

#include "core/system/wide_registers.hpp"
#include "pipeline/kernel_state.hpp"
#include "pipeline/kernels/frame_shapes.hpp"
#include "pipeline/kernels/spectra_transform.hpp"
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
    before_.assign(beamlets_ * kept_ * row_, missing_value);
    edge_.resize((kept_ + std::min(samples_, taps_ * channels_)) * row_);
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
    if (!succession_.continues(*inputs.front().header)) std::ranges::fill(before_, missing_value);
    const std::size_t frame = samples_ * row_, kept = kept_ * row_;
    const float* from = inputs.front().as<float>().data();
    float* to = output.as<float>().data();
    bool is_ordinary = true;
    for (std::size_t beamlet = 0; beamlet < beamlets_; ++beamlet, from += frame, to += channels_ * row_) {
      float* const before = before_.data() + beamlet * kept;
      std::copy_n(before, kept, edge_.data());
      std::copy_n(from, edge_.size() - kept, edge_.data() + kept);
      is_ordinary = transform(from, to) && is_ordinary;
      if (frame >= kept) {
        std::copy_n(from + frame - kept, kept, before);
      } else {
        std::copy_n(before + frame, kept - frame, before);
        std::copy_n(from, frame, before + kept - frame);
      }
    }
    if (!is_ordinary) mark_nan(output);
    lag_.shift(*output.header);
    return Outcome::produced;
  }

  std::optional<std::vector<std::byte>> save() const override { return saved(before_, succession_); }
  void load(std::span<const std::byte> state) override { load_into(state, before_, succession_); }

 private:
  /// Computes all spectra of one beamlet from its samples and the edge. Returns true if no sum is extreme.
  bool transform(const float* from, float* to) {
    const std::size_t block = channels_ * row_, step = step_ * row_, kept = kept_ * row_;
    const std::size_t spectra = samples_ / step_;
    float* const folded = transform_->samples().data();
    bool is_ordinary = true;
    for (std::size_t first = 0; first < spectra; first += transform_->batch()) {
      const std::size_t count = std::min(transform_->batch(), spectra - first);
      for (std::size_t s = 0; s < count; ++s) {
        const std::size_t at = (first + s) * step;
        const float* const samples = at < kept ? edge_.data() + at : from + (at - kept);
        fold(samples, weights_.data(), taps_, folded + s * block, block);
      }
      is_ordinary = !any_extreme(folded, count * block) && is_ordinary;
      transform_->run(count, to + first * beamlets_ * block);
    }
    for (std::size_t m = 0; oversampling_ > 1 && m < spectra; ++m) turn(m, to + m * beamlets_ * block);
    return is_ordinary;
  }

  /// Adds the weighted blocks of all taps, four at a time, so that sums are read and written less often.
  TAKT_WIDE static void fold(const float* __restrict x, const float* __restrict w, std::size_t taps,
                             float* __restrict sums, std::size_t block) {
    std::fill_n(sums, block, 0.0F);
    std::size_t tap = 0;
    for (; tap + 4 <= taps; tap += 4, x += 4 * block, w += 4 * block)
      for (std::size_t i = 0; i < block; ++i)
        sums[i] =
            (((sums[i] + w[i] * x[i]) + w[block + i] * x[block + i]) + w[2 * block + i] * x[2 * block + i]) +
            w[3 * block + i] * x[3 * block + i];
    for (; tap < taps; ++tap, x += block, w += block)
      for (std::size_t i = 0; i < block; ++i) sums[i] += w[i] * x[i];
  }

  /// Restores the phases of the stream in spectrum m: its window begins at an offset from a multiple of N.
  void turn(std::size_t m, float* to) const {
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
    transform_.emplace(channels_, row_ / 2, samples_ / step_, beamlets_ * channels_ * row_ / 2);
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
  std::vector<float> weights_;
  /// [beamlet][kept]: the samples before the frame.
  std::vector<float> before_;
  /// For one beamlet: those samples, and the first ones of the frame, for spectra of both.
  std::vector<float> edge_;
  std::vector<std::complex<float>> turns_;
  std::optional<SpectraTransform> transform_;
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
