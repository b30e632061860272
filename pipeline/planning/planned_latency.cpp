#include "pipeline/planning/planned_latency.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "pipeline/planning/stage_sources.hpp"
#include "schedulers/plan/paced_latency.hpp"

namespace takt::pipeline {

namespace {

Time lower_median(std::vector<Time> times) {
  const auto middle = times.begin() + static_cast<std::ptrdiff_t>((times.size() - 1) / 2);
  std::ranges::nth_element(times, middle);
  return *middle;
}

}  // namespace

std::vector<Time> planned_latencies(const Pipeline& pipeline, const Schedule& schedule) {
  const std::size_t stages = pipeline.stages.size();
  constexpr Time never{std::numeric_limits<Time::rep>::max()};
  // By stage and frame of the iteration.
  std::vector<std::vector<Time>> starts(stages, std::vector<Time>(schedule.replicas, never));
  std::vector<std::vector<const Operation*>> ends(stages);
  for (const auto& operations : schedule.processors)
    for (const Operation& operation : operations) {
      if (operation.kind != OperationKind::compute) continue;
      const std::size_t stage = operation.task().index();
      Time& start = starts[stage][operation.instance];
      start = std::min(start, operation.start);
      if (pipeline.stages[stage].kind == StageKind::sink) ends[stage].push_back(&operation);
    }
  const auto inputs_of = [&](std::size_t stage) -> const std::vector<std::size_t>& {
    return pipeline.stages[stage].inputs;
  };
  std::vector<Time> medians(stages);
  for (std::size_t sink = 0; sink < stages; ++sink) {
    if (ends[sink].empty()) continue;
    const std::vector<std::size_t> sources = upstream_sources(sink, inputs_of);
    std::vector<Time> taken;
    for (const Operation* end : ends[sink]) {
      Time begin = never;
      for (const std::size_t source : sources) begin = std::min(begin, starts[source][end->instance]);
      taken.push_back(end->end - begin);
    }
    medians[sink] = lower_median(std::move(taken));
  }
  return medians;
}

std::vector<Time> paced_latencies(const Pipeline& pipeline, const TaskGraph& graph,
                                  const logp::Machine& machine, const Schedule& schedule) {
  std::vector<Time> latencies = planned_latencies(pipeline, schedule);
  const std::optional<Frequency> rate = pipeline.source_rate();
  if (!rate) return latencies;
  std::vector<TaskId> sinks;
  for (std::size_t i = 0; i < latencies.size(); ++i)
    if (latencies[i] > Time{0}) sinks.emplace_back(i);
  const std::optional<std::vector<Time>> paced =
      schedulers::paced_latencies_to(sinks, graph, machine, schedule, 1e9 / rate->hertz);
  if (!paced) return latencies;
  for (std::size_t k = 0; k < sinks.size(); ++k)
    latencies[sinks[k].index()] = std::max(latencies[sinks[k].index()], (*paced)[k]);
  return latencies;
}

void count_whole_calls(RunPlan& summary) {
  // Stages come after their inputs.
  std::vector<Time> added, latencies;
  for (const PlannedStage& stage : summary.stages) {
    Time of_inputs{0};
    for (const std::size_t input : stage.inputs) of_inputs = std::max(of_inputs, added[input]);
    const auto own = Time(std::llround((1 - stage.calls_a_frame) * static_cast<double>(stage.cost_ns)));
    added.push_back(of_inputs + std::max(Time{0}, own));
    latencies.push_back(stage.latency_ns == 0 ? Time{0} : Time(stage.latency_ns) + added.back());
  }
  set_latencies(latencies, summary);
}

}  // namespace takt::pipeline
