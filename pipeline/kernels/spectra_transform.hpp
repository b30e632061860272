#pragma once
/// Fourier transforms of successive spectra whose polarisations are interleaved.

#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <span>

#include "pipeline/kernels/fftw.hpp"

namespace takt::pipeline {

/// Returns a value other than 0 for samples so large, or NaN, that results of up to 2^24 of them could become
/// infinite or NaN.
[[gnu::always_inline]] inline std::int32_t is_extreme(float sample) {
  constexpr auto sign = std::int32_t{0x7FFFFFFF};
  constexpr auto most = std::bit_cast<std::int32_t>(1e30F);
  return (std::bit_cast<std::int32_t>(sample) & sign) > most ? -1 : 0;
}

/// Returns true if one of these samples is extreme.
[[nodiscard]] bool any_extreme(const float* samples, std::size_t count);

/// Transforms spectra in batches: as many as stay in the nearest cache. FFTW computes neighbouring
/// transforms together in one register. If it planned the polarisations, too, it would take only these as
/// neighbours, which fill half a register. So each polarisation is transformed on its own, across the spectra
/// of the batch.
///
/// Results have the same bits for any number of spectra, except that of a single spectrum with one
/// polarisation: FFTW sums a single transform in another order than several.
class SpectraTransform {
 public:
  /// `spectra` of `channels` channels, an even number, and `polarisations` in all. A result begins `row`
  /// complex numbers after the previous one; their memory is aligned to 16 bytes.
  SpectraTransform(std::size_t channels, std::size_t polarisations, std::size_t spectra, std::size_t row);

  /// Returns the largest number of spectra of one batch.
  [[nodiscard]] std::size_t batch() const { return batch_; }
  /// Returns the samples of a batch: [spectrum][channel][polarisation], complex.
  [[nodiscard]] std::span<float> samples() { return {reinterpret_cast<float*>(samples_.get()), numbers_}; }
  /// Transforms the first spectra of the samples: a whole batch, or the rest of all spectra. Changes the
  /// samples.
  void run(std::size_t spectra, float* to);

 private:
  /// By position of the polarisation, even or odd: their alignment differs. The first one is for all
  /// polarisations if there is one spectrum.
  using Plans = std::array<FftwPlan, 2>;
  [[nodiscard]] Plans plan(std::size_t channels, std::size_t spectra, std::size_t row) const;

  std::size_t polarisations_, batch_, numbers_;
  FftwComplex samples_;
  Plans of_batch_, of_rest_;
};

}  // namespace takt::pipeline
