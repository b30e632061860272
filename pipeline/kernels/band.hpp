#pragma once
/// The pass band of a filter in time, as set by the user.

#include <span>
#include <vector>

#include "pipeline/kernel.hpp"

namespace takt::pipeline {

/// In cycles per sample; 0: no limit.
struct Band {
  double low = 0, high = 0;
};

/// Returns the parameters `low` and `high`, in Hz, followed by those of the filter.
[[nodiscard]] std::vector<ParameterSpec> with_band(std::vector<ParameterSpec> own);

/// Returns true if the user has set one of them.
[[nodiscard]] bool has_band(const Parameters& parameters);

/// Returns the band for a sample rate of `rate_hz`; `type` is for messages. Rejects edges above half the rate
/// and bands whose end is below their beginning; throws InputError if the rate is unknown.
[[nodiscard]] Band band_of(const Parameters& parameters, const FrameType& type, double rate_hz);

}  // namespace takt::pipeline
