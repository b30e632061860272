#include "logp/device_queues.hpp"

#include <algorithm>

namespace takt::logp {

DeviceQueues::DeviceQueues(std::span<const Device> devices) {
  for (const Device& device : devices) {
    for (const DeviceUse& use : device.uses)
      tasks_.push_back({use, free_.size(), std::vector<Time>(use.depth, Time{0})});
    free_.emplace_back(device.units, Time{0});
    loads_.push_back({device.name, device.units});
  }
}

std::optional<std::uint32_t> DeviceQueues::find(TaskId task) const {
  const auto found = std::ranges::find(tasks_, task, [](const TaskState& each) { return each.use.task; });
  if (found == tasks_.end()) return std::nullopt;
  return static_cast<std::uint32_t>(found - tasks_.begin());
}

Time DeviceQueues::end_of_oldest(std::uint32_t task) const {
  const TaskState& state = tasks_[task];
  return state.ends[state.count % state.ends.size()];
}

void DeviceQueues::start(std::uint32_t task, Time now) {
  TaskState& state = tasks_[task];
  Time& unit = *std::ranges::min_element(free_[state.device]);
  unit = std::max(unit, now + state.use.transfer) + state.use.work;
  state.ends[state.count++ % state.ends.size()] = unit;
  loads_[state.device].busy += state.use.work;
}

std::vector<DeviceLoad> DeviceQueues::loads(Time end) const {
  std::vector<DeviceLoad> loads = loads_;
  for (std::size_t i = 0; i < loads.size(); ++i) {
    for (const Time unit : free_[i]) loads[i].busy -= std::max(Time{0}, unit - end);
    loads[i].busy = std::max(Time{0}, loads[i].busy);
  }
  return loads;
}

Time DeviceQueues::latency(std::uint32_t task) const {
  return tasks_[task].use.transfer + tasks_[task].use.work;
}

}  // namespace takt::logp
