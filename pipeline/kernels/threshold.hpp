#pragma once
/// `threshold`: events: the values of a frame above a bound, with their times and places.
///
/// float32 with an axis `time` -> float64[event=E][field=F]. The fields of an event are columns with names
/// (EventFields): `utc` of its sample in s since 1970, to the precision of a double (a quarter of a
/// microsecond); `sample`, its index in the frame; for each other axis (channel, width, dm) its index, and
/// its coordinate where the axis has some; `value`. In order of time; rows without an event are NaN. Of more
/// than `events` in a frame the largest are kept. Each frame produces one, with events or without.
///
/// With `local` an event is the largest value of an unbroken run above the bound, within the frame.
///
/// Fields have units of their own, and the output none. Stateless. O(T C). Source: Cordes and McLaughlin,
/// "Searches for fast radio transients" (ApJ 596, 2003), 3.

#include "pipeline/kernel.hpp"

namespace takt::pipeline {

[[nodiscard]] KernelKind threshold_kernel();

}  // namespace takt::pipeline
