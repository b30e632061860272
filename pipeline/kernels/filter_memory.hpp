#pragma once
/// How much of what a recursive filter gives hangs on what came before gaps in its input.

#include <array>
#include <complex>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <span>
#include <vector>

namespace takt::pipeline {

/// A filter that stands still while samples are missing goes on with a state that is behind the signal: a
/// constant is still right, and white noise as good as any other, but a tone jumps in phase. Each pole p of
/// it is a mode that turns by arg(p) a sample and forgets by |p|, so that a gap of g samples puts the part
/// min(1, |ln p| g) of what the mode holds in doubt; doubts add up, to 1 at most, and shrink by |p| with each
/// sample that comes. Of the power that the filter makes of white noise, which is the width of its band, the
/// mode has the share w = (1 - |p|) / (1 + |p|) / width, all of them together at most 1. In doubt is the sum
/// of w doubt^2.
class FilterMemory {
 public:
  /// Of filters of `most_modes` poles at most, those without an imaginary part or above the real axis.
  static constexpr std::size_t most_modes = 40;

  FilterMemory() = default;
  /// `width`: of the band, as a share of all frequencies. A result is there where at least the share `least`
  /// of its power is beyond doubt; 0: always.
  FilterMemory(std::span<const std::complex<double>> poles, double width, double least);

  [[nodiscard]] std::size_t modes() const { return modes_.size(); }
  /// `missing` samples are missing, and before them `since` came behind the gap before; changes the doubts,
  /// one a mode. How many samples must come until results are there again. O(modes * log of that).
  [[nodiscard]] std::uint64_t cross(std::span<double> doubts, std::uint64_t since,
                                    std::uint64_t missing) const;

 private:
  /// A pole that is rounded to the unit circle never forgets.
  static constexpr std::size_t most_bits = 52;

  struct Mode {
    /// -ln |p|, |ln p| and w.
    double decay = 0, drift = 0, weight = 0;
    /// What is left of a doubt's square after 2^n samples.
    std::array<double, most_bits> left{};
  };

  std::vector<Mode> modes_;
  /// The share of the power that may be in doubt; no bound where all results are there, since shares add up
  /// to 1 within rounding only.
  double limit_ = std::numeric_limits<double>::infinity();
};

}  // namespace takt::pipeline
