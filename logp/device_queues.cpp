#include "logp/device_queues.hpp"

#include <algorithm>

namespace takt::logp {

DeviceQueues::DeviceQueues(const Schedule& schedule) {
  for (const TaskOnDevices& task : tasks_on_devices(schedule))
    tasks_.push_back({.task = task.task, .depth = task.depth});
  for (const Device& device : schedule.devices) {
    for (const DeviceUse& use : device.uses) {
      TaskState& task = tasks_[*find(use.task)];
      task.stops.push_back({use, free_.size(), std::vector<Time>(task.depth, Time{0})});
    }
    free_.emplace_back(device.units, Time{0});
    loads_.push_back({device.name, device.units});
  }
}

std::optional<std::uint32_t> DeviceQueues::find(TaskId task) const {
  const auto found = std::ranges::find(tasks_, task, &TaskState::task);
  if (found == tasks_.end()) return std::nullopt;
  return static_cast<std::uint32_t>(found - tasks_.begin());
}

Time DeviceQueues::end_of_oldest(std::uint32_t task) const {
  const TaskState& state = tasks_[task];
  if (state.count < state.depth) return Time{0};
  const Stop& last = state.stops.back();
  return last.starts[state.count % state.depth] + last.use.work;
}

void DeviceQueues::start(std::uint32_t task, Time now) {
  TaskState& state = tasks_[task];
  for (Stop& stop : state.stops) {
    Time& unit = *std::ranges::min_element(free_[stop.device]);
    const Time start = std::max(unit, now + stop.use.transfer);
    stop.starts[state.count % state.depth] = start;
    loads_[stop.device].busy += stop.use.work;
    now = unit = start + stop.use.work;
  }
  ++state.count;
}

std::vector<DeviceLoad> DeviceQueues::loads(Time end) const {
  std::vector<DeviceLoad> loads = loads_;
  // Earlier instances are complete.
  for (const TaskState& task : tasks_)
    for (const Stop& stop : task.stops)
      for (std::uint64_t i = 0; i < std::min<std::uint64_t>(task.count, task.depth); ++i)
        loads[stop.device].busy -=
            std::max(Time{0}, stop.starts[i] + stop.use.work - std::max(stop.starts[i], end));
  return loads;
}

Time DeviceQueues::latency(std::uint32_t task) const {
  Time latency{0};
  for (const Stop& stop : tasks_[task].stops) latency += stop.use.transfer + stop.use.work;
  return latency;
}

}  // namespace takt::logp
