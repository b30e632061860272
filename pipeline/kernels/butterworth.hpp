#pragma once
/// Butterworth filters as second-order sections.

#include <complex>
#include <vector>

#include "pipeline/kernels/band.hpp"

namespace takt::pipeline {

/// b0 + b1 z^-1 + b2 z^-2 over 1 + a1 z^-1 + a2 z^-2.
struct Section {
  double b0 = 1, b1 = 0, b2 = 0, a1 = 0, a2 = 0;
};

struct Butterworth {
  std::vector<Section> sections;
  /// Within the unit circle; the upper one of each conjugate pair.
  std::vector<std::complex<double>> poles;
};

/// Designs a low-pass for a band with only an upper edge, a high-pass for one with only a lower edge, or a
/// band-pass with 2 `order` poles. The gain is 1 in the band's middle. Source: Oppenheim and Schafer,
/// "Discrete-time signal processing", 7.1: bilinear transform of the analogue prototype, edges prewarped.
[[nodiscard]] Butterworth butterworth(int order, Band band);

}  // namespace takt::pipeline
