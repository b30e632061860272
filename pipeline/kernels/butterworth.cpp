#include "pipeline/kernels/butterworth.hpp"

#include <cmath>
#include <cstddef>
#include <numbers>

namespace takt::pipeline {

namespace {

using IirComplex = std::complex<double>;

/// Returns the poles of the analogue filter of unit edge.
std::vector<IirComplex> prototype(int order) {
  std::vector<IirComplex> poles;
  for (int k = 0; k < order; ++k)
    poles.push_back(std::polar(1.0, std::numbers::pi * (2.0 * k + order + 1) / (2.0 * order)));
  return poles;
}

/// Groups poles into sections: conjugate pairs, two real ones, or one; each gets one or two of these zeros.
std::vector<Section> sections_of(const std::vector<IirComplex>& poles, double zero) {
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
    section.b1 = -2 * zero;
    section.b2 = 1;
  }
  if (real.size() % 2 == 1) sections.push_back({.b1 = -zero, .a1 = -real.back()});
  return sections;
}

/// Prewarps an edge for the bilinear transform s = 2 (z - 1) / (z + 1).
double warp(double edge) {
  return 2 * std::tan(std::numbers::pi * edge);
}
IirComplex to_digital(IirComplex pole) {
  return (2.0 + pole) / (2.0 - pole);
}

Section pair_of(IirComplex pole, double zero) {
  return {.b1 = -2 * zero, .b2 = 1, .a1 = -2 * pole.real(), .a2 = std::norm(pole)};
}

/// Each pole of the prototype becomes two, one near each edge; their product is that of the edges. Those near
/// the lower edge get the zeros at frequency 0, the others those at half the sample rate: otherwise every
/// section of a wide band would amplify what the next one attenuates.
Butterworth band_pass(int order, Band band) {
  const double low = warp(band.low), high = warp(band.high);
  Butterworth filter;
  for (const IirComplex& pole : prototype(order)) {
    if (pole.imag() < -1e-12) continue;
    const IirComplex half = pole * (high - low) / 2.0, root = std::sqrt(half * half - low * high);
    // Avoids the difference of nearly equal numbers.
    const IirComplex sum = half + root, difference = half - root;
    const IirComplex upper = std::norm(sum) >= std::norm(difference) ? sum : difference;
    const IirComplex above = to_digital(upper), below = to_digital(low * high / upper);
    if (pole.imag() > 1e-12) {
      filter.sections.push_back(pair_of(below, 1));
      filter.sections.push_back(pair_of(above, -1));
    } else {
      filter.sections.push_back(
          {.b1 = 0, .b2 = -1, .a1 = -(above + below).real(), .a2 = (above * below).real()});
    }
    // A conjugate pair of its own, or two real poles.
    for (const IirComplex& each : {below, above})
      if (pole.imag() > 1e-12 || std::abs(each.imag()) <= 1e-12)
        filter.poles.emplace_back(each.real(), std::abs(each.imag()));
    if (pole.imag() <= 1e-12 && std::abs(above.imag()) > 1e-12)
      filter.poles.emplace_back(above.real(), std::abs(above.imag()));
  }
  return filter;
}

Butterworth one_sided(int order, Band band) {
  std::vector<IirComplex> poles;
  for (const IirComplex& pole : prototype(order))
    poles.push_back(to_digital(band.high > 0 ? pole * warp(band.high) : warp(band.low) / pole));
  const double zero = band.high > 0 ? -1 : 1;
  Butterworth filter{.sections = sections_of(poles, zero), .poles = {}};
  for (const IirComplex& pole : poles)
    if (pole.imag() > -1e-12) filter.poles.push_back(pole);
  return filter;
}

}  // namespace

Butterworth butterworth(int order, Band band) {
  const auto [low, high] = band;
  const bool is_band = low > 0 && high > 0;
  Butterworth filter = is_band ? band_pass(order, band) : one_sided(order, band);
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
  return filter;
}

}  // namespace takt::pipeline
