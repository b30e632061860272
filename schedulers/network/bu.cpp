#include "schedulers/network/bu.hpp"

#include <algorithm>
#include <optional>
#include <string>

#include <fmt/format.h>

#include "core/graphs/levels.hpp"
#include "schedulers/delay/assignment.hpp"
#include "schedulers/delay/critical_path.hpp"
#include "schedulers/delay/ready_queue.hpp"
#include "schedulers/network/even_hops.hpp"

namespace takt::schedulers {

namespace {

/// Assigns tasks to processors, each after its successors.
class BottomUp {
 public:
  /// With `is_traced`, also records the reason for each task's processor.
  BottomUp(const DelayModel& model, bool is_traced)
      : model_(model),
        graph_(model.graph()),
        processor_of_(graph_.task_count()),
        level_(graph_.task_count(), Time{0}),
        load_(model.processor_count(), Time{0}),
        reasons_(is_traced ? graph_.task_count() : 0) {}

  void run() {
    const std::vector<TaskId> path = critical_path_of(model_, b_levels(model_));
    const ProcessorId path_processor = fastest_for(model_, path);
    for (TaskId task : path) assign(task, path_processor, [] { return "on the critical path"; });
    std::vector<std::vector<TaskId>> layers = tasks_by_layer(graph_);
    for (std::size_t layer = layers.size(); layer-- > 0;) {
      std::vector<TaskId>& tasks = layers[layer];
      for (TaskId task : tasks) level_[task.index()] = b_level(task);
      std::stable_sort(tasks.begin(), tasks.end(),
                       [&](TaskId a, TaskId b) { return level_[a.index()] > level_[b.index()]; });
      for (TaskId task : tasks)
        if (!processor_of_[task.index()])
          assign(task, least_loaded(task), [this] { return "least of the loads " + loads_to_text(); });
      // Tasks above now see the zeroed edges within a processor.
      for (TaskId task : tasks) level_[task.index()] = b_level(task);
    }
  }

  /// Requires run().
  [[nodiscard]] std::vector<ProcessorId> processors() const {
    std::vector<ProcessorId> result;
    for (const auto& processor : processor_of_) result.push_back(*processor);
    return result;
  }
  [[nodiscard]] const std::string& reason(TaskId task) const { return reasons_[task.index()]; }

 private:
  /// Uses the tasks below it, which are all assigned.
  [[nodiscard]] Time b_level(TaskId task) const {
    Time below{0};
    const auto& home = processor_of_[task.index()];
    for (EdgeId edge : graph_.out_edges(task)) {
      const TaskId child = graph_.edge(edge).to;
      const Time delay = home && home == processor_of_[child.index()] ? Time{0} : model_.mean_delay(edge);
      below = std::max(below, delay + level_[child.index()]);
    }
    return model_.mean_duration(task) + below;
  }

  [[nodiscard]] ProcessorId least_loaded(TaskId task) const {
    ProcessorId best;
    Time least = Time::max();
    for (ProcessorId p : model_.processors()) {
      const Time after = load_[p.index()] + model_.duration(task, p);
      if (after < least) {
        least = after;
        best = p;
      }
    }
    return best;
  }

  [[nodiscard]] std::string loads_to_text() const {
    constexpr std::size_t most = 8;
    std::string text;
    for (std::size_t p = 0; p < std::min(most, load_.size()); ++p)
      text += fmt::format("{}P{} {}", p > 0 ? ", " : "", p, load_[p].count());
    if (load_.size() > most) text += fmt::format(" +{}", load_.size() - most);
    return text;
  }

  template <class Why>
  void assign(TaskId task, ProcessorId processor, Why why) {
    if (!reasons_.empty()) reasons_[task.index()] = why();
    processor_of_[task.index()] = processor;
    load_[processor.index()] += model_.duration(task, processor);
  }

  const DelayModel& model_;
  const TaskGraph& graph_;
  std::vector<std::optional<ProcessorId>> processor_of_;
  std::vector<Time> level_;
  std::vector<Time> load_;
  std::vector<std::string> reasons_;
};

}  // namespace

RoutedTimetable bu(const DelayModel& model, const logp::Machine& machine, const Options& options) {
  BottomUp assignment(model, options.trace != nullptr);
  assignment.run();
  const std::vector<ProcessorId> processor_of = even_hops(model, machine, assignment.processors());
  const std::vector<Time> level = b_levels(model, processor_of);
  RoutedSchedule routed(model, machine, options.trace);
  ReadyQueue ready(model.graph(), by_falling(model.graph(), level));
  while (!ready.empty()) {
    const TaskId task = ready.pop();
    routed.append(task, processor_of[task.index()], [&] {
      return fmt::format("b-level {}, {}", level[task.index()].count(), assignment.reason(task));
    });
    ready.place(task);
  }
  return std::move(routed).take();
}

Schedule bu(const TaskGraph& graph, const logp::Machine& machine, const Options& options) {
  return timed("bu", graph, machine, bu(DelayModel(graph, machine), machine, options));
}

}  // namespace takt::schedulers
