#include "schedulers/mapping/astar.hpp"

#include <algorithm>
#include <cstdint>
#include <queue>
#include <tuple>

#include "schedulers/mapping/recursive_clustering.hpp"

namespace takt::schedulers {

namespace {

/// Orders the tasks so that each exchanges the most with the tasks before it.
std::vector<TaskId> connected_order(const InteractionGraph& graph) {
  std::vector<Time> all(graph.task_count(), Time{0}), with_ordered(all);
  for (TaskId task : graph.tasks())
    for (const auto& interaction : graph.interactions(task))
      all[task.index()] += graph.mean_exchange(interaction.edge);
  // Entries with an outdated first value are skipped.
  using Entry = std::tuple<Time, Time, std::int64_t>;
  std::priority_queue<Entry> next;
  auto push = [&](TaskId task) {
    next.emplace(with_ordered[task.index()], all[task.index()], -static_cast<std::int64_t>(task.index()));
  };
  for (TaskId task : graph.tasks()) push(task);
  std::vector<TaskId> order;
  std::vector<bool> ordered(graph.task_count(), false);
  while (!next.empty()) {
    const TaskId task(static_cast<std::size_t>(-std::get<2>(next.top())));
    next.pop();
    if (ordered[task.index()]) continue;
    ordered[task.index()] = true;
    order.push_back(task);
    for (const auto& [other, edge, is_sent] : graph.interactions(task)) {
      if (ordered[other.index()]) continue;
      with_ordered[other.index()] += graph.mean_exchange(edge);
      push(other);
    }
  }
  return order;
}

class Search {
 public:
  explicit Search(const InteractionGraph& graph)
      : graph_(graph), order_(connected_order(graph)), processor_of_(graph.task_count()) {
    std::vector<std::size_t> rank_of(order_.size());
    for (std::size_t rank = 0; rank < order_.size(); ++rank) rank_of[order_[rank].index()] = rank;
    for (TaskId task : order_) {
      std::vector<Exchange>& others = exchanges_.emplace_back();
      for (const auto& interaction : graph.interactions(task))
        others.push_back({rank_of[interaction.other.index()], interaction});
    }
    least_work_after_.assign(order_.size() + 1, Time{0});
    for (std::size_t rank = order_.size(); rank-- > 0;)
      least_work_after_[rank] = least_work_after_[rank + 1] + least_work(order_[rank]);
  }

  BestMapping run(std::vector<ProcessorId> known, std::uint64_t effort) && {
    best_ = std::move(known);
    least_ = Mapping(graph_, best_).cost().largest;
    states_.push_back({});
    open_.push({Time{0}, 0, 0});
    while (!open_.empty() && open_.top().bound < least_ && effort-- > 0) {
      const auto [bound, depth, id] = open_.top();
      open_.pop();
      expand(id, depth);
    }
    return {std::move(best_), open_.empty() || open_.top().bound >= least_};
  }

 private:
  struct Exchange {
    std::size_t rank;
    InteractionGraph::Interaction interaction;
  };
  /// Processor of the last task of a state; the previous state holds those of the others.
  struct State {
    std::uint32_t before = 0;
    ProcessorId processor;
  };
  struct Entry {
    Time bound{0};
    std::uint32_t depth = 0;
    std::uint32_t state = 0;
    /// The least bound first: a heap keeps its largest on top.
    friend bool operator<(const Entry& a, const Entry& b) {
      if (a.bound != b.bound) return a.bound > b.bound;
      return a.depth != b.depth ? a.depth < b.depth : a.state > b.state;
    }
  };

  [[nodiscard]] Time least_work(TaskId task) const {
    Time least = Time::max();
    for (ProcessorId p : graph_.processors()) least = std::min(least, graph_.model().duration(task, p));
    return least;
  }

  void expand(std::uint32_t id, std::uint32_t depth) {
    for (std::uint32_t at = id, rank = depth; rank-- > 0; at = states_[at].before)
      processor_of_[rank] = states_[at].processor;
    std::vector<bool> used(graph_.processor_count(), false);
    for (std::size_t rank = 0; rank < depth; ++rank) used[processor_of_[rank].index()] = true;
    bool empty_tried = false;
    for (ProcessorId p : graph_.processors()) {
      if (!used[p.index()] && graph_.symmetric()) {
        if (empty_tried) continue;
        empty_tried = true;
      }
      processor_of_[depth] = p;
      const Time bound = bound_of(depth + 1);
      if (bound >= least_) continue;
      if (depth + 1 == order_.size()) {
        least_ = bound;
        for (std::size_t rank = 0; rank < order_.size(); ++rank)
          best_[order_[rank].index()] = processor_of_[rank];
        continue;
      }
      states_.push_back({id, p});
      open_.push({bound, depth + 1, static_cast<std::uint32_t>(states_.size() - 1)});
    }
  }

  /// Bound of the largest load of all mappings that extend this one; exact for a complete mapping.
  [[nodiscard]] Time bound_of(std::size_t mapped) const {
    std::vector<Time> load(graph_.processor_count(), Time{0});
    Time total = least_work_after_[mapped];
    for (std::size_t rank = 0; rank < mapped; ++rank) {
      const ProcessorId home = processor_of_[rank];
      Time own = graph_.model().duration(order_[rank], home);
      for (const auto& [other, interaction] : exchanges_[rank])
        if (other < mapped) own += graph_.exchange(interaction, home, processor_of_[other]);
      load[home.index()] += own;
      total += own;
    }
    // Time that an unmapped task adds to a load unless it joins the processor.
    std::vector<Time> outside(graph_.processor_count(), Time{0});
    for (std::size_t rank = mapped; rank < order_.size(); ++rank) {
      for (const auto& [other, interaction] : exchanges_[rank])
        if (other < mapped) outside[processor_of_[other].index()] += graph_.least_exchange(interaction.edge);
      for (const auto& [other, interaction] : exchanges_[rank]) {
        if (other >= mapped) continue;
        const ProcessorId p = processor_of_[other];
        load[p.index()] += std::min(outside[p.index()], graph_.model().duration(order_[rank], p));
        outside[p.index()] = Time{0};
      }
    }
    const auto processors = static_cast<Time::rep>(graph_.processor_count());
    const Time mean((total.count() + processors - 1) / processors);
    return std::max(mean, *std::max_element(load.begin(), load.end()));
  }

  const InteractionGraph& graph_;
  std::vector<TaskId> order_;
  /// By rank in the order.
  std::vector<std::vector<Exchange>> exchanges_;
  std::vector<Time> least_work_after_;
  std::vector<ProcessorId> processor_of_;
  std::vector<State> states_;
  std::priority_queue<Entry> open_;
  std::vector<ProcessorId> best_;
  Time least_{0};
};

/// Number of states, so that the search examines some 3 * 10^7 tasks and interactions.
std::uint64_t default_effort(const InteractionGraph& graph) {
  const TaskGraph& tasks = graph.model().graph();
  return 30'000'000 / ((tasks.task_count() + tasks.edge_count()) * graph.processor_count()) + 1;
}

}  // namespace

BestMapping astar(const InteractionGraph& graph, const Options& options) {
  if (graph.task_count() == 0) return {{}, true};
  const std::uint64_t effort = options.effort.value_or(default_effort(graph));
  return Search(graph).run(recursive_clustering(graph, options), effort);
}

Schedule astar(const TaskGraph& graph, const logp::Machine& machine, const Options& options) {
  const InteractionGraph interactions(graph, machine);
  return schedule_of("astar", interactions, machine, astar(interactions, options).processor_of, options);
}

}  // namespace takt::schedulers
