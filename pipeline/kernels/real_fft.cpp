#include "pipeline/kernels/real_fft.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <cstring>
#include <numbers>
#include <optional>

#include <fmt/format.h>

#include "core/system/wide_registers.hpp"
#include "pipeline/kernels/fftw.hpp"
#include "pipeline/kernels/frame_shapes.hpp"
#include "pipeline/kernels/spectra_transform.hpp"
#include "pipeline/kernels/windows.hpp"

namespace takt::pipeline {

namespace {

class RealFft final : public Kernel {
 public:
  explicit RealFft(const Parameters& parameters)
      : parameters_(parameters), size_(static_cast<std::size_t>(parameters.integer("samples"))) {
    if (size_ % 2 != 0)
      parameters.refuse("samples", fmt::format("{} is odd: expected an even number", size_));
  }

  FrameType configure(std::span<const FrameType> inputs) override {
    require_input(inputs, 0, {ElementType::float32}, {"beamlet", "time", "polarisation"});
    FrameType type = inputs.front();
    beamlets_ = type.axes[0].size;
    samples_ = type.axes[1].size;
    polarisations_ = type.axes[2].size;
    if (samples_ % size_ != 0)
      parameters_.refuse("samples", fmt::format("{} does not divide the {} time samples of a frame ({})",
                                                size_, samples_, type.to_string()));
    for (const double weight : unit_power_window(parameters_.text("window"), size_))
      weights_.push_back(static_cast<float>(weight * std::numbers::sqrt2));
    // All rows have the alignment of the plan: 16 bytes.
    stride_ = (size_ + 3) / 4 * 4;
    row_ = (size_ / 2 + 2) / 2 * 2;
    weighted_.reset(fftwf_alloc_real(stride_ * polarisations_));
    spectra_.reset(fftwf_alloc_complex(row_ * polarisations_));
    {
      const std::scoped_lock lock(fftw_planner_mutex);
      plan_.reset(
          fftwf_plan_dft_r2c_1d(static_cast<int>(size_), weighted_.get(), spectra_.get(), FFTW_ESTIMATE));
    }
    const double rate = sample_rate(type);
    Axis channel{"channel", beamlets_ * (size_ / 2), {}};
    for (const double base : type.axes[0].coordinates)
      for (std::size_t k = 0; rate > 0 && k < size_ / 2; ++k)
        channel.coordinates.push_back(base + static_cast<double>(k) * rate / static_cast<double>(size_));
    const std::size_t spectra = samples_ / size_;
    Axis time{"time", spectra, even_times(spectra, rate / static_cast<double>(size_))};
    if (type.axes[1].coordinates.empty()) time.coordinates.clear();
    type.element = ElementType::complex_float32;
    type.axes = {std::move(time), std::move(channel), type.axes[2]};
    return type;
  }

  std::optional<std::size_t> separates(std::size_t axis) const override {
    // Beamlets become channels, and successive samples a spectrum.
    return axis <= 1 ? std::optional<std::size_t>(1 - axis) : std::nullopt;
  }

  Outcome process(std::span<const FrameView> inputs, const FrameBuffer& output) override {
    const float* from = inputs.front().as<float>().data();
    float* const to = output.as<float>().data();
    const std::size_t half = size_ / 2, spectra = samples_ / size_;
    bool is_ordinary = true;
    for (std::size_t b = 0; b < beamlets_; ++b)
      for (std::size_t s = 0; s < spectra; ++s, from += size_ * polarisations_) {
        is_ordinary =
            weigh(from, polarisations_, weights_.data(), size_, weighted_.get(), stride_) && is_ordinary;
        for (std::size_t p = 0; p < polarisations_; ++p)
          fftwf_execute_dft_r2c(plan_.get(), weighted_.get() + p * stride_, spectra_.get() + p * row_);
        put(spectra_.get(), row_, to + 2 * (s * beamlets_ + b) * half * polarisations_, polarisations_, half);
      }
    if (!is_ordinary) mark_nan(output);
    return Outcome::produced;
  }

 private:
  /// Weighs [time][polarisation] to [polarisation][time], `stride` apart. Returns true if no product is
  /// extreme.
  TAKT_WIDE static bool weigh(const float* __restrict from, std::size_t polarisations,
                              const float* __restrict weights, std::size_t count, float* __restrict to,
                              std::size_t stride) {
    std::int32_t is_large = 0;
    // The usual numbers of polarisations fill whole registers.
    if (polarisations == 2) {
      float* __restrict const second = to + stride;
      for (std::size_t n = 0; n < count; ++n) {
        const float x = weights[n] * from[2 * n], y = weights[n] * from[2 * n + 1];
        to[n] = x;
        second[n] = y;
        is_large |= is_extreme(x) | is_extreme(y);
      }
      return is_large == 0;
    }
    for (std::size_t p = 0; p < polarisations; ++p, to += stride)
      for (std::size_t n = 0; n < count; ++n) {
        to[n] = weights[n] * from[n * polarisations + p];
        is_large |= is_extreme(to[n]);
      }
    return is_large == 0;
  }
  /// Copies spectra, `row` apart, to [channel][polarisation].
  static void put(const fftwf_complex* __restrict from, std::size_t row, float* __restrict to,
                  std::size_t polarisations, std::size_t count) {
    if (polarisations == 2) {
      const fftwf_complex* const second = from + row;
      for (std::size_t k = 0; k < count; ++k) {
        std::memcpy(to + 4 * k, from[k], sizeof from[k]);
        std::memcpy(to + 4 * k + 2, second[k], sizeof second[k]);
      }
      return;
    }
    for (std::size_t p = 0; p < polarisations; ++p, from += row)
      for (std::size_t k = 0; k < count; ++k)
        std::memcpy(to + 2 * (k * polarisations + p), from[k], sizeof from[k]);
  }

