#include "pipeline/kernels/windows.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <numbers>

namespace takt::pipeline {

namespace {

/// A window as a sum of cosines: w(n) = sum over j of a[j] cos(2 pi j n / N). Periodic, for spectra.
struct CosineWindow {
  std::string_view name;
  std::array<double, 3> a;
};

constexpr std::array<CosineWindow, 4> cosine_windows{{{"rectangular", {1, 0, 0}},
                                                      {"hann", {0.5, -0.5, 0}},
                                                      {"hamming", {0.54, -0.46, 0}},
                                                      {"blackman", {0.42, -0.5, 0.08}}}};

double at_phase(const CosineWindow& window, double phase) {
  return window.a[0] + window.a[1] * std::cos(phase) + window.a[2] * std::cos(2 * phase);
}

constexpr std::string_view kaiser = "kaiser";

}  // namespace

std::vector<std::string> window_names() {
  std::vector<std::string> names;
  for (const CosineWindow& window : cosine_windows) names.emplace_back(window.name);
  return names;
}

std::vector<double> unit_power_window(std::string_view name, std::size_t size) {
  const CosineWindow& window = *std::ranges::find(cosine_windows, name, &CosineWindow::name);
  std::vector<double> values(size);
  double squares = 0;
  for (std::size_t n = 0; n < size; ++n) {
    const double phase = 2 * std::numbers::pi * static_cast<double>(n) / static_cast<double>(size);
    values[n] = at_phase(window, phase);
    squares += values[n] * values[n];
  }
  for (double& value : values) value /= std::sqrt(squares);
  return values;
}

std::vector<std::string> filter_window_names() {
  std::vector<std::string> names = window_names();
  names.emplace_back(kaiser);
  return names;
}

std::vector<double> filter_window(std::string_view name, std::size_t size, double beta) {
  std::vector<double> values(size, 1);
  const double middle = (static_cast<double>(size) - 1) / 2;
  for (std::size_t n = 0; size > 1 && n < size; ++n) {
    const double at = static_cast<double>(n);
    if (name == kaiser) {
      const double x = (at - middle) / middle;
      values[n] =
          std::cyl_bessel_i(0, beta * std::sqrt(std::max(1 - x * x, 0.0))) / std::cyl_bessel_i(0, beta);
    } else {
      values[n] = at_phase(*std::ranges::find(cosine_windows, name, &CosineWindow::name),
                           std::numbers::pi * at / middle);
    }
  }
  return values;
}

std::vector<double> windowed_sinc(double low, double high, std::size_t taps) {
  const auto sinc = [](double x) {
    return x == 0 ? 1.0 : std::sin(std::numbers::pi * x) / (std::numbers::pi * x);
  };
  std::vector<double> values(taps);
  const double middle = (static_cast<double>(taps) - 1) / 2;
  const double centre = low <= 0 ? 0 : high >= 0.5 ? 0.5 : (low + high) / 2;
  const std::vector<double> window = filter_window("hamming", taps);
  double gain = 0;
  for (std::size_t n = 0; n < taps; ++n) {
    const double at = static_cast<double>(n) - middle;
    const double ideal = 2 * high * sinc(2 * high * at) - 2 * low * sinc(2 * low * at);
    values[n] = ideal * window[n];
    gain += values[n] * std::cos(2 * std::numbers::pi * centre * at);
  }
  for (double& value : values) value /= gain;
  return values;
}

}  // namespace takt::pipeline
