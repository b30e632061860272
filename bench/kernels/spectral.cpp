/// Cases of transforms, and of the kernels that prepare their samples.

#include <algorithm>
#include <cmath>
#include <complex>
#include <cstring>
#include <memory>
#include <numbers>

#include <fftw3.h>

#include "bench/kernels/cases.hpp"

namespace takt::bench {
namespace {

using pipeline::test::frame_type;
using sensors::ElementType;

constexpr std::size_t beamlets = 61, samples = 2048, polarisations = 2;

struct FreePlan {
  void operator()(fftwf_plan_s* plan) const { fftwf_destroy_plan(plan); }
};
using Plan = std::shared_ptr<fftwf_plan_s>;

std::shared_ptr<fftwf_complex[]> scratch_of(std::size_t count) {
  return {fftwf_alloc_complex(count), [](fftwf_complex* memory) { fftwf_free(memory); }};
}

/// Plans `count` transforms of `size` samples of both polarisations, in rows `row` complex numbers apart.
Plan plan_of(std::size_t size, std::size_t count, std::size_t row, int sign, fftwf_complex* from,
             fftwf_complex* to) {
  const fftwf_iodim64 transform{static_cast<std::ptrdiff_t>(size), 2, 2};
  const fftwf_iodim64 repeats[2]{{2, 1, 1},
                                 {static_cast<std::ptrdiff_t>(count), static_cast<std::ptrdiff_t>(size) * 2,
                                  static_cast<std::ptrdiff_t>(row)}};
  return {fftwf_plan_guru64_dft(1, &transform, 2, repeats, from, to, sign, FFTW_ESTIMATE), FreePlan{}};
}

/// Multiplies samples by weights and runs FFTW, beamlet by beamlet.
std::function<void()> fft_loop(const Frames& frames) {
  constexpr std::size_t size = 64, spectra = samples / size, row = beamlets * size * polarisations;
  auto scratch = scratch_of(samples * polarisations);
  auto weights = std::make_shared<std::vector<float>>();
  for (std::size_t n = 0; n < size; ++n) weights->insert(weights->end(), 4, n % 2 == 0 ? 0.125F : -0.125F);
  const Plan plan = plan_of(size, spectra, row, FFTW_FORWARD, scratch.get(),
                            reinterpret_cast<fftwf_complex*>(frames.output));
  return [=] {
    for (std::size_t b = 0; b < beamlets; ++b) {
      const float* from = frames.input() + b * samples * 4;
      auto* to = reinterpret_cast<float*>(scratch.get());
      for (std::size_t s = 0; s < spectra; ++s)
        for (std::size_t i = 0; i < size * 4; ++i)
          to[s * size * 4 + i] = from[s * size * 4 + i] * (*weights)[i];
      fftwf_execute_dft(plan.get(), scratch.get(),
                        reinterpret_cast<fftwf_complex*>(frames.output) + b * size * 2);
    }
  };
}

std::function<void()> inverse_loop(const Frames& frames) {
  constexpr std::size_t size = 64, spectra = samples / size, row = beamlets * size * polarisations;
  auto scratch = scratch_of(size * 2);
  auto weights = std::make_shared<std::vector<float>>();
  for (std::size_t n = 0; n < size; ++n) weights->insert(weights->end(), 4, n % 2 == 0 ? 0.125F : -0.125F);
  const Plan plan =
      plan_of(size, 1, 0, FFTW_BACKWARD, scratch.get(), reinterpret_cast<fftwf_complex*>(frames.output));
  return [=] {
    for (std::size_t b = 0; b < beamlets; ++b)
      for (std::size_t s = 0; s < spectra; ++s) {
        std::copy_n(frames.input() + 2 * (s * row + b * size * 2), size * 4,
                    reinterpret_cast<float*>(scratch.get()));
        float* const to = frames.output + (b * spectra + s) * size * 4;
        fftwf_execute_dft(plan.get(), scratch.get(), reinterpret_cast<fftwf_complex*>(to));
        for (std::size_t i = 0; i < size * 4; ++i) to[i] *= (*weights)[i];
      }
  };
}

/// Computes real transforms of both polarisations and keeps `size / 2` channels.
std::function<void()> real_loop(const Frames& frames) {
  constexpr std::size_t size = 128, spectra = samples / size, channels = size / 2;
  auto in = std::make_shared<std::vector<float>>(size * 2);
  auto out = scratch_of((channels + 1) * 2);
  const fftwf_iodim64 transform{size, 2, 2}, repeat{2, 1, 1};
  const Plan plan{fftwf_plan_guru64_dft_r2c(1, &transform, 1, &repeat, in->data(), out.get(), FFTW_ESTIMATE),
                  FreePlan{}};
  const float weight = std::sqrt(2.0F / size);
  return [=] {
    for (std::size_t b = 0; b < beamlets; ++b)
      for (std::size_t s = 0; s < spectra; ++s) {
        const float* from = frames.input() + (b * samples + s * size) * 2;
        for (std::size_t i = 0; i < size * 2; ++i) (*in)[i] = from[i] * weight;
        fftwf_execute(plan.get());
        std::memcpy(frames.output + ((s * beamlets + b) * channels) * 4, out.get(),
                    channels * 2 * sizeof(fftwf_complex));
      }
  };
}

std::function<void()> large_loop(const Frames& frames) {
  constexpr std::size_t size = 1 << 17;
  auto scratch = scratch_of(size);
  const Plan plan{fftwf_plan_dft_1d(size, scratch.get(), reinterpret_cast<fftwf_complex*>(frames.output),
                                    FFTW_FORWARD, FFTW_ESTIMATE),
                  FreePlan{}};
  const float scale = 1 / std::sqrt(static_cast<float>(size));
  return [=] {
    const float* from = frames.input();
    auto* to = reinterpret_cast<float*>(scratch.get());
    for (std::size_t n = 0; n < size; n += 2) {
      to[2 * n] = from[2 * n] * scale;
      to[2 * n + 1] = from[2 * n + 1] * scale;
      to[2 * n + 2] = from[2 * n + 2] * -scale;
      to[2 * n + 3] = from[2 * n + 3] * -scale;
    }
    fftwf_execute(plan.get());
  };
}

std::function<void()> pfb_loop(const Frames& frames) {
  constexpr std::size_t size = 64, taps = 4, spectra = samples / size, block = size * 4;
  auto weights = std::make_shared<std::vector<float>>(taps * block, 0.01F);
  auto window = std::make_shared<std::vector<float>>(beamlets * (taps - 1) * block + beamlets * samples * 4);
  auto folded = scratch_of(size * 2), spectrum = scratch_of(size * 2);
  const Plan plan = plan_of(size, 1, 0, FFTW_FORWARD, folded.get(), spectrum.get());
  return [=] {
    constexpr std::size_t frame = samples * 4, kept = (taps - 1) * block;
    for (std::size_t b = 0; b < beamlets; ++b) {
      float* own = window->data() + b * (kept + frame);
      std::copy_n(own + frame, kept, own);
      std::copy_n(frames.input() + b * frame, frame, own + kept);
      for (std::size_t m = 0; m < spectra; ++m) {
        auto* __restrict sums = reinterpret_cast<float*>(folded.get());
        std::fill_n(sums, block, 0.0F);
        for (std::size_t tap = 0; tap < taps; ++tap) {
          const float* __restrict w = weights->data() + tap * block;
          const float* __restrict x = own + (m + tap) * block;
          for (std::size_t i = 0; i < block; ++i) sums[i] += w[i] * x[i];
        }
        fftwf_execute(plan.get());
        std::memcpy(frames.output + (m * beamlets + b) * block, spectrum.get(), block * sizeof(float));
      }
    }
  };
}

std::function<void()> unpack_loop(const Frames& frames) {
  constexpr std::size_t packets = 128, run = 16 * 2 * 2;
  return [=] {
    const auto* from = reinterpret_cast<const std::int8_t*>(frames.input());
    for (std::size_t b = 0; b < beamlets; ++b)
      for (std::size_t p = 0; p < packets; ++p) {
        const std::int8_t* in = from + (p * beamlets + b) * run;
        float* out = frames.output + (b * packets + p) * run;
        for (std::size_t i = 0; i < run; ++i) out[i] = in[i];
      }
  };
}

std::function<void()> stokes_loop(const Frames& frames) {
  return [=] {
    const float* from = frames.input();
    for (std::size_t i = 0; i < beamlets * samples; ++i, from += 4)
      frames.output[i] = from[0] * from[0] + from[1] * from[1] + from[2] * from[2] + from[3] * from[3];
  };
}

}  // namespace

std::vector<Case> spectral_cases() {
  FrameType spectra = frame_type(ElementType::complex_float32,
                                 {{"time", samples / 64}, {"channel", 64 * beamlets}, {"polarisation", 2}});
  FrameType real = voltages(beamlets, samples);
  real.element = ElementType::float32;
  return {{"lofar_unpack",
           {},
           {frame_type(ElementType::complex_int8,
                       {{"packet", 128}, {"beamlet", beamlets}, {"time", 16}, {"polarisation", 2}})},
           unpack_loop},
          {"fft", {{"channels", "64"}}, {voltages(beamlets, samples)}, fft_loop},
          {"inverse_fft", {{"channels", "64"}}, {spectra}, inverse_loop},
          {"real_fft", {{"samples", "128"}}, {real}, real_loop},
          {"large_fft", {}, {frame_type(ElementType::complex_float32, {{"time", 1 << 17}})}, large_loop},
          {"pfb", {{"channels", "64"}, {"taps", "4"}}, {voltages(beamlets, samples)}, pfb_loop},
          {"stokes", {}, {spectra}, stokes_loop}};
}

}  // namespace takt::bench
