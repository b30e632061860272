#include "schedulers/relay/boundaries.hpp"

#include <algorithm>

#include "logp/message_costs.hpp"

namespace takt::schedulers {

namespace {

/// The live data of one instance, and the cost of their message.
struct Live {
  std::size_t count = 0;
  Bytes size;
  Time::rep send = 0, receive = 0, gap = 0;

  void take_costs(const logp::LinkCosts& link) {
    send = receive = gap = 0;
    if (count == 0) return;
    const logp::MessageCosts costs(link, size);
    send = costs.send_overhead.count();
    receive = costs.receive_overhead.count();
    gap = costs.gap().count();
  }
};

}  // namespace

Boundaries find_boundaries(const Workload& workload, std::span<const TaskId> order,
                           const logp::LinkCosts& costs) {
  const TaskGraph& graph = workload.items();
  const std::size_t count = order.size();
  Boundaries result;
  result.send.assign(count + 1, 0);
  result.receive.assign(count + 1, 0);
  result.gap.assign(count + 1, 0);
  if (costs == logp::LinkCosts{} || count == 0) return result;

  std::vector<std::uint32_t> needs_left(graph.datum_count(), 0);
  for (EdgeId edge : graph.edges()) ++needs_left[graph.edge(edge).datum.index()];
  std::vector<bool> is_made(graph.datum_count(), false);

  std::vector<Live> live(workload.replicas());
  Live sum;
  auto change = [&](DatumId datum, auto&& apply) {
    Live& of_instance = live[workload.instance_of(datum)];
    const Live before = of_instance;
    apply(of_instance);
    of_instance.take_costs(costs);
    sum.send += of_instance.send - before.send;
    sum.receive += of_instance.receive - before.receive;
    sum.gap += of_instance.gap - before.gap;
  };
  for (std::size_t i = 0; i < count; ++i) {
    for (EdgeId in : graph.in_edges(order[i])) {
      const DatumId datum = graph.edge(in).datum;
      if (--needs_left[datum.index()] > 0) continue;
      change(datum, [&](Live& of_instance) {
        --of_instance.count;
        of_instance.size = Bytes{of_instance.size.count - graph.datum_size(datum).count};
      });
    }
    for (EdgeId out : graph.out_edges(order[i])) {
      const DatumId datum = graph.edge(out).datum;
      if (is_made[datum.index()]) continue;
      is_made[datum.index()] = true;
      change(datum, [&](Live& of_instance) {
        ++of_instance.count;
        of_instance.size += graph.datum_size(datum);
      });
    }
    result.send[i + 1] = sum.send;
    result.receive[i + 1] = sum.receive;
    result.gap[i + 1] = sum.gap;
  }
  return result;
}

}  // namespace takt::schedulers
