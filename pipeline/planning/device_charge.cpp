#include "pipeline/planning/device_charge.hpp"

#include <algorithm>
#include <cmath>
#include <map>
#include <utility>

#include <fmt/format.h>

#include "core/devices.hpp"
#include "pipeline/constants.hpp"

namespace takt::pipeline {

namespace {

bool is_asynchronous(const Stage& stage) {
  return stage.depth > 0;
}

Time scaled(Time time, double factor) {
  return Time(std::llround(static_cast<double>(time.count()) * factor));
}

/// The links of a named device, if a stage has one.
const NamedDevice* device_of(const Pipeline& pipeline, std::size_t stage) {
  const std::optional<std::size_t> device = pipeline.stages[stage].device;
  return device ? &pipeline.deployment.devices[*device] : nullptr;
}

/// The parts of a call outside of its rank, as devices_of explains.
struct CallParts {
  Time to{0}, transfer{0}, work{0}, from{0};
};

Time at_speed(double bytes, const std::optional<double>& bytes_per_s) {
  return Time(bytes_per_s ? std::llround(1e9 * bytes / *bytes_per_s) : 0);
}

/// Returns the times on the links of its device.
CallParts link_times(const Pipeline& pipeline, std::size_t stage, const NamedDevice& device) {
  const Stage& task = pipeline.stages[stage];
  double inputs = 0;
  for (const std::size_t input : task.inputs)
    inputs += static_cast<double>(pipeline.stages[input].output.size().count);
  // A kernel that gathers frames has an output for some of its calls only.
  const double output =
      static_cast<double>(task.output.size().count) * task.gives / pipeline.calls_a_frame(stage);
  return {.to = at_speed(inputs, device.to), .from = at_speed(output, device.from)};
}

CallParts parts_of(const Pipeline& pipeline, std::size_t stage, const StageCost& cost, std::uint32_t units) {
  CallParts parts;
  if (const NamedDevice* const device = device_of(pipeline, stage))
    parts = link_times(pipeline, stage, *device);
  const Time rest = std::max(Time{0}, cost.latency - parts.to - parts.from);
  parts.work = std::min(cost.interval * static_cast<Time::rep>(units), rest);
  parts.transfer = rest - parts.work;
  return parts;
}

/// A device and its links, in the order in which frames pass them.
struct LinkedDevice {
  Device to, device, from;

  LinkedDevice(const std::string& name, std::uint32_t units)
      : to{.name = name + ".to"}, device{.name = name, .units = units}, from{.name = name + ".from"} {}

