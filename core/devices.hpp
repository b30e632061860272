#pragma once
/// Devices next to the processors of a schedule: processors of their own for work that tasks start and
/// collect.
///
/// A task of devices occupies its processor to start the work on one instance, and to collect the results of
/// an earlier one. The work passes the task's devices in the order of Schedule::devices, and occupies one
/// unit of each:
///
///   start on a device >= end before (of the task's operation, or on the previous device) + transfer,
///   at most `units` computations at a time, modulo the repetition.
///
/// A link to or from a device is a device with one unit, which frames occupy for the time of their bytes.
///
/// So the period is at least the sum of the work over the units of each device, and, since at most `depth`
/// instances of a task are under way, the sum of (transfer + work) over the devices of each task, over depth.

#include <cstddef>
#include <string>
#include <vector>

#include "core/period.hpp"
#include "core/schedule.hpp"

namespace takt {

/// Returns the share of the time in which the device's units are busy, at a repetition above 0.
[[nodiscard]] double load_of(const Device& device, std::uint32_t replicas, Time repetition);

/// Returns the schedule with these devices, and their operations at its repetition: in the order in which
/// they arrive at a device, each on the unit that is free first. A pipelined schedule that is too fast for
/// them gets a longer repetition: each operation keeps its iteration and its time within it. The bound of the
/// period rises to that of the devices.
///
/// For each device O(n log n) for n operations, and for its own ones O(n units) for each iteration until two
/// are alike.
[[nodiscard]] Schedule with_devices(Schedule schedule, std::vector<Device> devices);

/// Returns the operations in rows without overlaps, for pictures: one row for each unit in use within an
/// iteration.
[[nodiscard]] std::vector<std::vector<Operation>> rows_of(const Device& device);

/// Returns the name of a row: `gpu0`, or `gpu0.1` where there are several.
[[nodiscard]] std::string row_name(const Device& device, std::size_t row, std::size_t rows);

}  // namespace takt
