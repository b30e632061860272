#include "pipeline/kernels/fft.hpp"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <optional>

#include <fmt/format.h>

#include "core/system/wide_registers.hpp"
#include "pipeline/kernels/frame_shapes.hpp"
#include "pipeline/kernels/spectra_transform.hpp"
#include "pipeline/kernels/windows.hpp"

namespace takt::pipeline {

namespace {

class Fft final : public Kernel {
 public:
  explicit Fft(const Parameters& parameters)
      : parameters_(parameters),
        channels_(static_cast<std::size_t>(parameters.integer("channels"))),
        least_(parameters.number("least")) {
    if (channels_ % 2 != 0)
      parameters.refuse("channels", fmt::format("{} is odd: expected an even number", channels_));
  }

  FrameType configure(std::span<const FrameType> inputs) override {
    require_input(inputs, 0, {ElementType::complex_float32}, {"beamlet", "time", "polarisation"});
    const FrameType& input = inputs.front();
    const Axis& time = input.axes[1];
    beamlets_ = input.axes[0].size;
    samples_ = time.size;
    polarisations_ = input.axes[2].size;
    if (samples_ % channels_ != 0)
      parameters_.refuse("channels", fmt::format("{} does not divide the {} time samples of a frame ({})",
                                                 channels_, samples_, input.to_string()));
    prepare();

    FrameType output = input;
    Axis spectra{"time", samples_ / channels_, {}};
    for (std::size_t i = 0; i < time.coordinates.size(); i += channels_)
      spectra.coordinates.push_back(time.coordinates[i]);
    output.axes = {std::move(spectra), channel_axis(input.axes[0], sample_rate(input)), input.axes[2]};
    return output;
  }

  std::optional<std::size_t> separates(std::size_t axis) const override {
    // Beamlets become channels, and successive samples a spectrum. A part in time may have one spectrum.
    const bool has_same_bits = axis == 0 || (axis == 1 && polarisations_ > 1);
    return has_same_bits ? std::optional<std::size_t>(1 - axis) : std::nullopt;
  }

  Outcome process(std::span<const FrameView> inputs, const FrameBuffer& output) override {
    const float* from = inputs.front().as<float>().data();
    float* to = output.as<float>().data();
    float* const weighted = transform_->samples().data();
    const std::size_t spectrum = weights_.size(), spectra = samples_ / channels_;
    const bool fills = least_ < 1 && inputs.front().header->missing_parts > 0;
    bool is_ordinary = true;
    for (std::size_t beamlet = 0; beamlet < beamlets_; ++beamlet, to += spectrum)
      for (std::size_t first = 0; first < spectra; first += transform_->batch()) {
        const std::size_t count = std::min(transform_->batch(), spectra - first);
        for (std::size_t s = 0; s < count; ++s, from += spectrum) {
          is_ordinary = weigh(from, weights_.data(), weighted + s * spectrum, spectrum) && is_ordinary;
          if (fills) fill_spectrum(weighted + s * spectrum);
        }
        transform_->run(count, to + first * beamlets_ * spectrum);
      }
    if (!is_ordinary) {
      // The sign of NaN depends on the number of transforms in a register.
      for (float& value : output.as<float>())
        if (std::isnan(value)) value = missing_value;
      mark_nan(output);
    }
    return Outcome::produced;
  }

 private:
  /// Returns true if no product is extreme.
  TAKT_WIDE static bool weigh(const float* __restrict from, const float* __restrict weights,
                              float* __restrict to, std::size_t count) {
    std::int32_t is_large = 0;
    for (std::size_t i = 0; i < count; ++i) {
      const float product = from[i] * weights[i];
      to[i] = product;
      is_large |= is_extreme(product);
    }
    return is_large == 0;
  }

  void fill_spectrum(float* to) const {
    for (std::size_t polarisation = 0; polarisation < polarisations_; ++polarisation)
      fill_missing(to + 2 * polarisation);
  }

  /// Processes one polarisation of a spectrum's weighted samples.
  void fill_missing(float* samples) const {
    const std::size_t step = 2 * polarisations_;
    double share = 0;
    bool is_whole = true;
    for (std::size_t n = 0; n < channels_; ++n) {
      const double weight = weights_[n * step];
      const bool is_there = !std::isnan(samples[n * step]) && !std::isnan(samples[n * step + 1]);
      share += is_there ? weight * weight : 0;
      is_whole = is_whole && is_there;
    }
    // The weights are rounded to single precision: one of two samples counts as half.
    constexpr double rounding = 1e-6;
    if (is_whole || share < least_ - rounding || share <= 0) return;
    const auto scale = static_cast<float>(1 / std::sqrt(share));
    for (std::size_t n = 0; n < channels_; ++n) {
      float* const sample = samples + n * step;
      const bool is_there = !std::isnan(sample[0]) && !std::isnan(sample[1]);
      for (float* part : {sample, sample + 1}) *part = is_there ? *part * scale : 0.0F;
    }
  }

  /// Computes the weights and plans the transforms.
  void prepare() {
    const std::vector<double> window = unit_power_window(parameters_.text("window"), channels_);
    for (std::size_t n = 0; n < channels_; ++n)
      // exp(pi i n) = (-1)^n moves frequency 0 to the middle channel.
      weights_.insert(weights_.end(), 2 * polarisations_,
                      static_cast<float>(n % 2 == 0 ? window[n] : -window[n]));
    transform_.emplace(channels_, polarisations_, samples_ / channels_,
                       beamlets_ * channels_ * polarisations_);
  }

  /// Adds centre frequencies if those of the input's beamlets and its sample rate are known.
  [[nodiscard]] Axis channel_axis(const Axis& beamlets, double rate) const {
    Axis axis{"channel", beamlets.size * channels_, {}};
    if (beamlets.coordinates.empty() || !(rate > 0)) return axis;
    const auto n = static_cast<double>(channels_);
    axis.coordinates.reserve(axis.size);
    for (double centre : beamlets.coordinates)
      for (std::size_t k = 0; k < channels_; ++k)
        axis.coordinates.push_back(centre + (static_cast<double>(k) - n / 2) * rate / n);
    return axis;
  }

  Parameters parameters_;
  std::size_t channels_;
  double least_;
  std::size_t beamlets_ = 0, samples_ = 0, polarisations_ = 0;
  /// Window and sign of each float of one spectrum's samples.
  std::vector<float> weights_;
  std::optional<SpectraTransform> transform_;
};

}  // namespace

KernelKind fft_kernel() {
  return {.name = "fft",
          .summary = "splits each beamlet into frequency channels",
          .stateless = true,
          .parameters = {{.name = "channels",
                          .type = ParameterType::integer,
                          .help = "channels of each beamlet, an even number",
                          .minimum = 2,
                          .maximum = 1 << 24},
                         {.name = "window",
                          .fallback = "rectangular",
                          .help = "window of the samples of one spectrum",
                          .choices = window_names()},
                         {.name = "least",
                          .type = ParameterType::number,
                          .fallback = "1",
                          .help = "least share of a spectrum's samples with data, by the window's power",
                          .minimum = 0,
                          .maximum = 1,
                          .may_change = true}},
          .make = [](const Parameters& parameters) -> std::unique_ptr<Kernel> {
            return std::make_unique<Fft>(parameters);
          }};
}

}  // namespace takt::pipeline