  void add(const Pipeline& pipeline, std::size_t stage, const StageCost& cost) {
    const CallParts parts = parts_of(pipeline, stage, cost, device.units);
    // Plans count only the share of a call per frame.
    const double calls = pipeline.calls_a_frame(stage);
    const auto use = [&](Time work, Time transfer, Device& of) {
      of.uses.push_back({.task = TaskId(stage),
                         .work = scaled(work, calls),
                         .transfer = scaled(transfer, calls),
                         .depth = static_cast<std::uint32_t>(pipeline.stages[stage].depth)});
    };
    if (parts.to > Time{0}) use(parts.to, Time{0}, to);
    use(parts.work, parts.transfer, device);
    if (parts.from > Time{0}) use(parts.from, Time{0}, from);
  }
};

void note_devices(const Schedule& schedule, RunPlan& summary) {
  for (const Device& device : schedule.devices) {
    PlannedDevice planned{.name = device.name, .units = device.units};
    for (const DeviceUse& use : device.uses) {
      planned.tasks.push_back(use.task.index());
      planned.work_ns += use.work.count();
    }
    summary.devices.push_back(std::move(planned));
  }
}

void limit_throughput(const Pipeline& pipeline, const std::vector<StageCost>& costs, RunPlan& summary) {
  for (std::size_t i = 0; i < costs.size(); ++i) {
    const Stage& stage = pipeline.stages[i];
    if (!is_asynchronous(stage) || costs[i].interval == Time{0}) continue;
    const double hertz = 1e9 / (static_cast<double>(costs[i].interval.count()) * pipeline.calls_a_frame(i));
    summary.notes.push_back(fmt::format(
        "'{}' works outside of its rank on up to {} frames: {} for a frame, at most {}", stage.name,
        stage.depth, takt::to_string(costs[i].latency), takt::to_string(Frequency{hertz})));
    // A device of its own has that limit already, rounded to nanoseconds.
    constexpr double rounding = 1e-9;
    if (hertz >= summary.predicted_hz * (1 - rounding)) continue;
    for (double& busy : summary.predicted_busy) busy *= hertz / summary.predicted_hz;
    summary.predicted_hz = hertz;
    summary.limit = fmt::format("what '{}' does outside of its rank takes {} per frame", stage.name,
                                takt::to_string(costs[i].interval));
  }
}

/// Notes devices whose units or links, by the file or by kernels, contradict the measured times.
void note_contradictions(const Pipeline& pipeline, const std::vector<StageCost>& costs, RunPlan& summary) {
  for (std::size_t i = 0; i < costs.size(); ++i) {
    const NamedDevice* const device = device_of(pipeline, i);
    const StageCost& cost = costs[i];
    if (device == nullptr || cost.interval == Time{0}) continue;
    const Stage& stage = pipeline.stages[i];
    const CallParts links = link_times(pipeline, i, *device);
    if (links.to + links.from > cost.latency) {
      summary.notes.push_back(fmt::format(
          "device '{}': the frames of '{}' need {} on its links by 'to' and 'from', but only {} in all: the "
          "links are faster",
          device->name, stage.name, takt::to_string(links.to + links.from), takt::to_string(cost.latency)));
      continue;
    }
    // With as many frames under way as the task may have, a link or the units end one in every interval.
    const std::size_t units = std::min(device->units.value_or(1), stage.depth);
    const auto interval = static_cast<double>(cost.interval.count());
    const double at_once = static_cast<double>((cost.latency - links.to - links.from).count()) / interval;
    const bool is_by_link =
        static_cast<double>(std::max(links.to, links.from).count()) > (1 - large_share) * interval;
    if (units > 1 && at_once < (1 - large_share) * static_cast<double>(units) && !is_by_link)
      summary.notes.push_back(fmt::format(
          "device '{}' has {} units, but '{}' works on {:.1f} frames at once: a frame takes {}, and one ends "
          "every {}. Where tasks share the device, the prediction is too high",
          device->name, device->units.value_or(1), stage.name, at_once, takt::to_string(cost.latency),
          takt::to_string(cost.interval)));
  }
}

/// Returns by task the longest time from the end of its operation to that of its work on the device.
std::map<TaskId, Time> latencies_on_devices(const Schedule& schedule) {
  std::map<std::pair<std::uint32_t, std::uint32_t>, Time> starts;
  for (const std::vector<Operation>& operations : schedule.processors)
    for (const Operation& operation : operations)
      if (operation.kind == OperationKind::compute)
        starts[{operation.subject, operation.instance}] = operation.end;
  std::map<TaskId, Time> latencies;
  for (const Device& device : schedule.devices)
    for (const Operation& operation : device.operations) {
      Time& latency = latencies[operation.task()];
      latency = std::max(latency, operation.end - starts[{operation.subject, operation.instance}]);
    }
  return latencies;
}

void add_latencies(const Pipeline& pipeline, const Schedule& schedule, RunPlan& summary) {
  double frame_ns = 1e9 / summary.predicted_hz;
  if (const std::optional<Frequency> rate = pipeline.source_rate())
    frame_ns = std::max(frame_ns, 1e9 / rate->hertz);
  std::map<TaskId, Time> of_device = latencies_on_devices(schedule);
  // Stages come after their inputs.
  std::vector<Time> added, latencies;
  for (std::size_t i = 0; i < pipeline.stages.size(); ++i) {
    const Stage& stage = pipeline.stages[i];
    Time sum{0};
    for (const std::size_t input : stage.inputs) sum = std::max(sum, added[input]);
    if (is_asynchronous(stage)) {
      const double calls = pipeline.calls_a_frame(i);
      const Time held(std::llround(static_cast<double>(stage.depth) * frame_ns / calls));
      sum += std::max(held, scaled(of_device[TaskId(i)], 1 / calls));
    }
    added.push_back(sum);
    const Time before(summary.stages[i].latency_ns);
    latencies.push_back(before == Time{0} ? before : before + sum);
  }
  set_latencies(latencies, summary);
}

}  // namespace

std::vector<Device> devices_of(const Pipeline& pipeline, const std::vector<StageCost>& costs) {
  std::vector<LinkedDevice> linked;
  for (const NamedDevice& named : pipeline.deployment.devices)
    linked.emplace_back(named.name, static_cast<std::uint32_t>(named.units.value_or(1)));
  for (std::size_t i = 0; i < costs.size(); ++i) {
    const Stage& stage = pipeline.stages[i];
    if (!is_asynchronous(stage) || costs[i].interval == Time{0}) continue;
    // Frames that end before the call does are the work of the rank.
    if (!stage.device && costs[i].latency <= costs[i].cost) continue;
    if (!stage.device) linked.emplace_back(fmt::format("device of {}", stage.name), 1);
    (stage.device ? linked[*stage.device] : linked.back()).add(pipeline, i, costs[i]);
  }
  std::vector<Device> devices;
  for (LinkedDevice& each : linked)
    for (Device* const device : {&each.to, &each.device, &each.from})
      if (!device->uses.empty()) devices.push_back(std::move(*device));
  return devices;
}

void charge_devices(const Pipeline& pipeline, const std::vector<StageCost>& costs, const Schedule& schedule,
                    RunPlan& summary) {
  if (std::ranges::none_of(pipeline.stages, is_asynchronous)) return;
  note_devices(schedule, summary);
  note_contradictions(pipeline, costs, summary);
  limit_throughput(pipeline, costs, summary);
  add_latencies(pipeline, schedule, summary);
}

}  // namespace takt::pipeline
