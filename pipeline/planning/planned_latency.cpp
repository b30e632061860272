#include "pipeline/planning/planned_latency.hpp"

#include <algorithm>
#include <limits>

#include "schedulers/plan/paced_latency.hpp"

namespace takt::pipeline {

namespace {

/// 0 of none.
Time lower_median(std::vector<Time> times) {
  if (times.empty()) return Time{0};
  const auto middle = times.begin() + static_cast<std::ptrdiff_t>((times.size() - 1) / 2);
  std::ranges::nth_element(times, middle);
  return *middle;
}

}  // namespace

std::vector<Time> planned_latencies(const Pipeline& pipeline, const Schedule& schedule) {
  std::vector<Time> begin(schedule.replicas, Time{std::numeric_limits<Time::rep>::max()});
  const auto each_task = [&](StageKind kind, auto visit) {
    for (const auto& operations : schedule.processors)
      for (const Operation& operation : operations)
        if (operation.kind == OperationKind::compute &&
            pipeline.stages[operation.task().index()].kind == kind)
          visit(operation);
  };
  each_task(StageKind::source, [&](const Operation& operation) {
    begin[operation.instance] = std::min(begin[operation.instance], operation.start);
  });
  std::vector<std::vector<Time>> taken(pipeline.stages.size());
  each_task(StageKind::sink, [&](const Operation& operation) {
    taken[operation.task().index()].push_back(operation.end - begin[operation.instance]);
  });
  std::vector<Time> medians;
  for (std::vector<Time>& each : taken) medians.push_back(lower_median(std::move(each)));
  return medians;
}

std::vector<Time> paced_latencies(const Pipeline& pipeline, const TaskGraph& graph,
                                  const logp::Machine& machine, const Schedule& schedule) {
  std::vector<Time> latencies = planned_latencies(pipeline, schedule);
  const std::optional<Frequency> rate = pipeline.source_rate();
  if (!rate) return latencies;
  const Time at_rest = std::ranges::max(latencies);
  const std::optional<Time> paced = schedulers::paced_latency(graph, machine, schedule, 1e9 / rate->hertz);
  const Time waits = std::max(Time{0}, paced.value_or(at_rest) - at_rest);
  for (std::size_t i = 0; i < latencies.size(); ++i)
    if (pipeline.stages[i].kind == StageKind::sink) latencies[i] += waits;
  return latencies;
}

}  // namespace takt::pipeline
