/// How long does the check of a schedule take?

#include <benchmark/benchmark.h>
#include <fmt/format.h>

#include "core/graphs/generators.hpp"
#include "logp/diagnostics.hpp"
#include "schedulers/registry/registry.hpp"

namespace takt::schedulers {
namespace {

void checker(benchmark::State& state, const char* machine_text) {
  const TaskGraph graph =
      generate(fmt::format("layered:tasks={},cost=1..100,data=1..20,seed=1", state.range(0)));
  const logp::Machine machine = logp::parse_machine(machine_text);
  const Schedule schedule = find_scheduler("heft").schedule(graph, machine, {});
  for (auto _ : state)
    if (!logp::diagnose(graph, machine, schedule).empty()) state.SkipWithError("the schedule is not valid");
  state.SetItemsProcessed(state.iterations() * state.range(0));
}
BENCHMARK_CAPTURE(checker, logp, "logp:P=8,L=5,o=2,g=3")
    ->RangeMultiplier(8)
    ->Range(64, 4096)
    ->Unit(benchmark::kMicrosecond);
BENCHMARK_CAPTURE(checker, links, "delay:P=8,network=hypercube:3,link=1+1")
    ->RangeMultiplier(8)
    ->Range(64, 4096)
    ->Unit(benchmark::kMicrosecond);

}  // namespace
}  // namespace takt::schedulers
