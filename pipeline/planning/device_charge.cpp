#include "pipeline/planning/device_charge.hpp"

#include <algorithm>
#include <cmath>
#include <map>
#include <utility>

#include <fmt/format.h>

#include "core/devices.hpp"

namespace takt::pipeline {

namespace {

bool is_asynchronous(const Stage& stage) {
  return stage.depth > 0;
}

Time scaled(Time time, double factor) {
  return Time(std::llround(static_cast<double>(time.count()) * factor));
}

DeviceUse use_of(const Pipeline& pipeline, std::size_t stage, const StageCost& cost, std::uint32_t units) {
  const Time work = std::min(cost.interval * static_cast<Time::rep>(units), cost.latency);
  // Plans count only the share of a call per frame.
  const double calls = pipeline.calls_a_frame(stage);
  return {.task = TaskId(stage),
          .work = scaled(work, calls),
          .transfer = scaled(cost.latency - work, calls),
          .depth = static_cast<std::uint32_t>(pipeline.stages[stage].depth)};
}

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
  std::vector<Device> devices;
  for (const NamedDevice& named : pipeline.deployment.devices)
    devices.push_back({.name = named.name, .units = static_cast<std::uint32_t>(named.units)});
  for (std::size_t i = 0; i < costs.size(); ++i) {
    const Stage& stage = pipeline.stages[i];
    if (!is_asynchronous(stage) || costs[i].interval == Time{0}) continue;
    // Frames that end before the call does are the work of the rank.
    if (!stage.device && costs[i].latency <= costs[i].cost) continue;
    if (!stage.device) devices.push_back({.name = fmt::format("device of {}", stage.name)});
    Device& device = stage.device ? devices[*stage.device] : devices.back();
    device.uses.push_back(use_of(pipeline, i, costs[i], device.units));
  }
  std::erase_if(devices, [](const Device& device) { return device.uses.empty(); });
  return devices;
}

void charge_devices(const Pipeline& pipeline, const std::vector<StageCost>& costs, const Schedule& schedule,
                    RunPlan& summary) {
  if (std::ranges::none_of(pipeline.stages, is_asynchronous)) return;
  note_devices(schedule, summary);
  limit_throughput(pipeline, costs, summary);
  add_latencies(pipeline, schedule, summary);
}

}  // namespace takt::pipeline
