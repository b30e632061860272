#pragma once
/// `select`: selects `count` indices of one axis from `first` on, or those of a list in its order.
///
/// Any element, [...][axis=N]... -> [...][axis=n]..., with the coordinates of the selection:
///
///   y[..., i, ...] = x[..., indices[i], ...]
///
/// Along `time` and `packet` UTC moves to the first selected sample. Flags of missing parts are selected,
/// too. Values keep their unit. Stateless, O(bytes selected). Source: `numpy.take` of the NumPy reference.

#include "pipeline/kernel.hpp"

namespace takt::pipeline {

[[nodiscard]] KernelKind select_kernel();

}  // namespace takt::pipeline
