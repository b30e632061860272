#pragma once
/// Devices in a simulation: the work that tasks start there.

#include <cstdint>
#include <optional>
#include <span>
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

/// First come, first served, each work on the unit that is free first. `task` is the index that `find`
/// returns.
class DeviceQueues {
 public:
  explicit DeviceQueues(std::span<const Device> devices);

  /// Returns nothing for a task without a device.
  [[nodiscard]] std::optional<std::uint32_t> find(TaskId task) const;
  /// Returns when the work of `depth` instances before is complete; 0 if there is none.
  [[nodiscard]] Time end_of_oldest(std::uint32_t task) const;
  /// Starts the work of the next instance, whose operation on the processor ends now. O(units).
  void start(std::uint32_t task, Time now);
  /// Returns the time of a work without waiting.
  [[nodiscard]] Time latency(std::uint32_t task) const;
  /// Returns the busy times until `end`, after which the units end the work that is left.
  [[nodiscard]] std::vector<DeviceLoad> loads(Time end) const;

 private:
  struct TaskState {
    DeviceUse use;
    std::size_t device = 0;
    /// The ends of its last `depth` works, by their number modulo the depth.
    std::vector<Time> ends;
    std::uint64_t count = 0;
  };

  std::vector<TaskState> tasks_;
  /// By device and unit: when it is free.
  std::vector<std::vector<Time>> free_;
  std::vector<DeviceLoad> loads_;
};

}  // namespace takt::logp
