#include "pipeline/planning/planned_latency.hpp"

#include <algorithm>
#include <limits>
#include <vector>

#include "schedulers/plan/paced_latency.hpp"

namespace takt::pipeline {

namespace {

/// When a frame came to its end in a sink, and how often that happens beside others.
struct Arrival {
  Time time{0};
  double weight = 1;
};

Time weighted_median(std::vector<Arrival> arrivals) {
  std::ranges::sort(arrivals, {}, &Arrival::time);
  double all = 0, passed = 0;
  for (const Arrival& arrival : arrivals) all += arrival.weight;
  for (const Arrival& arrival : arrivals) {
    passed += arrival.weight;
    if (2 * passed >= all) return arrival.time;
  }
  return Time{0};
}

}  // namespace

Time planned_latency(const Pipeline& pipeline, const Schedule& schedule) {
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
  std::vector<Arrival> arrivals;
  each_task(StageKind::sink, [&](const Operation& operation) {
    const double rate = pipeline.stages[operation.task().index()].output.rate_hz;
    arrivals.push_back({operation.end - begin[operation.instance], rate > 0 ? rate : 1});
  });
  return weighted_median(std::move(arrivals));
}

Time paced_latency(const Pipeline& pipeline, const TaskGraph& graph, const logp::Machine& machine,
                   const Schedule& schedule) {
  const Time at_rest = planned_latency(pipeline, schedule);
  const std::optional<Frequency> rate = pipeline.source_rate();
  if (!rate) return at_rest;
  const std::optional<Time> paced = schedulers::paced_latency(graph, machine, schedule, 1e9 / rate->hertz);
  return std::max(at_rest, paced.value_or(at_rest));
}

}  // namespace takt::pipeline
