#include "schedulers/moldable/allotment.hpp"

#include <algorithm>
#include <cmath>
#include <queue>

#include "core/graphs/levels.hpp"

namespace takt::schedulers {

namespace {

/// Longest paths to an exit, without data, under an allotment that grows.
class StaticLevels {
 public:
  explicit StaticLevels(const TaskGraph& graph)
      : graph_(graph), place_(graph.task_count()), time_(graph.task_count()), level_(graph.task_count(), 0) {
    const auto order = graph.topological_order();
    for (std::size_t i = 0; i < order.size(); ++i) place_[order[i].index()] = i;
    for (TaskId task : graph.tasks()) time_[task.index()] = graph.task(task).time_on(1);
    for (std::size_t i = order.size(); i-- > 0;) level_[order[i].index()] = computed(order[i]);
    for (TaskId task : graph.tasks())
      if (graph.in_edges(task).empty()) entries_.push_back(task);
  }

  void set_time(TaskId task, double time) {
    if (time == time_[task.index()]) return;
    time_[task.index()] = time;
    // Tasks whose level may change, last in topological order first.
    std::priority_queue<std::size_t> open;
    open.push(place_[task.index()]);
    while (!open.empty()) {
      const std::size_t place = open.top();
      while (!open.empty() && open.top() == place) open.pop();
      const TaskId at = graph_.topological_order()[place];
      const double level = computed(at);
      if (level == level_[at.index()]) continue;
      level_[at.index()] = level;
      for (EdgeId edge : graph_.in_edges(at)) open.push(place_[graph_.edge(edge).from.index()]);
    }
  }

  [[nodiscard]] double time(TaskId task) const { return time_[task.index()]; }

  [[nodiscard]] double longest() const {
    double longest = 0;
    for (TaskId task : entries_) longest = std::max(longest, level_[task.index()]);
    return longest;
  }

  /// Collects the tasks of a longest path; of equal successors the one with the lowest number.
  void collect_path(std::vector<TaskId>& path) const {
    path.clear();
    std::optional<TaskId> at;
    for (TaskId task : entries_)
      if (!at || level_[task.index()] > level_[at->index()]) at = task;
    while (at) {
      path.push_back(*at);
      std::optional<TaskId> next;
      for (EdgeId edge : graph_.out_edges(path.back())) {
        const TaskId to = graph_.edge(edge).to;
        if (!next || level_[to.index()] > level_[next->index()] ||
            (level_[to.index()] == level_[next->index()] && to < *next))
          next = to;
      }
      at = next;
    }
  }

 private:
  [[nodiscard]] double computed(TaskId task) const {
    double after = 0;
    for (EdgeId edge : graph_.out_edges(task)) after = std::max(after, level_[graph_.edge(edge).to.index()]);
    return after + time_[task.index()];
  }

