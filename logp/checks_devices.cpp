/// Checks of the work on devices.

#include <algorithm>
#include <map>
#include <set>
#include <string>
#include <string_view>
#include <tuple>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "logp/checks.hpp"

namespace takt::logp {

namespace {

/// How far an instance of a task has come: the end of its operation on the processor, or on its last device.
struct Progress {
  ProcessorId processor;
  Time end{0};
  const Device* device = nullptr;

  [[nodiscard]] std::string place() const {
    return device == nullptr ? "the processor" : fmt::format("device '{}'", device->name);
  }
};

/// By task and instance.
using Progresses = std::map<std::pair<std::uint32_t, std::uint32_t>, Progress>;

/// The device under test; findings are at the processors of its tasks.
class DeviceCheck {
 public:
  /// `progresses` before this device.
  DeviceCheck(Examination& examination, const Device& device, Progresses& progresses)
      : examination_(examination), device_(device), progresses_(progresses) {}

  /// Returns whether all references are valid, as the other checks assume.
  [[nodiscard]] bool check_references() const {
    const std::size_t tasks = examination_.graph.task_count();
    bool are_valid = device_.units > 0;
    for (const DeviceUse& use : device_.uses)
      are_valid = are_valid && use.task.index() < tasks && use.depth > 0;
    for (const Operation& operation : device_.operations)
      are_valid = are_valid && operation.kind == OperationKind::compute && operation.subject < tasks;
    if (!are_valid)
      examination_.report("reference", ProcessorId(0), Time{0},
                          "device '{}' has no unit, a task without depth, or something other than tasks",
                          device_.name);
    return are_valid;
  }

  void check_uses() const {
    for (const DeviceUse& use : device_.uses) {
      if (std::ranges::count(device_.uses, use.task, &DeviceUse::task) > 1)
        examination_.report("device", processor_of(use, 0), Time{0}, "device '{}' has task '{}' twice",
                            device_.name, examination_.graph.task(use.task).name);
      for (std::uint32_t i = 0; i < examination_.schedule.replicas; ++i) {
        const auto is_wanted = [&](const Operation& operation) {
          return operation.task() == use.task && operation.instance == i;
        };
        if (const auto found = std::ranges::count_if(device_.operations, is_wanted); found != 1)
          examination_.report("device", processor_of(use, i), Time{0},
                              "task '{}' of instance {} works on device '{}' {} times: expected once",
                              examination_.graph.task(use.task).name, i, device_.name, found);
      }
    }
  }

  /// Afterwards the instances have come to the ends of their operations here.
  void check_operations() {
    for (const Operation& operation : device_.operations) {
      const auto use = std::ranges::find(device_.uses, operation.task(), &DeviceUse::task);
      const auto progress = progresses_.find({operation.subject, operation.instance});
      if (use == device_.uses.end() || progress == progresses_.end()) {
        examination_.report("device", ProcessorId(0), operation.start,
                            "{} does not use device '{}': expected one of its tasks, which run on processors",
                            examination_.describe(operation), device_.name);
        continue;
      }
      Progress& before = progress->second;
      if (operation.end - operation.start != use->work)
        examination_.report("duration", before.processor, operation.start,
                            "{} takes {} of device '{}': expected {}", examination_.describe(operation),
                            (operation.end - operation.start).count(), device_.name, use->work.count());
      if (operation.start < before.end + use->transfer)
        examination_.report("device", before.processor, operation.start,
                            "{} begins on device '{}' before its work arrives: end on {} {} + transfer {} "
                            "= {}",
                            examination_.describe(operation), device_.name, before.place(),
                            before.end.count(), use->transfer.count(), (before.end + use->transfer).count());
      before.end = operation.end;
      before.device = &device_;
    }
  }

  /// Checks the units when the schedule repeats.
  void check_repeated(Time repetition) const {
    if (repetition <= Time{0}) return;
    // Of operations at the same time those that end are first.
    std::vector<std::tuple<Time, int, const Operation*>> changes;
    Time::rep count = 0;
    const auto folded = [&](Time time) { return (time % repetition + repetition) % repetition; };
    for (const Operation& operation : device_.operations) {
      const Time start = folded(operation.start), end = folded(operation.end);
      // Those of earlier iterations that work when an iteration begins.
      count += (operation.end - end) / repetition - (operation.start - start) / repetition;
      changes.emplace_back(start, +1, &operation);
      changes.emplace_back(end, -1, &operation);
    }
    std::ranges::sort(changes, {},
                      [](const auto& each) { return std::pair(std::get<0>(each), std::get<1>(each)); });
    for (const auto& [time, by, operation] : changes) {
      count += by;
      if (by < 0 || count <= Time::rep{device_.units}) continue;
      return examination_.report(
          "device", ProcessorId(0), operation->start,
          "{} makes {} computations of device '{}' when the schedule repeats every {}: "
          "it has {} units",
          examination_.describe(*operation), count, device_.name, repetition.count(), device_.units);
    }
  }

 private:
  [[nodiscard]] ProcessorId processor_of(const DeviceUse& use, std::uint32_t instance) const {
    const auto found = progresses_.find({static_cast<std::uint32_t>(use.task.index()), instance});
    return found == progresses_.end() ? ProcessorId(0) : found->second.processor;
  }

  Examination& examination_;
  const Device& device_;
  Progresses& progresses_;
};

/// Checks that the period leaves enough time for the instances of each task that may be under way.
void check_depths(Examination& examination, Time repetition) {
  const Period period{repetition, examination.schedule.replicas};
  std::map<TaskId, Period> needs;
  for (const Device& device : examination.schedule.devices)
    for (const DeviceUse& use : device.uses) {
      Period& need = needs.try_emplace(use.task, Period{Time{0}, use.depth}).first->second;
      need.time += use.transfer + use.work;
      need.frames = std::min(need.frames, use.depth);
    }
  for (const auto& [task, need] : needs)
    if (period < need)
      examination.report("device", ProcessorId(0), Time{0},
                         "the period is {}: with {} instances under way, task '{}' on its devices needs {}",
                         to_decimal(period), need.frames, examination.graph.task(task).name,
                         to_decimal(need));
}

}  // namespace

void check_devices(Examination& examination) {
  const Schedule& schedule = examination.schedule;
  if (schedule.devices.empty()) return;
  Progresses progresses;
  examination.for_each_operation([&](ProcessorId processor, const Operation& operation) {
    if (operation.kind == OperationKind::compute)
      progresses.insert_or_assign({operation.subject, operation.instance},
                                  Progress{processor, operation.end});
  });
  const Time repetition = examination.options.repetition.value_or(measure(schedule).repetition);
  std::set<std::string_view> names;
  for (const Device& device : schedule.devices) {
    DeviceCheck check(examination, device, progresses);
    if (!check.check_references()) return;
    if (!names.insert(device.name).second)
      examination.report("device", ProcessorId(0), Time{0}, "there are two devices '{}'", device.name);
    check.check_uses();
    check.check_operations();
    if (examination.options.repeated) check.check_repeated(repetition);
  }
  if (examination.options.repeated) check_depths(examination, repetition);
}

}  // namespace takt::logp
