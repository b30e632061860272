#include "schedulers/bounds/cut_bounds.hpp"

#include <algorithm>
#include <cmath>
#include <functional>
#include <numeric>
#include <vector>

#include "schedulers/bounds/eigenvalues.hpp"
#include "schedulers/bounds/least_cost.hpp"
#include "schedulers/bounds/least_times.hpp"
#include "schedulers/bounds/max_flow.hpp"
#include "schedulers/search/components.hpp"

namespace takt::schedulers {

namespace {

constexpr std::size_t most_tasks_of_flows = 1'000, most_flows = 20, most_tasks_of_spread = 512;
/// Floating-point sums are wrong by far less than this, relatively.
constexpr double cut_tolerance = 1e-9;

bool is_for_cuts(const Workload& workload) {
  return workload.replicas() == 1 && workload.item_count() > 1 && workload.items().edge_count() > 0 &&
         workload.machine().processor_count() > 1;
}

/// What a datum costs its sender, or its receiver, in whole ticks at least.
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
      const Edge& edge = graph_.edge(id);
      flow_.add_arc(sent_node(edge.datum), edge.to.index(), MaxFlow::endless);
      flow_.add_arc(edge.to.index(), received_node(edge.datum), MaxFlow::endless);
      alone_[edge.to.index()] += cost_of(costs.receive, edge.size);
    }
  }

  /// The tasks that would cost most alone first: none is bounded by more than that.
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
  /// By task: the time and the cost of its data where it is alone on a processor.
  std::vector<MaxFlow::Amount> alone_;
};

/// The speeds of the machine, highest first; all 1 where times do not follow from them.
std::vector<double> speeds_of(const Workload& workload) {
  std::vector<double> speeds = workload.machine().platform().speeds;
  if (workload.items().has_work_table()) std::ranges::fill(speeds, 1.0);
  std::ranges::sort(speeds, std::greater{});
  return speeds;
}

/// At speed 1, one tick at least, since no task may weigh nothing; and by how much that is more than there
/// is.
struct Works {
  std::vector<double> of;
  double sum = 0, added = 0;
};

Works works_of(const Workload& workload) {
  const TaskGraph& graph = workload.items();
  const LeastTimes least(graph, workload.machine());
  Works works;
  for (TaskId task : graph.tasks()) {
    const Time time = graph.has_work_table() ? least.of(task) : graph.task(task).work;
    works.of.push_back(std::max(1.0, static_cast<double>(time.count())));
    works.sum += works.of.back();
    if (time == Time{0}) works.added += 1;
  }
  return works;
}

/// Edges that share a datum share its cost: at either end of the cut, the part of them that is cut costs no
/// more than the datum.
std::vector<double> laplacian(const TaskGraph& graph, const Works& works, double per_byte) {
  const std::size_t n = graph.task_count();
  std::vector<double> sharing(graph.datum_count(), 0), matrix(n * n, 0.0);
  for (EdgeId id : graph.edges()) ++sharing[graph.edge(id).datum.index()];
  for (EdgeId id : graph.edges()) {
    const Edge& edge = graph.edge(id);
    const std::size_t a = edge.from.index(), b = edge.to.index();
    const double weight = per_byte * static_cast<double>(edge.size.count) / sharing[edge.datum.index()];
    matrix[a * n + a] += weight / works.of[a];
    matrix[b * n + b] += weight / works.of[b];
    const double between = weight / std::sqrt(works.of[a] * works.of[b]);
    matrix[a * n + b] -= between;
    matrix[b * n + a] -= between;
  }
  return matrix;
}

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
  const Works works = works_of(workload);
  const std::vector<double> speeds = speeds_of(workload);
  const std::vector<double> values =
      smallest_eigenvalues(laplacian(graph, works, per_byte), graph.task_count(), speeds.size());
  double done = 0;
  for (std::size_t i = 0; i < values.size(); ++i) done += speeds[i] / (1 + speeds[i] * values[i]);
  // One processor has all tasks, or each that has any exchanges a message.
  double spread = works.sum / done;
  if (connected_components(graph).count == 1)
    spread = std::min(works.sum / speeds.front(),
                      spread + std::min(costs.send.constant(), costs.receive.constant()));
  return Time(static_cast<Time::rep>(std::max(0.0, std::ceil((spread - works.added) * (1 - cut_tolerance)))));
}

}  // namespace takt::schedulers
