#include "schedulers/bounds/cut_bounds.hpp"

#include <algorithm>
#include <cmath>
#include <functional>
#include <numeric>
#include <vector>

#include "schedulers/bounds/cut_matrix.hpp"
#include "schedulers/bounds/eigenvalues.hpp"
#include "schedulers/bounds/least_cost.hpp"
#include "schedulers/bounds/least_times.hpp"
#include "schedulers/bounds/max_flow.hpp"
#include "schedulers/search/components.hpp"

namespace takt::schedulers {

namespace {

constexpr std::size_t most_tasks_of_flows = 1'000, most_flows = 20, most_tasks_of_spread = 512;
/// Relative error bound of floating-point sums.
constexpr double cut_tolerance = 1e-9;

bool is_for_cuts(const Workload& workload) {
  return workload.replicas() == 1 && workload.item_count() > 1 && workload.items().edge_count() > 0 &&
         workload.machine().processor_count() > 1;
}

/// Least cost of a datum for its sender, or its receiver, in whole ticks.
MaxFlow::Amount cost_of(const LeastTotal& total, Bytes size) {
  constexpr double most = 1e15;
  return static_cast<MaxFlow::Amount>(
      std::min(most, total.per_byte() * static_cast<double>(size.count) * (1 - cut_tolerance)));
}

class TaskCuts {
 public:
  explicit TaskCuts(const Workload& workload)
      : graph_(workload.items()),
        sink_(graph_.task_count() + 2 * graph_.datum_count()),
        flow_(sink_ + 1),
        alone_(graph_.task_count(), 0) {
    const LeastTimes least(graph_, workload.machine());
    const LeastMessageCosts costs(workload);
    for (TaskId task : graph_.tasks()) {
      flow_.add_arc(task.index(), sink_, least.of(task).count());
      alone_[task.index()] = least.of(task).count();
    }
    for (DatumId datum : ids<DatumId>(graph_.datum_count())) {
      const std::size_t maker = graph_.datum_task(datum).index();
      const MaxFlow::Amount sent = cost_of(costs.send, graph_.datum_size(datum));
      flow_.add_arc(maker, sent_node(datum), sent);
      flow_.add_arc(received_node(datum), maker, cost_of(costs.receive, graph_.datum_size(datum)));
      alone_[maker] += sent;
    }
    for (EdgeId id : graph_.edges()) {
      const Edge edge = graph_.edge(id);
      flow_.add_arc(sent_node(edge.datum), edge.to.index(), MaxFlow::endless);
      flow_.add_arc(edge.to.index(), received_node(edge.datum), MaxFlow::endless);
      alone_[edge.to.index()] += cost_of(costs.receive, edge.size);
    }
  }

  /// Starts with the tasks of the highest cost alone, which bounds a task's result from above.
  Time largest() {
    std::vector<std::size_t> order(graph_.task_count());
    std::iota(order.begin(), order.end(), std::size_t{0});
    std::ranges::stable_sort(order, std::greater{}, [this](std::size_t task) { return alone_[task]; });
    MaxFlow::Amount largest = 0;
    for (std::size_t i = 0; i < std::min(most_flows, order.size()) && alone_[order[i]] > largest; ++i)
      largest = std::max(largest, flow_.between(order[i], sink_));
    return Time(largest);
  }

 private:
  [[nodiscard]] std::size_t sent_node(DatumId datum) const { return graph_.task_count() + 2 * datum.index(); }
  [[nodiscard]] std::size_t received_node(DatumId datum) const { return sent_node(datum) + 1; }

  const TaskGraph& graph_;
  std::size_t sink_;
  MaxFlow flow_;
  /// Per task: its time and the cost of its data if it is alone on a processor.
  std::vector<MaxFlow::Amount> alone_;
};

}  // namespace

Time task_cut_bound(const Workload& workload) {
  if (!is_for_cuts(workload) || workload.item_count() > most_tasks_of_flows) return Time{0};
  return TaskCuts(workload).largest();
}

Time spread_bound(const Workload& workload) {
  if (!is_for_cuts(workload) || workload.item_count() > most_tasks_of_spread) return Time{0};
  const TaskGraph& graph = workload.items();
  const LeastMessageCosts costs(workload);
  const double per_byte = std::min(costs.send.per_byte(), costs.receive.per_byte());
  if (per_byte <= 0) return Time{0};
  const CutWorks works(workload);
  const std::vector<double> speeds = falling_speeds(workload), no_shift(graph.task_count(), 0.0);
  const std::vector<double> values = smallest_eigenvalues(CutMatrix(graph, works, per_byte).dense(no_shift),
                                                          graph.task_count(), speeds.size());
  double done = 0;
  for (std::size_t i = 0; i < values.size(); ++i) done += speeds[i] / (1 + speeds[i] * values[i]);
  // Either one processor has all tasks, or each used one exchanges a message.
  double spread = works.sum / done;
  if (connected_components(graph).count == 1)
    spread = std::min(works.sum / speeds.front(),
                      spread + std::min(costs.send.constant(), costs.receive.constant()));
  return Time(static_cast<Time::rep>(std::max(0.0, std::ceil((spread - works.added) * (1 - cut_tolerance)))));
}

}  // namespace takt::schedulers
