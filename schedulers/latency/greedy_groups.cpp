#include "schedulers/latency/greedy_groups.hpp"

#include <algorithm>
#include <map>

#include "core/graphs/levels.hpp"
#include "logp/period.hpp"
#include "logp/timing.hpp"
#include "schedulers/frequency/greedy.hpp"
#include "schedulers/frequency/on_links.hpp"

namespace takt::schedulers {

namespace {

constexpr std::size_t most_groups = 16;

class GroupedLayers {
 public:
  GroupedLayers(const TaskGraph& graph, const logp::Machine& machine)
      : graph_(graph), machine_(machine), layers_(tasks_by_layer(graph)) {}

  [[nodiscard]] std::size_t layer_count() const { return layers_.size(); }

  [[nodiscard]] Schedule on_groups(std::size_t groups) {
    sizes_.clear();
    const std::size_t processors = machine_.processor_count();
    for (std::size_t g = 0; g < groups; ++g)
      sizes_.push_back(processors / groups + (g < processors % groups ? 1 : 0));
    // Bisects the longest time of a segment.
    Time low{-1}, high{0};
    for (TaskId task : graph_.tasks()) high += graph_.task(task).work;
    while (high - low > Time{1}) {
      const Time middle = low + (high - low) / 2;
      (cut(middle) ? high : low) = middle;
    }
    (void)cut(high);

    logp::Allocation allocation{std::vector<std::vector<TaskId>>(processors)};
    std::size_t first = 0;
    for (std::size_t g = 0, layer = 0; g < groups; first += sizes_[g++])
      for (; layer < ends_[g]; ++layer) {
        const auto levelled = level_out(graph_, layers_[layer], sizes_[g]);
        for (std::size_t i = 0; i < levelled.size(); ++i) {
          std::vector<TaskId>& order = allocation.order[first + i];
          order.insert(order.end(), levelled[i].begin(), levelled[i].end());
        }
      }
    Schedule schedule = logp::with_least_repetition(
        machine_, logp::time_layer_messages(graph_, machine_, allocation, {.start = logp::Start::late}));
    schedule.scheduler = "greedy_groups";
    return schedule;
  }

 private:
  /// Assigns each group as many layers as fit into this time; returns whether all layers fit.
  bool cut(Time longest) {
    ends_.clear();
    std::size_t layer = 0;
    for (const std::size_t size : sizes_) {
      Time sum{0};
      for (; layer < layers_.size() && sum + time(layer, size) <= longest; ++layer) sum += time(layer, size);
      ends_.push_back(layer);
    }
    return layer == layers_.size();
  }

  /// Returns the time of a layer on this many processors.
  Time time(std::size_t layer, std::size_t processors) {
    const auto [entry, is_new] = times_.try_emplace({layer, processors});
    if (is_new)
      for (const std::vector<TaskId>& group : level_out(graph_, layers_[layer], processors)) {
        Time sum{0};
        for (TaskId task : group) sum += graph_.task(task).work;
        entry->second = std::max(entry->second, sum);
      }
    return entry->second;
  }

  const TaskGraph& graph_;
  const logp::Machine& machine_;
  std::vector<std::vector<TaskId>> layers_;
  /// Per group: its number of processors, and the layer at which its segment ends.
  std::vector<std::size_t> sizes_, ends_;
  std::map<std::pair<std::size_t, std::size_t>, Time> times_;
};

}  // namespace

std::vector<Schedule> greedy_groups(const TaskGraph& graph, const logp::Machine& machine) {
  std::vector<Schedule> schedules;
  GroupedLayers layers(graph, machine);
  const std::size_t most = std::min({machine.processor_count(), layers.layer_count(), most_groups});
  for (std::size_t groups = 2; groups <= most; ++groups)
    schedules.push_back(on_links(graph, machine, layers.on_groups(groups)));
  return schedules;
}

}  // namespace takt::schedulers
