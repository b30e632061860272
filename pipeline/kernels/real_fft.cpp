#include "pipeline/kernels/real_fft.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <numbers>
#include <optional>

#include <fmt/format.h>

#include "pipeline/kernels/fftw.hpp"
#include "pipeline/kernels/frame_shapes.hpp"
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
    weighted_.reset(fftwf_alloc_real(size_));
    spectrum_.reset(fftwf_alloc_complex(size_ / 2 + 1));
    {
      const std::scoped_lock lock(fftw_planner_mutex);
      plan_.reset(
          fftwf_plan_dft_r2c_1d(static_cast<int>(size_), weighted_.get(), spectrum_.get(), FFTW_ESTIMATE));
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
    // Beamlets become channels.
    return axis == 0 ? std::optional<std::size_t>(1) : std::nullopt;
  }

  Outcome process(std::span<const FrameView> inputs, const FrameBuffer& output) override {
    const float* const from = inputs.front().as<float>().data();
    auto* const to = reinterpret_cast<fftwf_complex*>(output.bytes.data());
    const std::size_t half = size_ / 2;
    for (std::size_t b = 0; b < beamlets_; ++b)
      for (std::size_t s = 0; s < samples_ / size_; ++s)
        for (std::size_t p = 0; p < polarisations_; ++p) {
          const float* const x = from + (b * samples_ + s * size_) * polarisations_ + p;
          for (std::size_t n = 0; n < size_; ++n) weighted_[n] = weights_[n] * x[n * polarisations_];
          fftwf_execute(plan_.get());
          fftwf_complex* const y = to + ((s * beamlets_ + b) * half) * polarisations_ + p;
          for (std::size_t k = 0; k < half; ++k) std::copy_n(spectrum_[k], 2, y[k * polarisations_]);
        }
    mark_nan(output);
    return Outcome::produced;
  }

 private:
  Parameters parameters_;
  std::size_t size_, beamlets_ = 0, samples_ = 0, polarisations_ = 0;
  std::vector<float> weights_;
  FftwReal weighted_;
  FftwComplex spectrum_;
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
