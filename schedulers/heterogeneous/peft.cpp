#include "schedulers/heterogeneous/peft.hpp"

#include <algorithm>
#include <limits>
#include <ranges>

#include <fmt/format.h>

#include "schedulers/common/insertion_schedule.hpp"
#include "schedulers/common/ready_queue.hpp"

namespace takt::schedulers {

namespace {

/// The optimistic costs of every task on every processor, a row a task.
class OptimisticCosts {
 public:
  explicit OptimisticCosts(const DelayModel& model)
      : processors_(model.processor_count()), costs_(model.graph().task_count() * processors_, 0.0) {
    const TaskGraph& graph = model.graph();
    std::vector<double> from_here(processors_);
    for (TaskId task : std::views::reverse(graph.topological_order()))
      for (EdgeId edge : graph.out_edges(task)) {
        const TaskId child = graph.edge(edge).to;
        for (ProcessorId p : model.processors())
          from_here[p.index()] = at(child, p) + static_cast<double>(model.duration(child, p).count());
        const double elsewhere =
            *std::min_element(from_here.begin(), from_here.end()) + model.exact_mean_delay(edge);
        for (ProcessorId p : model.processors()) {
          double& cost = costs_[task.index() * processors_ + p.index()];
          cost = std::max(cost, std::min(from_here[p.index()], elsewhere));
        }
      }
  }

  [[nodiscard]] double at(TaskId task, ProcessorId p) const {
    return costs_[task.index() * processors_ + p.index()];
  }
  [[nodiscard]] double mean(TaskId task) const {
    double sum = 0;
    for (std::size_t p = 0; p < processors_; ++p) sum += at(task, ProcessorId(p));
    return sum / static_cast<double>(processors_);
  }

 private:
  std::size_t processors_;
  std::vector<double> costs_;
};

}  // namespace

Timetable peft(const DelayModel& model, const Options& options) {
  const TaskGraph& graph = model.graph();
  const OptimisticCosts costs(model);
  std::vector<double> rank(graph.task_count());
  for (TaskId task : graph.tasks()) rank[task.index()] = costs.mean(task);

  InsertionSchedule partial(model, options.trace);
  ReadyQueue ready(graph, by_falling(graph, rank));
  while (!ready.empty()) {
    const TaskId task = ready.pop();
    const Slot slot = partial.least(task, [&](Slot candidate, Time end) {
      return static_cast<double>(end.count()) + costs.at(task, candidate.processor);
    });
    partial.place(task, slot, [&] {
      return fmt::format("rank {:.3f}, optimistic cost {:.3f}", rank[task.index()],
                         costs.at(task, slot.processor));
    });
    ready.place(task);
  }
  return std::move(partial).take();
}

Schedule peft(const TaskGraph& graph, const logp::Machine& machine, const Options& options) {
  return timed("peft", graph, machine, peft(DelayModel(graph, machine), options));
}

}  // namespace takt::schedulers
