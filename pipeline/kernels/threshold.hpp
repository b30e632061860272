#pragma once
/// `threshold`: events: the values of a frame that stand above a bound, with their times.
///
/// float32 with an axis `time` -> float64[event=E][field=4]. Each event is: UTC of its sample in s since
/// 1970, to the precision of a double (a quarter of a microsecond); the index of the sample in the frame;
/// that of the value among those of the same sample (channel, trial, station; row-major over the other axes);
/// the value. In order of time; rows without an event are NaN. Of more than `events` in a frame the largest
/// are kept. Each frame gives one, with events or without.
///
/// With `local` an event is the largest value of an unbroken run above the bound, within the frame.
///
/// Fields have units of their own, and the output none. Stateless. O(T C). Source: Cordes and McLaughlin,
/// "Searches for fast radio transients" (ApJ 596, 2003), 3.

#include "pipeline/kernel.hpp"

namespace takt::pipeline {

[[nodiscard]] KernelKind threshold_kernel();

}  // namespace takt::pipeline