  const TaskGraph& graph_;
  std::vector<std::size_t> place_;
  std::vector<double> time_, level_;
  std::vector<TaskId> entries_;
};

}  // namespace

AllowedNumbers::AllowedNumbers(std::size_t limit, std::optional<std::size_t> count) {
  if (!count || *count >= limit) {
    for (std::size_t p = 1; p <= limit; ++p) numbers_.push_back(p);
    return;
  }
  // Increasing numbers, so that the remaining ratios up to the limit are equal; none twice.
  numbers_.push_back(1);
  for (std::size_t left = *count - 1; left > 0; --left) {
    const auto last = static_cast<double>(numbers_.back());
    const double ratio = std::pow(static_cast<double>(limit) / last, 1 / static_cast<double>(left));
    numbers_.push_back(std::max(numbers_.back() + 1, static_cast<std::size_t>(std::lround(last * ratio))));
  }
}

std::span<const std::size_t> AllowedNumbers::of(const Task& task) const {
  const std::size_t most = task.most_processors(numbers_.back());
  const auto end = std::ranges::lower_bound(numbers_, most);
  return std::span(numbers_).first(static_cast<std::size_t>(end - numbers_.begin()) + 1);
}

std::size_t AllowedNumbers::round_down(std::size_t processors) const {
  return *std::prev(std::ranges::upper_bound(numbers_, processors));
}

double critical_path(const TaskGraph& graph, std::span<const std::size_t> allotment) {
  std::vector<double> end(graph.task_count(), 0);
  double longest = 0;
  for (TaskId task : graph.topological_order()) {
    double start = 0;
    for (EdgeId edge : graph.in_edges(task)) start = std::max(start, end[graph.edge(edge).from.index()]);
    end[task.index()] = start + graph.task(task).time_on(allotment[task.index()]);
    longest = std::max(longest, end[task.index()]);
  }
  return longest;
}

double total_work(const TaskGraph& graph, std::span<const std::size_t> allotment) {
  double work = 0;
  for (TaskId task : graph.tasks()) {
    const std::size_t processors = allotment[task.index()];
    work += graph.task(task).time_on(processors) * static_cast<double>(processors);
  }
  return work;
}

Allotment allot_by_critical_path(const TaskGraph& graph, const AllowedNumbers& allowed, const CpaRules& rules,
                                 const Allotment& begin) {
  std::vector<std::size_t> step(graph.task_count(), 0);
  const std::vector<std::size_t> layers = layers_of(graph);
  std::vector<std::size_t> in_layer(graph.task_count() + 1, 0);
  StaticLevels levels(graph);
  const auto numbers_of = [&](TaskId task) { return allowed.of(graph.task(task)); };
  double work = 0;
  for (TaskId task : graph.tasks()) {
    const auto numbers = numbers_of(task);
    std::size_t& at = step[task.index()];
    if (!begin.empty())
      at = static_cast<std::size_t>(std::ranges::lower_bound(numbers, begin[task.index()]) - numbers.begin());
    at = std::min(at, numbers.size() - 1);
    levels.set_time(task, graph.task(task).time_on(numbers[at]));
    work += levels.time(task) * static_cast<double>(numbers[at]);
    in_layer[layers[task.index()]] += numbers[at];
  }
  const auto work_after = [&](TaskId task, std::size_t now, std::size_t next) {
    return work + graph.task(task).time_on(next) * static_cast<double>(next) -
           levels.time(task) * static_cast<double>(now);
  };
  std::vector<TaskId> path;
  while (levels.longest() > work / rules.area_divisor) {
    levels.collect_path(path);
    std::optional<TaskId> chosen;
    double best = 0;
    for (TaskId task : path) {
      const auto numbers = numbers_of(task);
      const std::size_t at = step[task.index()];
      if (at + 1 >= numbers.size()) continue;
      const std::size_t now = numbers[at], next = numbers[at + 1];
      if (next > rules.most || work_after(task, now, next) > rules.work_limit) continue;
      if (rules.layer_limit && in_layer[layers[task.index()]] + (next - now) > *rules.layer_limit) continue;
      const double gain = levels.time(task) / static_cast<double>(now) -
                          graph.task(task).time_on(next) / static_cast<double>(next);
      if (gain > best || (chosen && gain == best && task < *chosen)) {
        best = gain;
        chosen = task;
      }
    }
    if (!chosen) break;
    const auto numbers = numbers_of(*chosen);
    std::size_t& at = step[chosen->index()];
    work = work_after(*chosen, numbers[at], numbers[at + 1]);
    in_layer[layers[chosen->index()]] += numbers[at + 1] - numbers[at];
    levels.set_time(*chosen, graph.task(*chosen).time_on(numbers[at + 1]));
    ++at;
  }
  Allotment allotment(graph.task_count());
  for (TaskId task : graph.tasks()) allotment[task.index()] = numbers_of(task)[step[task.index()]];
  return allotment;
}

}  // namespace takt::schedulers
