#pragma once
/// Estimates the effect of gaps in the input on the output of a recursive filter.

#include <array>
#include <complex>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <span>
#include <vector>

namespace takt::pipeline {

/// A filter that pauses while samples are missing continues with a state that is behind the signal: a
/// constant stays right, and white noise is statistically equal, but a tone jumps in phase. Each pole p is
/// a mode that turns by arg(p) per sample and decays by |p|, so that a gap of g samples puts the share
/// min(1, |ln p| g) of the mode uncertain. Uncertainties add up, to 1 at most, and decay by |p| per present
/// sample. Of the filter's output power for white noise, which is the width of its band, the mode has the
/// share w = (1 - |p|) / (1 + |p|) / width; all shares sum to at most 1. The uncertain power is the sum of
/// w uncertainty^2.
class FilterMemory {
 public:
  /// Largest number of modes: poles that are real or above the real axis.
  static constexpr std::size_t most_modes = 40;

  FilterMemory() = default;
  /// `width`: width of the band, as a share of all frequencies. A result is present if at least the share
  /// `least` of its power is certain; 0: always.
  FilterMemory(std::span<const std::complex<double>> poles, double width, double least);

  [[nodiscard]] std::size_t modes() const { return modes_.size(); }
  /// Crosses a gap of `missing` samples, `since` samples after the former gap, and updates the uncertainties
  /// of all modes. Returns the number of samples until results are present again. O(modes * log of that).
  [[nodiscard]] std::uint64_t cross(std::span<double> uncertainties, std::uint64_t since,
                                    std::uint64_t missing) const;

 private:
  /// A pole rounded to the unit circle never decays.
  static constexpr std::size_t most_bits = 52;

  struct Mode {
    /// -ln |p|, |ln p| and w.
    double decay = 0, drift = 0, weight = 0;
    /// Remaining share of an uncertainty's square after 2^n samples.
    std::array<double, most_bits> left{};
  };

  std::vector<Mode> modes_;
  /// Largest share of uncertain power; unlimited if all results are present, because shares sum to 1 only
  /// within rounding.
  double limit_ = std::numeric_limits<double>::infinity();
};

}  // namespace takt::pipeline
