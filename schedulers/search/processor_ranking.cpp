#include "schedulers/search/processor_ranking.hpp"

#include <algorithm>
#include <numeric>
#include <tuple>

namespace takt::schedulers {

namespace {

/// Per class of processors.
std::vector<Time> times_of_all_work(const Workload& workload) {
  std::vector<Time> sums;
  for (std::uint32_t each = 0; each < workload.class_count(); ++each)
    sums.push_back(std::accumulate(workload.times(each).begin(), workload.times(each).end(), Time{0}));
  return sums;
}

Bytes mean_size(const TaskGraph& graph) {
  Bytes sum;
  for (DatumId datum : ids<DatumId>(graph.datum_count())) sum += graph.datum_size(datum);
  return Bytes{sum.count / std::max<std::uint64_t>(1, graph.datum_count())};
}

}  // namespace

std::vector<ProcessorId> fastest_first(const Workload& workload) {
  const std::vector<Time> times = times_of_all_work(workload);
  std::vector<ProcessorId> order;
  for (ProcessorId p : workload.machine().processors()) order.push_back(p);
  std::ranges::stable_sort(order, std::less{}, [&](ProcessorId p) { return times[workload.class_of(p)]; });
  return order;
}

std::vector<ProcessorId> nearest_first(const Workload& workload, ProcessorId first) {
  const Bytes size = mean_size(workload.items());
  // A message costs the same on all links of a kind.
  std::vector<std::pair<Time, Time>> costs;
  for (const logp::CostKind& kind : workload.machine().kinds()) {
    const Time send = kind.costs.send_overhead.at(size), receive = kind.costs.receive_overhead.at(size);
    const Time gaps = kind.costs.send_gap.at(size) + kind.costs.receive_gap.at(size);
    costs.emplace_back(send + receive, gaps);
  }
  // Of equal ones the first one in this order is taken.
  std::vector<ProcessorId> rest = fastest_first(workload), order;
  for (auto next = std::ranges::find(rest, first);;) {
    order.push_back(*next);
    rest.erase(next);
    if (rest.empty()) return order;
    next = std::ranges::min_element(
        rest, std::less{}, [&](ProcessorId p) { return costs[workload.machine().kind(order.back(), p)]; });
  }
}

}  // namespace takt::schedulers
