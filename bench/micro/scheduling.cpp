/// How long does each scheduler take on a graph, and how does the time grow with the number of tasks?

#include <string>

#include <benchmark/benchmark.h>
#include <fmt/format.h>

#include "core/error.hpp"
#include "core/graphs/generators.hpp"
#include "schedulers/registry/registry.hpp"

namespace takt::schedulers {
namespace {

/// Returns options with a budget of steps for searches. bsa limits its sweeps itself, and the time of the
/// mapping onto a network does not count towards a scheduler.
Options options_of(const Scheduler& scheduler) {
  if (scheduler.traits.routes_messages) return {.mapping = NetworkMapping::none};
  return {.effort = 2'000};
}

void schedule(benchmark::State& state, const Scheduler& scheduler, const std::string& shape,
              const std::string& machine_text) {
  const TaskGraph graph = generate(shape);
  const logp::Machine machine = logp::parse_machine(machine_text);
  const Options options = options_of(scheduler);
  try {
    for (auto _ : state) benchmark::DoNotOptimize(scheduler.schedule(graph, machine, options));
  } catch (const ConfigError& error) {
    state.SkipWithError(error.what());
  }
  state.SetItemsProcessed(state.iterations() * static_cast<std::int64_t>(graph.task_count()));
}

const bool registered = [] {
  for (const Scheduler& scheduler : all_schedulers())
    for (const int tasks : {30, 120, 480}) {
      // Proofs use their whole budget, which is meaningless on large graphs.
      if (scheduler.name.starts_with("exact_") && tasks > 30) continue;
      const std::string shape = fmt::format("layered:tasks={},cost=1..100,data=1..20,seed=1", tasks);
      const char* const machine = scheduler.traits.routes_messages ? "delay:P=8,network=hypercube:3,link=1+1"
                                                                   : "logp:P=8,L=5,o=2,g=3";
      benchmark::RegisterBenchmark(fmt::format("scheduling/{}/{}", scheduler.name, tasks).c_str(),
                                   [&scheduler, shape, machine](benchmark::State& state) {
                                     schedule(state, scheduler, shape, machine);
                                   })
          ->Unit(benchmark::kMicrosecond);
    }
  return true;
}();

}  // namespace
}  // namespace takt::schedulers
