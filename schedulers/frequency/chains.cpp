#include "schedulers/frequency/chains.hpp"

#include "logp/timing.hpp"
#include "schedulers/bounds/period_bounds.hpp"
#include "schedulers/frequency/basic_fo.hpp"
#include "schedulers/relay/chain_partition.hpp"

namespace takt::schedulers {

Schedule chains(const TaskGraph& graph, const logp::Machine& machine, const Options& options) {
  const Workload workload(graph, machine);
  std::vector<ProcessorId> processors;
  for (ProcessorId p : machine.processors()) processors.push_back(p);
  const auto order = graph.topological_order();
  const ChainPartition partition = ChainPartitioner(workload, order, processors)
                                       .best(PeriodBounds(graph, machine, 1).best().period.time_of(1));

  logp::Allocation allocation{std::vector<std::vector<TaskId>>(machine.processor_count())};
  for (std::size_t k = 0; k < partition.chain.size(); ++k)
    allocation.order[partition.chain[k].index()].assign(
        order.begin() + static_cast<std::ptrdiff_t>(partition.cuts[k]),
        order.begin() + static_cast<std::ptrdiff_t>(partition.cuts[k + 1]));
  Schedule schedule = logp::time_relay(graph, machine, allocation, partition.chain);
  // With different links, basic_fo may skip a processor that this chain uses.
  if (!workload.links_are_equal())
    if (Schedule baseline = basic_fo(graph, machine, options);
        measure(baseline).repetition < measure(schedule).repetition)
      schedule = std::move(baseline);
  schedule.scheduler = "chains";
  add_period_bound(graph, machine, schedule);
  return schedule;
}

}  // namespace takt::schedulers
