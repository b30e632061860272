#pragma once
/// `threshold`: outputs events: the values of a frame above a bound, with their times and positions.
///
/// float32 with an axis `time` -> float64[event=E][field=F]. The fields of an event are named columns
/// (EventFields): `utc` of its sample in s since 1970, to the precision of a double (a quarter of a
/// microsecond); `sample`, its index in the frame; for each other axis (channel, width, dm) its index, and
/// its coordinate if the axis has coordinates; `value`. Rows are in the order of time; those without an event
/// are NaN. Of more than `events` events, the largest are kept. Each frame yields one, even without events.
///
/// With `local` an event is the largest value of a contiguous run above the bound, within the frame.
///
/// Fields have different units, and the output none. Stateless. O(T C). Source: Cordes and McLaughlin,
/// "Searches for fast radio transients" (ApJ 596, 2003), 3.

#include "pipeline/kernel.hpp"

namespace takt::pipeline {

[[nodiscard]] KernelKind threshold_kernel();

}  // namespace takt::pipeline
