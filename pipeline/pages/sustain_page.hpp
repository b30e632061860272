#pragma once
/// Shows the trials of `takt sustain`.

#include <string>

#include "pipeline/sustain/sustained_rate.hpp"

namespace takt::pipeline {

/// Returns an SVG picture of latency over offered rate, with the sustained, predicted and required rates, and
/// the required latency.
[[nodiscard]] std::string latency_curve_picture(const SustainedRate& found);

}  // namespace takt::pipeline
