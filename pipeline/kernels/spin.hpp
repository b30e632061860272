#pragma once
/// `spin`: keeps the processor busy for a given time, then hands its first input on, unchanged. Further
/// inputs are only waited for. A task of known cost, for trying out schedules and comparing predictions with
/// what happens.
///
/// It does a fixed amount of work, which takes the given time on an idle processor: the speed of its loop is
/// measured once a program against the processor time that it takes. On a processor that is shared it takes
/// longer, as any work would.
///
/// Any elements and axes; units stay. Stateless. Source of the idea: Slaughter et al., "Task Bench: a
/// parameterized benchmark for evaluating parallel runtime performance" (SC 2020), its compute-bound kernel.

#include "pipeline/kernel.hpp"

namespace takt::pipeline {

[[nodiscard]] KernelKind spin_kernel();

}  // namespace takt::pipeline