  Parameters parameters_;
  std::size_t size_, beamlets_ = 0, samples_ = 0, polarisations_ = 0;
  std::vector<float> weights_;
  /// Samples and channels of one spectrum, by polarisation, this many numbers apart.
  std::size_t stride_ = 0, row_ = 0;
  FftwReal weighted_;
  FftwComplex spectra_;
  FftwPlan plan_;
};

class InverseFft final : public Kernel {
 public:
  explicit InverseFft(const Parameters& parameters)
      : parameters_(parameters), size_(static_cast<std::size_t>(parameters.integer("channels"))) {
    if (size_ % 2 != 0)
      parameters.refuse("channels", fmt::format("{} is odd: expected an even number", size_));
  }

  FrameType configure(std::span<const FrameType> inputs) override {
    require_input(inputs, 0, {ElementType::complex_float32}, {"time", "channel", "polarisation"});
    FrameType type = inputs.front();
    spectra_ = type.axes[0].size;
    polarisations_ = type.axes[2].size;
    if (type.axes[1].size % size_ != 0)
      parameters_.refuse("channels", fmt::format("{} does not divide the {} channels of a frame ({})", size_,
                                                 type.axes[1].size, type.to_string()));
    beamlets_ = type.axes[1].size / size_;
    scratch_.reset(fftwf_alloc_complex(size_ * polarisations_));
    samples_.reset(fftwf_alloc_complex(size_ * polarisations_));
    const auto size = static_cast<std::ptrdiff_t>(size_),
               polarisations = static_cast<std::ptrdiff_t>(polarisations_);
    const fftwf_iodim64 transform{size, polarisations, polarisations};
    const fftwf_iodim64 repeat{polarisations, 1, 1};
    // exp(-pi i n) = (-1)^n: frequency 0 is the middle channel.
    for (std::size_t n = 0; n < size_; ++n)
      scales_.insert(scales_.end(), 2 * polarisations_,
                     (n % 2 == 0 ? 1.0F : -1.0F) / std::sqrt(static_cast<float>(size_)));
    {
      const std::scoped_lock lock(fftw_planner_mutex);
      plan_.reset(fftwf_plan_guru64_dft(1, &transform, 1, &repeat, scratch_.get(), samples_.get(),
                                        FFTW_BACKWARD, FFTW_ESTIMATE));
    }
    const double rate = sample_rate(type) * static_cast<double>(size_);
    Axis beamlet{"beamlet", beamlets_, {}};
    for (std::size_t b = 0; !type.axes[1].coordinates.empty() && b < beamlets_; ++b)
      beamlet.coordinates.push_back(type.axes[1].coordinates[b * size_ + size_ / 2]);
    Axis time{"time", spectra_ * size_, even_times(spectra_ * size_, rate)};
    type.axes = {std::move(beamlet), std::move(time), type.axes[2]};
    return type;
  }

  Outcome process(std::span<const FrameView> inputs, const FrameBuffer& output) override {
    const float* from = inputs.front().as<float>().data();
    float* const to = output.as<float>().data();
    const std::size_t block = 2 * size_ * polarisations_;
    const float* __restrict const scales = scales_.data();
    for (std::size_t s = 0; s < spectra_; ++s)
      for (std::size_t b = 0; b < beamlets_; ++b, from += block) {
        std::copy_n(from, block, reinterpret_cast<float*>(scratch_.get()));
        // Both buffers are aligned, wherever the beamlet's samples are.
        fftwf_execute(plan_.get());
        const float* __restrict const samples = reinterpret_cast<const float*>(samples_.get());
        float* __restrict const own = to + (b * spectra_ + s) * block;
        for (std::size_t i = 0; i < block; ++i) own[i] = samples[i] * scales[i];
      }
    mark_nan(output);
    return Outcome::produced;
  }

 private:
  Parameters parameters_;
  /// By value of a beamlet's samples.
  std::vector<float> scales_;
  std::size_t size_, spectra_ = 0, beamlets_ = 0, polarisations_ = 0;
  FftwComplex scratch_, samples_;
  FftwPlan plan_;
};

}  // namespace

KernelKind real_fft_kernel() {
  return {.name = "real_fft",
          .summary = "splits real samples of each beamlet into frequency channels",
          .stateless = true,
          .parameters = {{.name = "samples",
                          .type = ParameterType::integer,
                          .help = "samples per spectrum, an even number; it has half as many channels",
                          .minimum = 2,
                          .maximum = 1 << 24},
                         {.name = "window",
                          .fallback = "rectangular",
                          .help = "window of the samples of one spectrum",
                          .choices = window_names()}},
          .make = make_from<RealFft>};
}

KernelKind inverse_fft_kernel() {
  return {.name = "inverse_fft",
          .summary = "inverse of fft: frequency channels to samples",
          .stateless = true,
          .parameters = {{.name = "channels",
                          .type = ParameterType::integer,
                          .help = "channels of each beamlet, an even number",
                          .minimum = 2,
                          .maximum = 1 << 24}},
          .make = make_from<InverseFft>};
}

}  // namespace takt::pipeline
