#pragma once
/// The least period of pipelined schedules by brute force. Shares no code with the schedulers.

#include <algorithm>
#include <set>
#include <utility>
#include <vector>

#include "core/graphs/task_graph.hpp"
#include "logp/machine.hpp"

namespace takt::schedulers {

/// The least over all allocations of the largest load: a processor's tasks and its sends and receives of each
/// datum for each other processor, which take the size of the datum each.
inline Time least_largest_load(const TaskGraph& graph, const logp::Machine& machine, bool messages_cost) {
  const std::size_t tasks = graph.task_count(), processors = machine.processor_count();
  std::vector<std::size_t> at(tasks, 0);
  Time best = Time::max();
  for (;;) {
    std::vector<Time> load(processors, Time{0});
    for (TaskId task : graph.tasks())
      load[at[task.index()]] += machine.duration(graph, task, ProcessorId(at[task.index()]));
    std::set<std::pair<DatumId, std::size_t>> sent;
    for (EdgeId id : graph.edges()) {
      const auto [from, to, size, datum] = graph.edge(id);
      const std::size_t sender = at[from.index()], receiver = at[to.index()];
      if (!messages_cost || sender == receiver || !sent.emplace(datum, receiver).second) continue;
      load[sender] += Time(static_cast<Time::rep>(size.count));
      load[receiver] += Time(static_cast<Time::rep>(size.count));
    }
    best = std::min(best, *std::ranges::max_element(load));
    std::size_t i = 0;
    while (i < tasks && ++at[i] == processors) at[i++] = 0;
    if (i == tasks) return best;
  }
}

}  // namespace takt::schedulers
