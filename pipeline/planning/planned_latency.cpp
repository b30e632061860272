#include "pipeline/planning/planned_latency.hpp"

#include <algorithm>
#include <limits>
#include <vector>

#include "core/task_groups.hpp"
#include "logp/simulation.hpp"

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
  if (!rate || schedule.replicas == 1 || runs_in_groups(graph, schedule)) return at_rest;
  // The first frames meet a pipeline that is empty; their part is small.
  constexpr std::uint64_t rounds = 20, places = 64;
  const logp::SimulationResult seen =
      simulate(graph, machine, schedule,
               {.frames = rounds * schedule.replicas,
                .frame_interval = 1e9 / rate->hertz,
                .input_places = places + 2 * std::uint64_t{schedule.replicas}});
  const bool keeps_up = seen.lost == 0 && seen.most_input_queue <= 2 * std::uint64_t{schedule.replicas};
  return keeps_up ? std::max(at_rest, seen.latency_quantile(0.5)) : at_rest;
}

}  // namespace takt::pipeline
