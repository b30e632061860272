#include "pipeline/kernels/butterworth.hpp"

#include <cmath>
#include <cstddef>
#include <numbers>

namespace takt::pipeline {

namespace {

using IirComplex = std::complex<double>;

/// Poles of the analogue filter of unit edge.
std::vector<IirComplex> prototype(int order) {
  std::vector<IirComplex> poles;
  for (int k = 0; k < order; ++k)
    poles.push_back(std::polar(1.0, std::numbers::pi * (2.0 * k + order + 1) / (2.0 * order)));
  return poles;
}

/// Sections of the poles, each a conjugate pair, two real ones, or one; each gets two zeros (or one) of
/// those given.
std::vector<Section> sections_of(std::vector<IirComplex> poles, double first_zero, double second_zero) {
  std::vector<Section> sections;
  std::vector<double> real;
  for (const IirComplex& pole : poles)
    if (std::abs(pole.imag()) <= 1e-12)
      real.push_back(pole.real());
    else if (pole.imag() > 0)
      sections.push_back({.a1 = -2 * pole.real(), .a2 = std::norm(pole)});
  for (std::size_t i = 0; i + 1 < real.size(); i += 2)
    sections.push_back({.a1 = -(real[i] + real[i + 1]), .a2 = real[i] * real[i + 1]});
  for (Section& section : sections) {
    section.b1 = -(first_zero + second_zero);
    section.b2 = first_zero * second_zero;
  }
  if (real.size() % 2 == 1) sections.push_back({.b1 = -first_zero, .a1 = -real.back()});
  return sections;
}

}  // namespace

Butterworth butterworth(int order, Band band) {
  const auto [low, high] = band;
  // Of the bilinear transform s = 2 (z - 1) / (z + 1).
  const auto warp = [](double edge) { return 2 * std::tan(std::numbers::pi * edge); };
  std::vector<IirComplex> poles;
  for (const IirComplex& pole : prototype(order)) {
    if (low > 0 && high > 0) {
      const IirComplex half = pole * (warp(high) - warp(low)) / 2.0;
      const IirComplex root = std::sqrt(half * half - warp(low) * warp(high));
      poles.push_back(half + root);
      poles.push_back(half - root);
    } else {
      poles.push_back(high > 0 ? pole * warp(high) : warp(low) / pole);
    }
  }
  for (IirComplex& pole : poles) pole = (2.0 + pole) / (2.0 - pole);
  const bool is_band = low > 0 && high > 0;
  Butterworth filter{.sections = sections_of(poles, is_band ? 1 : high > 0 ? -1 : 1, high > 0 ? -1 : 1)};
  // The gain is 1 in the band's middle (geometric, of the warped edges), at 0 or at half the sample rate.
  const double centre = is_band    ? std::atan(std::sqrt(warp(low) * warp(high)) / 2) / std::numbers::pi
                        : high > 0 ? 0
                                   : 0.5;
  const IirComplex z = std::polar(1.0, -2 * std::numbers::pi * centre);
  for (Section& s : filter.sections) {
    const double gain = std::abs((s.b0 + s.b1 * z + s.b2 * z * z) / (1.0 + s.a1 * z + s.a2 * z * z));
    s.b0 /= gain;
    s.b1 /= gain;
    s.b2 /= gain;
  }
  for (const IirComplex& pole : poles)
    if (pole.imag() > -1e-12) filter.poles.push_back(pole);
  return filter;
}

}  // namespace takt::pipeline
