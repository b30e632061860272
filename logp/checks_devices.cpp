/// Checks of the work on devices.

#include <algorithm>
#include <map>
#include <tuple>
#include <utility>
#include <vector>

#include "logp/checks.hpp"

namespace takt::logp {

namespace {

/// An operation on a processor.
struct OwnOperation {
  ProcessorId processor;
  Time end{0};
};

/// The operations of tasks on their processors, by task and instance.
using OwnOperations = std::map<std::pair<std::uint32_t, std::uint32_t>, OwnOperation>;

/// The device under test; findings are at the processors of its tasks.
class DeviceCheck {
 public:
  DeviceCheck(Examination& examination, const Device& device, const OwnOperations& starts)
      : examination_(examination), device_(device), starts_(starts) {}

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

  void check_operations() const {
    for (const Operation& operation : device_.operations) {
      const auto use = std::ranges::find(device_.uses, operation.task(), &DeviceUse::task);
      const auto start = starts_.find({operation.subject, operation.instance});
      if (use == device_.uses.end() || start == starts_.end()) {
        examination_.report("device", ProcessorId(0), operation.start,
                            "{} does not use device '{}': expected one of its tasks, which run on processors",
                            examination_.describe(operation), device_.name);
        continue;
      }
      const auto& [processor, end] = start->second;
      if (operation.end - operation.start != use->work)
        examination_.report("duration", processor, operation.start, "{} takes {} of device '{}': expected {}",
                            examination_.describe(operation), (operation.end - operation.start).count(),
                            device_.name, use->work.count());
      if (operation.start < end + use->transfer)
        examination_.report("device", processor, operation.start,
                            "{} begins on device '{}' before its work arrives: end on the processor {} + "
                            "transfer {} = {}",
                            examination_.describe(operation), device_.name, end.count(),
                            use->transfer.count(), (end + use->transfer).count());
    }
  }

  /// Checks the depth, and the units, when the schedule repeats.
  void check_repeated(Time repetition) const {
    const Period period{repetition, examination_.schedule.replicas};
    for (const DeviceUse& use : device_.uses)
      if (const Period least{use.transfer + use.work, use.depth}; period < least)
        examination_.report(
            "device", processor_of(use, 0), Time{0},
            "the period is {}: with {} instances under way, task '{}' on device '{}' needs {}",
            to_decimal(period), use.depth, examination_.graph.task(use.task).name, device_.name,
            to_decimal(least));
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
    const auto found = starts_.find({static_cast<std::uint32_t>(use.task.index()), instance});
    return found == starts_.end() ? ProcessorId(0) : found->second.processor;
  }

  Examination& examination_;
  const Device& device_;
  const OwnOperations& starts_;
};

}  // namespace

void check_devices(Examination& examination) {
  const Schedule& schedule = examination.schedule;
  if (schedule.devices.empty()) return;
  OwnOperations starts;
  examination.for_each_operation([&](ProcessorId processor, const Operation& operation) {
    if (operation.kind == OperationKind::compute)
      starts.insert_or_assign({operation.subject, operation.instance},
                              OwnOperation{processor, operation.end});
  });
  std::map<TaskId, const Device*> owners;
  for (const Device& device : schedule.devices) {
    const DeviceCheck check(examination, device, starts);
    if (!check.check_references()) return;
    for (const DeviceUse& use : device.uses)
      if (!owners.emplace(use.task, &device).second)
        examination.report("device", ProcessorId(0), Time{0},
                           "task '{}' works on device '{}' and on device '{}'",
                           examination.graph.task(use.task).name, owners[use.task]->name, device.name);
    check.check_uses();
    check.check_operations();
    if (examination.options.repeated)
      check.check_repeated(examination.options.repetition.value_or(measure(schedule).repetition));
  }
}

}  // namespace takt::logp
