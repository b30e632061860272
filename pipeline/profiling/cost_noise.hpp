#pragma once
/// How well costs are known.

namespace takt::pipeline {

/// By how much of itself what is measured of one plan, or of one task, differs from trial to trial: rates and
/// times that differ by less are alike.
inline constexpr double cost_noise = 0.03;

}  // namespace takt::pipeline
