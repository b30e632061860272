#pragma once
/// `select`: keeps `count` indices of one axis from `first` on, or those of a list in its order.
///
/// Any element, [...][axis=N]... -> [...][axis=n]..., with the coordinates of what is kept:
///
///   y[..., i, ...] = x[..., indices[i], ...]
///
/// Along `time` and `packet` UTC moves to the first sample that is kept. Flags of missing parts go along.
/// Values keep their unit. Stateless, O(bytes kept). Source: `numpy.take` of the NumPy reference.

#include "pipeline/kernel.hpp"

namespace takt::pipeline {

[[nodiscard]] KernelKind select_kernel();

}  // namespace takt::pipeline
