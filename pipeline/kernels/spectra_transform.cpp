#include "pipeline/kernels/spectra_transform.hpp"

#include <algorithm>

#include "core/system/wide_registers.hpp"

namespace takt::pipeline {

namespace {

/// Samples of a batch and its results stay in a first-level cache of 32 KiB.
constexpr std::size_t batch_bytes = 8 << 10;

/// Two spectra at least, also in the rest.
std::size_t batch_of(std::size_t channels, std::size_t polarisations, std::size_t spectra) {
  constexpr std::size_t least = 2;
  if (spectra <= least) return spectra;
  std::size_t batch =
      std::clamp(batch_bytes / (channels * polarisations * sizeof(fftwf_complex)), least, spectra);
  while (spectra % batch == 1) ++batch;
  return batch;
}

}  // namespace

TAKT_WIDE bool any_extreme(const float* samples, std::size_t count) {
  std::int32_t is_any = 0;
  for (std::size_t i = 0; i < count; ++i) is_any |= is_extreme(samples[i]);
  return is_any != 0;
}

SpectraTransform::SpectraTransform(std::size_t channels, std::size_t polarisations, std::size_t spectra,
                                   std::size_t row)
    : polarisations_(polarisations),
      batch_(batch_of(channels, polarisations, spectra)),
      numbers_(2 * batch_ * channels * polarisations),
      samples_(fftwf_alloc_complex(batch_ * channels * polarisations)) {
  of_batch_ = plan(channels, batch_, row);
  if (spectra % batch_ != 0) of_rest_ = plan(channels, spectra % batch_, row);
}

SpectraTransform::Plans SpectraTransform::plan(std::size_t channels, std::size_t spectra,
                                               std::size_t row) const {
  const auto polarisations = static_cast<std::ptrdiff_t>(polarisations_);
  const auto size = static_cast<std::ptrdiff_t>(channels);
  const fftwf_iodim64 transform{size, polarisations, polarisations};
  const fftwf_iodim64 of_spectra{static_cast<std::ptrdiff_t>(spectra), size * polarisations,
                                 static_cast<std::ptrdiff_t>(row)};
  const fftwf_iodim64 of_polarisations{polarisations, 1, 1};
  const fftwf_iodim64& repeat = spectra == 1 ? of_polarisations : of_spectra;
  // Planning by estimate depends only on the alignment, not on the data.
  const FftwComplex aligned(fftwf_alloc_complex(2));
  Plans plans;
  const std::scoped_lock lock(fftw_planner_mutex);
  for (std::size_t p = 0; p < std::min(plans.size(), spectra == 1 ? 1 : polarisations_); ++p)
    plans[p].reset(fftwf_plan_guru64_dft(1, &transform, 1, &repeat, samples_.get() + p, aligned.get() + p,
                                         FFTW_FORWARD, FFTW_ESTIMATE));
  return plans;
}

void SpectraTransform::run(std::size_t spectra, float* to) {
  const Plans& plans = spectra == batch_ ? of_batch_ : of_rest_;
  auto* const results = reinterpret_cast<fftwf_complex*>(to);
  for (std::size_t p = 0; p < (spectra == 1 ? 1 : polarisations_); ++p)
    fftwf_execute_dft(plans[p % 2].get(), samples_.get() + p, results + p);
}

}  // namespace takt::pipeline
