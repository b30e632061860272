#pragma once
/// The band that a filter along the time lets through, as its user says it.

#include <span>
#include <vector>

#include "pipeline/kernel.hpp"

namespace takt::pipeline {

/// In cycles a sample; 0 where it has no limit.
struct Band {
  double low = 0, high = 0;
};

/// The parameters `low` and `high`, in Hz, and then those of the filter itself.
[[nodiscard]] std::vector<ParameterSpec> with_band(std::vector<ParameterSpec> own);

/// Whether the user has given one of them.
[[nodiscard]] bool has_band(const Parameters& parameters);

/// At `rate_hz` samples a second of frames of that type, for the message. Refuses edges beyond half the rate
/// and bands that end below their beginning; throws InputError where the rate is not known.
[[nodiscard]] Band band_of(const Parameters& parameters, const FrameType& type, double rate_hz);

}  // namespace takt::pipeline
