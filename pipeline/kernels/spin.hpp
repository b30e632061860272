#pragma once
/// `spin`: keeps the processor busy for a given time, then copies its first input unchanged. Further inputs
/// only synchronise. A task of known cost, for experiments with schedules and comparisons of predictions with
/// measurements.
///
/// It does a fixed amount of work, which takes the given time on an idle processor: the speed of its
/// loop in CPU time is measured once per program. On a shared processor it takes longer, like any
/// work.
///
/// Any elements and axes; units are kept. Stateless, unless `state: true` lets each frame continue with a
/// value of the frame before it, which changes nothing in the output. Source of the idea: Slaughter et al.,
/// "Task Bench: a parameterized benchmark for evaluating parallel runtime performance" (SC 2020), its
/// compute-bound kernel.

#include "pipeline/kernel.hpp"

namespace takt::pipeline {

[[nodiscard]] KernelKind spin_kernel();

}  // namespace takt::pipeline
