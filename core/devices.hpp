#pragma once
/// Devices next to the processors of a schedule: processors of their own for work that tasks start and
/// collect.
///
/// A task of a device occupies its processor to start the work on one instance, and to collect the results of
/// an earlier one. The work goes to the device, occupies one of its units, and comes back:
///
///   start on the device >= end of the task's operation + transfer,
///   at most `units` computations at a time, modulo the repetition.
///
/// So the period is at least the sum of the work over the units, and, since at most `depth` instances of a
/// task are under way, (transfer + work) / depth of each task. `transfer` is charged before the work: a
/// device reports only the sum of both directions.

#include <cstddef>
#include <string>
#include <vector>

#include "core/period.hpp"
#include "core/schedule.hpp"

namespace takt {

/// Returns the share of the time in which the device's units are busy, at a repetition above 0.
[[nodiscard]] double load_of(const Device& device, std::uint32_t replicas, Time repetition);

/// Returns the schedule with these devices, and their operations at its repetition: in the order in which
/// they arrive at the device, each on the unit that is free first. A pipelined schedule that is too fast for
/// them gets a longer repetition: each operation keeps its iteration and its time within it. The bound of the
/// period rises to that of the devices.
///
/// O(n log n) for n operations, and for the devices' own ones O(n units) for each iteration until two are
/// alike.
[[nodiscard]] Schedule with_devices(Schedule schedule, std::vector<Device> devices);

/// Returns the operations in rows without overlaps, for pictures: one row for each unit in use within an
/// iteration.
[[nodiscard]] std::vector<std::vector<Operation>> rows_of(const Device& device);

/// Returns the name of a row: `gpu0`, or `gpu0.1` where there are several.
[[nodiscard]] std::string row_name(const Device& device, std::size_t row, std::size_t rows);

}  // namespace takt
