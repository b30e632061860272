#include "core/devices.hpp"

#include <algorithm>
#include <iterator>
#include <optional>
#include <utility>

#include <fmt/format.h>

namespace takt {

namespace {

/// Returns the number of whole repetitions before a time; negative before 0.
Time::rep iterations_before(Time time, Time repetition) {
  return time / repetition - (time % repetition < Time{0} ? 1 : 0);
}

/// Returns the tasks' operations on processors.
std::vector<Operation> computations_of(const Schedule& schedule) {
  std::vector<Operation> computations;
  for (const std::vector<Operation>& operations : schedule.processors)
    std::ranges::copy_if(operations, std::back_inserter(computations),
                         [](const Operation& operation) { return operation.kind == OperationKind::compute; });
  return computations;
}

/// The work of a device on one instance, which arrives within an iteration, `turns` iterations after its own.
struct Job {
  /// The last operation before.
  Operation* before = nullptr;
  Time arrival{0};
  Time::rep turns = 0;
  Time work{0};
};

/// Returns the jobs of an iteration in the order in which they arrive. `before`: the last operation of each
/// task and instance before this device.
std::vector<Job> jobs_of(std::vector<Operation>& before, const Device& device, Time repetition) {
  std::vector<Job> jobs;
  for (Operation& operation : before) {
    const auto use = std::ranges::find(device.uses, operation.task(), &DeviceUse::task);
    if (use == device.uses.end()) continue;
    const Time arrival = operation.end + use->transfer;
    const Time::rep turns = iterations_before(arrival, repetition);
    jobs.push_back({&operation, arrival - turns * repetition, turns, use->work});
  }
  std::ranges::stable_sort(jobs, {}, &Job::arrival);
  return jobs;
}

/// Returns the start of each job on the unit that is free first, as soon as iterations are alike. Nothing if
/// they stay different.
std::optional<std::vector<Time>> served(const std::vector<Job>& jobs, std::uint32_t units, Time repetition) {
  constexpr int most_iterations = 1000;
  std::vector<Time> free(units, jobs.front().arrival);
  for (int i = 0; i < most_iterations; ++i) {
    const std::vector<Time> before = free;
    std::vector<Time> starts;
    for (const Job& job : jobs) {
      Time& unit = *std::ranges::min_element(free);
      starts.push_back(std::max(job.arrival, unit));
      unit = starts.back() + job.work;
    }
    // No job of the next iteration arrives before its first one.
    for (Time& unit : free) unit = std::max(unit - repetition, jobs.front().arrival);
    std::ranges::sort(free);
    if (free == before) return starts;
  }
  return std::nullopt;
}

/// Returns starts that follow one another without a pause, and so fit into any repetition that holds all
/// work: a line of jobs of the length `units * repetition`, wound around the repetition. Source: McNaughton,
/// "Scheduling with deadlines and loss functions" (1959).
std::vector<Time> wound(const std::vector<Job>& jobs, Time repetition) {
  std::vector<Time> starts;
  Time next = jobs.front().arrival;
  for (const Job& job : jobs) {
    const Time::rep late = std::max(Time{0}, job.arrival - next) / repetition;
    const Time start = next + late * repetition;
    starts.push_back(start < job.arrival ? start + repetition : start);
    next += job.work;
  }
  return starts;
}

/// Sets the operations of the device; they are then the last ones of their tasks and instances.
void place(std::vector<Operation>& before, Time repetition, Device& device) {
  device.operations.clear();
  const std::vector<Job> jobs = jobs_of(before, device, repetition);
  if (jobs.empty()) return;
  std::optional<std::vector<Time>> starts = served(jobs, device.units, repetition);
  if (!starts) starts = wound(jobs, repetition);
  for (std::size_t i = 0; i < jobs.size(); ++i) {
    Operation& operation = *jobs[i].before;
    operation.start = (*starts)[i] + jobs[i].turns * repetition;
    operation.end = operation.start + jobs[i].work;
    device.operations.push_back(operation);
  }
  std::ranges::stable_sort(device.operations, {}, &Operation::start);
}

/// Moves each time of a pipelined schedule to its place within its iteration of a longer repetition.
void stretch(Schedule& schedule, Time repetition) {
  const Time shorter = *schedule.repetition;
  const auto move = [&](auto& interval) {
    const Time by = iterations_before(interval.start, shorter) * (repetition - shorter);
    interval.start += by;
    interval.end += by;
  };
  for (std::vector<Operation>& operations : schedule.processors)
    for (Operation& operation : operations) move(operation);
  for (Hop& hop : schedule.hops) move(hop);
  schedule.repetition = repetition;
}

}  // namespace

double load_of(const Device& device, std::uint32_t replicas, Time repetition) {
  Time work{0};
  for (const DeviceUse& use : device.uses) work += use.work;
  return static_cast<double>(work.count()) * replicas / device.units /
         static_cast<double>(repetition.count());
}

Schedule with_devices(Schedule schedule, std::vector<Device> devices) {
  schedule.devices = std::move(devices);
  const auto raise_bound = [&](const Period& least) {
    if (schedule.period_bound && least <= *schedule.period_bound) return;
    schedule.period_bound = least;
    schedule.period_bound_among.clear();
  };
  for (const Device& device : schedule.devices) raise_bound(period_of(device));
  for (const TaskOnDevices& task : tasks_on_devices(schedule)) raise_bound(task.period());
  if (const Time least = repetition_of_devices(schedule); schedule.repetition && *schedule.repetition < least)
    stretch(schedule, least);
  const Time repetition = std::max(Time{1}, measure(schedule).repetition);
  std::vector<Operation> before = computations_of(schedule);
  for (Device& device : schedule.devices) place(before, repetition, device);
  return schedule;
}

std::vector<std::vector<Operation>> rows_of(const Device& device) {
  std::vector<std::vector<Operation>> rows;
  for (const Operation& operation : device.operations) {
    const auto is_free = [&](const std::vector<Operation>& row) { return row.back().end <= operation.start; };
    auto row = std::ranges::find_if(rows, is_free);
    if (row == rows.end()) row = rows.insert(rows.end(), std::vector<Operation>{});
    row->push_back(operation);
  }
  return rows;
}

std::string row_name(const Device& device, std::size_t row, std::size_t rows) {
  return rows == 1 ? device.name : fmt::format("{}.{}", device.name, row);
}

}  // namespace takt
