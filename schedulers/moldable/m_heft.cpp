#include "schedulers/moldable/m_heft.hpp"

#include <algorithm>
#include <optional>
#include <queue>
#include <tuple>

#include "logp/redistribution.hpp"
#include "schedulers/moldable/group_sizes.hpp"

namespace takt::schedulers {

namespace {

constexpr double least_efficiency = 0.5;

class MixedHeft {
 public:
  MixedHeft(const TaskGraph& graph, const logp::Machine& machine, const Clusters& clusters,
            const MoldableOptions& options)
      : graph_(graph),
        machine_(machine),
        clusters_(clusters),
        allowed_(clusters.largest(), options.allocations),
        timeline_(graph, machine, clusters) {}

  Schedule schedule() && {
    const Allotment one(graph_.task_count(), 1);
    const std::vector<double> rank =
        bottom_levels(graph_, machine_, clusters_, exact_sizes(graph_, clusters_, one));
    std::vector<std::size_t> open(graph_.task_count());
    std::priority_queue<std::tuple<double, TaskId>, std::vector<std::tuple<double, TaskId>>, Later> ready;
    for (TaskId task : graph_.tasks()) {
      open[task.index()] = graph_.in_edges(task).size();
      if (open[task.index()] == 0) ready.push({rank[task.index()], task});
    }
    while (!ready.empty()) {
      const TaskId task = std::get<1>(ready.top());
      ready.pop();
      place(task);
      for (EdgeId edge : graph_.out_edges(task)) {
        const TaskId next = graph_.edge(edge).to;
        if (--open[next.index()] == 0) ready.push({rank[next.index()], next});
      }
    }
    return timeline_.schedule("m_heft");
  }

 private:
  struct Later {
    bool operator()(const std::tuple<double, TaskId>& a, const std::tuple<double, TaskId>& b) const {
      if (std::get<0>(a) != std::get<0>(b)) return std::get<0>(a) < std::get<0>(b);
      return std::get<1>(a) > std::get<1>(b);
    }
  };

  void place(TaskId task) {
    struct Best {
      double end;
      std::size_t cluster, count;
    };
    std::optional<Best> best;
    const Task& what = graph_.task(task);
    const auto work = static_cast<double>(what.work.count());
    for (std::size_t cluster = 0; cluster < clusters_.count(); ++cluster) {
      const auto& [processors, speed, fastest] = clusters_.list[cluster];
      std::vector<Time> free;
      for (ProcessorId p : processors) free.push_back(timeline_.free_from(p));
      std::ranges::sort(free);
      for (std::size_t count : allowed_.of(what)) {
        if (count > processors.size()) break;
        const double time = what.time_on(count);
        if (count > 1 && work < least_efficiency * time * static_cast<double>(count)) break;
        const double start =
            std::max(static_cast<double>(free[count - 1].count()), data_ready(task, cluster, count));
        const double end = start + time / speed;
        if (!best || end < best->end) best = Best{end, cluster, count};
      }
    }
    timeline_.place(task, timeline_.find(task, best->cluster, best->count));
  }

  [[nodiscard]] double data_ready(TaskId task, std::size_t cluster, std::size_t count) const {
    double ready = 0;
    for (EdgeId id : graph_.in_edges(task)) {
      const Edge edge = graph_.edge(id);
      const GroupPlacement& from = timeline_.placement(edge.from);
      const logp::LinkCosts& costs = machine_.costs(clusters_.list[from.cluster].processors.front(),
                                                    clusters_.list[cluster].processors.back());
      // A group of the same size can be the same one, without a redistribution.
      const bool can_stay = from.cluster == cluster && from.group.size() == count;
      const double taken =
          can_stay ? 0 : logp::estimated_redistribution(costs, from.group.size(), count, edge.size);
      ready = std::max(ready, static_cast<double>(from.end.count()) + taken);
    }
    return ready;
  }

  const TaskGraph& graph_;
  const logp::Machine& machine_;
  const Clusters& clusters_;
  AllowedNumbers allowed_;
  GroupTimeline timeline_;
};

}  // namespace

Schedule m_heft(const TaskGraph& graph, const logp::Machine& machine, const Options& options) {
  const Clusters clusters(machine);
  return MixedHeft(graph, machine, clusters, options.moldable).schedule();
}

}  // namespace takt::schedulers
