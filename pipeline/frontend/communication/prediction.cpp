#include "pipeline/frontend/communication/prediction.hpp"

#include <set>
#include <utility>
#include <vector>

#include "logp/timing.hpp"
#include "pipeline/frontend/reading/task_graph.hpp"

namespace takt::frontend {

TaskGraph rank_graph(const Program& program, std::span<const Time> work, const ParallelProgram& parallel) {
  const std::vector<std::uint32_t> rank_of = parallel.assignment.rank_of_call(program);
  TaskGraphBuilder builder;
  builder.reserve(program.calls.size());
  for (const CallId call : ids<CallId>(program.calls.size()))
    (void)builder.add_task({.name = task_name(program, call), .work = work[call.index()]});
  for (const Transfer& transfer : parallel.transfers) {
    Bytes size{0};
    std::set<CallId> readers;
    for (const FlowId id : transfer.flows) {
      const Flow& flow = program.flows[id.index()];
      size.count += flow.size();
      for (const CallId reader : flow.to)
        if (rank_of[reader.index()] == transfer.to) readers.insert(reader);
    }
    // All flows of a transfer come from one call.
    const DatumId datum =
        builder.add_datum(TaskId(program.flows[transfer.flows.front().index()].from.index()), size);
    for (const CallId reader : readers) (void)builder.add_edge(datum, TaskId(reader.index()));
  }
  for (const Flow& flow : program.flows) {
    std::vector<CallId> local;
    for (const CallId reader : flow.to)
      if (rank_of[reader.index()] == rank_of[flow.from.index()]) local.push_back(reader);
    if (local.empty()) continue;
    const DatumId datum = builder.add_datum(TaskId(flow.from.index()), Bytes{flow.size()});
    for (const CallId reader : local) (void)builder.add_edge(datum, TaskId(reader.index()));
  }
  return std::move(builder).build();
}

Schedule predict_times(const Program& program, std::span<const Time> work, const ParallelProgram& parallel,
                       const logp::Machine& machine) {
  logp::Allocation allocation{.order = std::vector<std::vector<TaskId>>(parallel.ranks.size())};
  for (std::size_t rank = 0; rank < parallel.ranks.size(); ++rank)
    for (const CallId call : parallel.assignment.ranks[rank])
      allocation.order[rank].emplace_back(call.index());
  return logp::time_task_messages(rank_graph(program, work, parallel), machine, allocation,
                                  {.aggregate = false});
}

}  // namespace takt::frontend
