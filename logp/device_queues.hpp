#pragma once
/// Devices in a simulation: the work that tasks start there.

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "core/schedule.hpp"

namespace takt::logp {

/// Busy time of a device, over all its units.
struct DeviceLoad {
  std::string device;
  std::uint32_t units = 1;
  Time busy{0};
};

/// The work of an instance passes the devices of its task one after the other. Each device serves instances
/// in the order in which their operations on processors end, each on the unit that is free first. `task` is
/// the index that `find` returns.
class DeviceQueues {
 public:
  explicit DeviceQueues(const Schedule& schedule);

  /// Returns nothing for a task without a device.
  [[nodiscard]] std::optional<std::uint32_t> find(TaskId task) const;
  /// Returns when the work of the instance `depth` before the next one is complete; 0 if there is none.
  [[nodiscard]] Time end_of_oldest(std::uint32_t task) const;
  /// Starts the work of the next instance, whose operation on the processor ends now. O(units of its
  /// devices).
  void start(std::uint32_t task, Time now);
  /// Returns the time of a work on all devices without waiting.
  [[nodiscard]] Time latency(std::uint32_t task) const;
  /// Returns the busy times until `end`, the end of the last operation.
  [[nodiscard]] std::vector<DeviceLoad> loads(Time end) const;

 private:
  /// The work on one device.
  struct Stop {
    DeviceUse use;
    std::size_t device = 0;
    /// When the last `depth` instances began it, by their number modulo the depth.
    std::vector<Time> starts;
  };
  struct TaskState {
    TaskId task;
    std::uint32_t depth = 1;
    /// Instances so far.
    std::uint64_t count = 0;
    std::vector<Stop> stops = {};
  };

  std::vector<TaskState> tasks_;
  /// By device and unit: when it is free.
  std::vector<std::vector<Time>> free_;
  std::vector<DeviceLoad> loads_;
};

}  // namespace takt::logp
