#include "core/schedule.hpp"

#include <algorithm>
#include <map>
#include <unordered_map>
#include <utility>

namespace takt {

MessageId Schedule::add_message(ProcessorId from, ProcessorId to, Bytes size,
                                std::span<const DatumId> payload) {
  messages.push_back({.from = from,
                      .to = to,
                      .size = size,
                      .first_datum = static_cast<std::uint32_t>(data.size()),
                      .datum_count = static_cast<std::uint32_t>(payload.size())});
  data.insert(data.end(), payload.begin(), payload.end());
  return MessageId(messages.size() - 1);
}

void Schedule::set_route(MessageId id, std::span<const Hop> route) {
  Message& message = messages[id.index()];
  message.first_hop = static_cast<std::uint32_t>(hops.size());
  message.hop_count = static_cast<std::uint32_t>(route.size());
  hops.insert(hops.end(), route.begin(), route.end());
}

void Schedule::add_compute(ProcessorId processor, TaskId task, Time start, Time end, std::uint32_t instance) {
  add(processor, {OperationKind::compute, instance, static_cast<std::uint32_t>(task.index()), start, end});
}

void Schedule::add_send(ProcessorId processor, MessageId message, Time start, Time end,
                        std::uint32_t instance) {
  add(processor, {OperationKind::send, instance, static_cast<std::uint32_t>(message.index()), start, end});
}

void Schedule::add_receive(ProcessorId processor, MessageId message, Time start, Time end,
                           std::uint32_t instance) {
  add(processor, {OperationKind::receive, instance, static_cast<std::uint32_t>(message.index()), start, end});
}

std::vector<TaskOnDevices> tasks_on_devices(const Schedule& schedule) {
  std::vector<TaskOnDevices> tasks;
  std::map<TaskId, std::size_t> places;
  for (const Device& device : schedule.devices)
    for (const DeviceUse& use : device.uses) {
      // Also of a use that the checker refuses.
      const std::uint32_t depth = std::max(use.depth, 1U);
      const auto [place, is_new] = places.emplace(use.task, tasks.size());
      if (is_new) tasks.push_back({.task = use.task, .depth = depth});
      TaskOnDevices& task = tasks[place->second];
      task.latency += use.transfer + use.work;
      task.depth = std::min(task.depth, depth);
    }
  return tasks;
}

Period period_of(const Device& device) {
  // Also of a device that the checker refuses.
  Period least{Time{0}, std::max(device.units, 1U)};
  for (const DeviceUse& use : device.uses) least.time += use.work;
  return least;
}

Time repetition_of_devices(const Schedule& schedule) {
  Time least{0};
  for (const Device& device : schedule.devices)
    least = std::max(least, period_of(device).time_of(schedule.replicas));
  for (const TaskOnDevices& task : tasks_on_devices(schedule))
    least = std::max(least, task.period().time_of(schedule.replicas));
  return least;
}

namespace {

/// Returns the longest time from an instance's first operation to its last one.
Time longest_frame(const Schedule& schedule) {
  struct Span {
    Time start = Time::max(), end = Time::min();
  };
  // A map, since a file can name any number of replicas.
  std::unordered_map<std::uint32_t, Span> spans;
  for (const std::vector<Operation>& operations : schedule.processors)
    for (const Operation& operation : operations) {
      Span& span = spans[operation.instance];
      span.start = std::min(span.start, operation.start);
      span.end = std::max(span.end, operation.end);
    }
  Time longest{0};
  for (const auto& [instance, span] : spans) longest = std::max(longest, span.end - span.start);
  return longest;
}

/// Returns the shortest time on the circle of a repetition that contains all operations.
Occupancy folded_occupancy(const std::vector<Operation>& operations, Time repetition) {
  // Times from the begin of an iteration, by start.
  std::vector<std::pair<Time, Time>> busy;
  for (const Operation& operation : operations) {
    const Time start = (operation.start % repetition + repetition) % repetition;
    busy.emplace_back(start, start + (operation.end - operation.start));
  }
  std::ranges::sort(busy);
  Occupancy result{.start = busy.front().first, .end = busy.front().first + repetition};
  Time longest{0}, until = Time::min();
  for (const auto& [start, end] : busy) until = std::max(until, end - repetition);
  for (const auto& [start, end] : busy) {
    if (start - until > longest) {
      longest = start - until;
      result.start = start;
    }
    until = std::max(until, end);
  }
  result.end = result.start + repetition - longest;
  return result;
}

}  // namespace

ScheduleMetrics measure(const Schedule& schedule) {
  ScheduleMetrics metrics;
  metrics.replicas = schedule.replicas;
  metrics.repetition = std::max(schedule.least_repetition, repetition_of_devices(schedule));
  metrics.occupancy.resize(schedule.processors.size());
  std::optional<Time> first, last;
  for (std::size_t p = 0; p < schedule.processors.size(); ++p) {
    const std::vector<Operation>& operations = schedule.processors[p];
    if (operations.empty()) continue;
    Occupancy& occupancy = metrics.occupancy[p];
    occupancy.start = operations.front().start;
    occupancy.end = operations.front().end;
    for (const Operation& operation : operations) {
      occupancy.start = std::min(occupancy.start, operation.start);
      occupancy.end = std::max(occupancy.end, operation.end);
      (operation.kind == OperationKind::compute ? occupancy.compute : occupancy.overhead) +=
          operation.end - operation.start;
    }
    ++metrics.processors_used;
    first = first ? std::min(*first, occupancy.start) : occupancy.start;
    last = last ? std::max(*last, occupancy.end) : occupancy.end;
    if (schedule.repetition) {
      const Occupancy folded = folded_occupancy(operations, *schedule.repetition);
      occupancy.start = folded.start;
      occupancy.end = folded.end;
    } else {
      metrics.repetition = std::max(metrics.repetition, occupancy.occupied());
    }
  }
  if (schedule.repetition) metrics.repetition = *schedule.repetition;
  if (first) metrics.makespan = *last - *first;
  metrics.latency = schedule.replicas > 1 ? longest_frame(schedule) : metrics.makespan;
  return metrics;
}

}  // namespace takt
