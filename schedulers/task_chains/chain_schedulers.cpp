#include "schedulers/task_chains/chain_schedulers.hpp"

#include <string_view>

#include "schedulers/bounds/period_bounds.hpp"
#include "schedulers/task_chains/core_chain.hpp"
#include "schedulers/task_chains/greedy_stages.hpp"
#include "schedulers/task_chains/herad.hpp"

namespace takt::schedulers {

namespace {

template <class Cut>
Schedule in_stages(std::string_view name, const TaskGraph& graph, const logp::Machine& machine,
                   const Cut& cut) {
  if (graph.task_count() == 0) return Schedule(std::string(name), machine.processor_count());
  const ChainOnCores problem{Workload(graph, machine)};
  Schedule schedule = schedule_of(graph, machine, problem, cut(problem.chain, problem.counts()));
  schedule.scheduler = name;
  add_period_bound(graph, machine, schedule);
  return schedule;
}

}  // namespace

Schedule otac(const TaskGraph& graph, const logp::Machine& machine, const Options&) {
  return in_stages("otac", graph, machine, [](const CoreChain& chain, const CoreCounts& cores) {
    ChainStages stages = otac_stages(chain, cores[big_core], big_core);
    if (cores[little_core] == 0) return stages;
    ChainStages others = otac_stages(chain, cores[little_core], little_core);
    return chain.period(others) <= chain.period(stages) ? others : stages;
  });
}

Schedule fertac(const TaskGraph& graph, const logp::Machine& machine, const Options&) {
  return in_stages("fertac", graph, machine, [](const CoreChain& chain, const CoreCounts& cores) {
    return fertac_stages(chain, cores);
  });
}

Schedule twocatac(const TaskGraph& graph, const logp::Machine& machine, const Options&) {
  return in_stages("twocatac", graph, machine, [](const CoreChain& chain, const CoreCounts& cores) {
    return twocatac_stages(chain, cores);
  });
}

Schedule herad(const TaskGraph& graph, const logp::Machine& machine, const Options&) {
  return in_stages("herad", graph, machine, [](const CoreChain& chain, const CoreCounts& cores) {
    return herad_stages(chain, cores);
  });
}

}  // namespace takt::schedulers
