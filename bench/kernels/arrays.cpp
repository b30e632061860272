/// Cases of kernels with several inputs, and of matrix kernels.

#include <algorithm>
#include <cmath>
#include <complex>
#include <cstring>
#include <memory>

#include "bench/kernels/cases.hpp"

namespace takt::bench {
namespace {

using pipeline::test::frame_type;
using sensors::ElementType;

constexpr std::size_t python_bytes = 1 << 20;
constexpr std::size_t antennas = 4, beamlets = 61, samples = 1024, channels = 1952, spectra = 32;
using Complex = std::complex<float>;

std::function<void()> beamform_loop(const Frames& frames) {
  auto weights = std::make_shared<std::vector<Complex>>(antennas * beamlets, Complex(0.2F, 0.1F));
  return [=] {
    constexpr std::size_t run = samples * 2 * 2;
    for (std::size_t b = 0; b < beamlets; ++b) {
      float* __restrict to = frames.output + b * run;
      std::fill_n(to, run, 0.0F);
      for (std::size_t a = 0; a < antennas; ++a) {
        const float* __restrict from = frames.inputs[a] + b * run;
        const float re = (*weights)[a * beamlets + b].real(), im = (*weights)[a * beamlets + b].imag();
        for (std::size_t i = 0; i < run; i += 2) {
          to[i] += re * from[i] - im * from[i + 1];
          to[i + 1] += re * from[i + 1] + im * from[i];
        }
      }
    }
  };
}

std::function<void()> correlate_loop(const Frames& frames) {
  constexpr std::size_t inputs = 3, baselines = inputs * (inputs + 1) / 2, row = channels * 4;
  auto sums = std::make_shared<std::vector<double>>(baselines * channels * 8);
  return [=] {
    std::ranges::fill(*sums, 0.0);
    double* own = sums->data();
    for (std::size_t i = 0; i < inputs; ++i)
      for (std::size_t j = i; j < inputs; ++j, own += channels * 8)
        for (std::size_t t = 0; t < spectra; ++t) {
          const float* x = frames.inputs[i] + t * row;
          const float* y = frames.inputs[j] + t * row;
          double* to = own;
          for (std::size_t c = 0; c < channels; ++c, x += 4, y += 4)
            for (std::size_t p = 0; p < 2; ++p)
              for (std::size_t q = 0; q < 2; ++q, to += 2) {
                const double a = x[2 * p], b = x[2 * p + 1], d = y[2 * q], e = y[2 * q + 1];
                to[0] += a * d + b * e;
                to[1] += b * d - a * e;
              }
        }
    for (std::size_t i = 0; i < sums->size(); ++i)
      frames.output[i] = static_cast<float>((*sums)[i] / spectra);
  };
}

std::function<void()> sum_loop(const Frames& frames) {
  return [=] {
    const std::size_t count = beamlets * samples * 4;
    for (std::size_t i = 0; i < count; ++i) frames.output[i] = frames.inputs[0][i] + frames.inputs[1][i];
  };
}

std::function<void()> stack_loop(const Frames& frames) {
  return [=] {
    const std::size_t count = beamlets * samples * 4;
    std::memcpy(frames.output, frames.inputs[0], count * sizeof(float));
    std::memcpy(frames.output + count, frames.inputs[1], count * sizeof(float));
  };
}

std::function<void()> product_loop(const Frames& frames) {
  constexpr std::size_t n = 256;
  return [=] {
    std::fill_n(frames.output, n * n, 0.0F);
    for (std::size_t i = 0; i < n; ++i)
      for (std::size_t k = 0; k < n; ++k) {
        const float a = frames.inputs[0][i * n + k];
        const float* __restrict b = frames.inputs[1] + k * n;
        float* __restrict c = frames.output + i * n;
        for (std::size_t j = 0; j < n; ++j) c[j] += a * b[j];
      }
  };
}

std::function<void()> power_iteration_loop(const Frames& frames) {
  constexpr std::size_t n = 256, iterations = 30;
  auto x = std::make_shared<std::vector<double>>(n), y = std::make_shared<std::vector<double>>(n);
  return [=] {
    for (std::size_t i = 0; i < n; ++i) (*y)[i] = 1 + static_cast<double>(i) / n;
    for (std::size_t iteration = 0; iteration < iterations; ++iteration) {
      double squares = 0;
      for (const double value : *y) squares += value * value;
      for (std::size_t i = 0; i < n; ++i) (*x)[i] = (*y)[i] / std::sqrt(squares);
      for (std::size_t i = 0; i < n; ++i) {
        double sum = 0;
        for (std::size_t k = 0; k < n; ++k) sum += static_cast<double>(frames.input()[i * n + k]) * (*x)[k];
        (*y)[i] = sum;
      }
    }
    for (std::size_t i = 0; i < n; ++i) frames.output[i] = static_cast<float>((*y)[i]);
  };
}

std::function<void()> copy_loop(const Frames& frames) {
  return [=] { std::memcpy(frames.output, frames.input(), python_bytes); };
}

/// Returns cases of a script that returns its input, to measure the hand-off. Empty without numpy.
std::vector<Case> python_cases() {
  const FrameType type = powers(python_bytes / sizeof(float) / 256, 256);
  Case same{"python",
            {{"file", TAKT_SOURCE_DIR "/bench/kernels/same.py"}, {"interpreter", "/usr/bin/python3"}},
            {type},
            copy_loop};
  try {
    (void)pipeline::test::KernelBench(same.kernel, same.parameters, same.inputs);
  } catch (const ConfigError&) {
    return {};
  }
  return {same};
}

}  // namespace

std::vector<Case> array_cases() {
  const FrameType samples_type = voltages(beamlets, samples);
  const FrameType spectra_type = frame_type(ElementType::complex_float32,
                                            {{"time", spectra}, {"channel", channels}, {"polarisation", 2}});
  const FrameType matrix = frame_type(ElementType::float32, {{"a", 256}, {"b", 256}});
  const FrameType other = frame_type(ElementType::float32, {{"b", 256}, {"c", 256}});
  std::vector<Case> cases = python_cases();
  const std::vector<Case> others{
      {"beamform", {}, std::vector<FrameType>(antennas, samples_type), beamform_loop},
      {"correlate", {}, std::vector<FrameType>(3, spectra_type), correlate_loop},
      {"sum", {}, {samples_type, samples_type}, sum_loop},
      {"stack", {}, {samples_type, samples_type}, stack_loop},
      {"merge_lanes", {}, {samples_type, samples_type}, stack_loop},
      {"matrix_product", {}, {matrix, other}, product_loop},
      {"power_iteration", {}, {matrix}, power_iteration_loop}};
  cases.insert(cases.end(), others.begin(), others.end());
  return cases;
}

}  // namespace takt::bench
