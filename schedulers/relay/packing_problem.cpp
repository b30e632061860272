#include "schedulers/relay/packing_problem.hpp"

#include <algorithm>
#include <cstddef>

#include "logp/message_costs.hpp"

namespace takt::schedulers {

PackingProblem::PackingProblem(const Workload& workload)
    : workload_(workload),
      members_(workload.class_count()),
      work_(workload.item_count(), 0),
      data_time_(workload.item_count(), 0) {
  for (ProcessorId p : workload.machine().processors()) members_[workload.class_of(p)].push_back(p);
  for (TaskId item : graph().tasks()) {
    Time least = Time::max();
    for (std::uint32_t c = 0; c < members_.size(); ++c) least = std::min(least, workload.time(item, c));
    work_[item.index()] = least.count();
    largest_ = std::max(largest_, least.count());
  }
  find_levels();
  if (!workload.machine().communication_is_free() && workload.machine().processor_count() > 1)
    find_data_times();
}

void PackingProblem::find_levels() {
  const auto order = graph().topological_order();
  for (auto* level : {&to_sink_, &from_source_}) level->assign(order.size(), 0);
  for (TaskId item : order) {
    std::int64_t& own = from_source_[item.index()];
    for (EdgeId in : graph().in_edges(item)) own = std::max(own, from_source_[graph().edge(in).from.index()]);
    own += work_[item.index()];
    longest_ = std::max(longest_, own);
  }
  for (std::size_t i = order.size(); i-- > 0;) {
    std::int64_t& own = to_sink_[order[i].index()];
    for (EdgeId out : graph().out_edges(order[i]))
      own = std::max(own, to_sink_[graph().edge(out).to.index()]);
    own += work_[order[i].index()];
  }
}

void PackingProblem::find_data_times() {
  const logp::LinkCosts& links = workload_.links(ProcessorId(0), ProcessorId(1));
  const logp::MessageCosts nothing(links, Bytes{0});
  message_ = nothing.send_overhead.count() + nothing.receive_overhead.count();
  for (EdgeId id : graph().edges()) {
    const Edge edge = graph().edge(id);
    const logp::MessageCosts costs(links, edge.size);
    data_time_[edge.from.index()] += (costs.send_overhead - nothing.send_overhead).count();
    data_time_[edge.to.index()] += (costs.receive_overhead - nothing.receive_overhead).count();
  }
}

}  // namespace takt::schedulers
