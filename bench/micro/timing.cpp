/// How long does the engine take to compute a timetable and the least time after which it repeats?

#include "logp/timing.hpp"

#include <benchmark/benchmark.h>
#include <fmt/format.h>

#include "core/graphs/generators.hpp"
#include "logp/period.hpp"

namespace takt::logp {
namespace {

/// Returns an allocation in topological order, task by task: nearly every edge is a message.
Allocation cyclic_allocation(const TaskGraph& graph, const Machine& machine) {
  Allocation allocation{std::vector<std::vector<TaskId>>(machine.processor_count())};
  std::size_t next = 0;
  for (const TaskId task : graph.topological_order())
    allocation.order[next++ % machine.processor_count()].push_back(task);
  return allocation;
}

TaskGraph graph_of(std::int64_t tasks) {
  return generate(fmt::format("layered:tasks={},cost=1..100,data=1..20,seed=1", tasks));
}

void timing_task_messages(benchmark::State& state, const char* machine_text) {
  const TaskGraph graph = graph_of(state.range(0));
  const Machine machine = parse_machine(machine_text);
  const Allocation allocation = cyclic_allocation(graph, machine);
  const TaskMessageOptions options{.routed = !machine.platform().network.empty()};
  for (auto _ : state) benchmark::DoNotOptimize(time_task_messages(graph, machine, allocation, options));
  state.SetItemsProcessed(state.iterations() * static_cast<std::int64_t>(graph.edge_count()));
}
BENCHMARK_CAPTURE(timing_task_messages, logp, "logp:P=8,L=5,o=2,g=3")
    ->RangeMultiplier(8)
    ->Range(64, 4096)
    ->Unit(benchmark::kMicrosecond);
BENCHMARK_CAPTURE(timing_task_messages, links, "delay:P=8,network=hypercube:3,link=1+1")
    ->RangeMultiplier(8)
    ->Range(64, 4096)
    ->Unit(benchmark::kMicrosecond);

void timing_least_repetition(benchmark::State& state) {
  const TaskGraph graph = graph_of(state.range(0));
  const Machine machine = parse_machine("logp:P=8,L=5,o=2,g=3");
  const Schedule schedule = time_task_messages(graph, machine, cyclic_allocation(graph, machine));
  for (auto _ : state) benchmark::DoNotOptimize(with_least_repetition(machine, schedule));
}
BENCHMARK(timing_least_repetition)->RangeMultiplier(8)->Range(64, 4096)->Unit(benchmark::kMicrosecond);

}  // namespace
}  // namespace takt::logp
