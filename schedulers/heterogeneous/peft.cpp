#include "schedulers/heterogeneous/peft.hpp"

#include <algorithm>
#include <limits>
#include <ranges>
#include <utility>

#include <fmt/format.h>

#include "schedulers/delay/insertion_schedule.hpp"
#include "schedulers/delay/ready_queue.hpp"

namespace takt::schedulers {

namespace {

/// The optimistic costs of every task on every processor; equal processors share them. In parts of ticks:
/// integers, which a double represents exactly up to 2^53.
class OptimisticCosts {
 public:
  explicit OptimisticCosts(const DelayModel& model)
      : model_(model),
        parts_of_tick_(static_cast<double>(model.parts_of_tick())),
        kinds_(model.row_count()),
        costs_(model.graph().task_count() * kinds_.size(), 0.0) {
    for (ProcessorId p : model.processors()) {
      kinds_[model.row(p)].any = p;
      ++kinds_[model.row(p)].count;
    }
    const TaskGraph& graph = model.graph();
    std::vector<double> from_here(kinds_.size());
    for (TaskId task : std::views::reverse(graph.topological_order()))
      for (EdgeId edge : graph.out_edges(task)) {
        const TaskId child = graph.edge(edge).to;
        for (std::size_t k = 0; k < kinds_.size(); ++k)
          from_here[k] = at(child, kinds_[k].any) + parts(model.duration(child, kinds_[k].any));
        const double elsewhere = *std::min_element(from_here.begin(), from_here.end()) +
                                 static_cast<double>(model.exact_mean_delay(edge));
        for (std::size_t k = 0; k < kinds_.size(); ++k) {
          double& cost = costs_[task.index() * kinds_.size() + k];
          cost = std::max(cost, std::min(from_here[k], elsewhere));
        }
      }
  }

  [[nodiscard]] double at(TaskId task, ProcessorId p) const {
    return costs_[task.index() * kinds_.size() + model_.row(p)];
  }
  [[nodiscard]] double parts(Time time) const { return static_cast<double>(time.count()) * parts_of_tick_; }
  [[nodiscard]] double ticks(double parts) const { return parts / parts_of_tick_; }
  /// Sum over all processors.
  [[nodiscard]] Parts sum(TaskId task) const {
    Parts sum = 0;
    for (const auto& [processor, count] : kinds_) sum += static_cast<Parts>(at(task, processor)) * count;
    return sum;
  }

 private:
  /// A class of equal processors: one of them, and their number.
  struct Kind {
    ProcessorId any;
    Parts count = 0;
  };

  const DelayModel& model_;
  double parts_of_tick_;
  std::vector<Kind> kinds_;
  std::vector<double> costs_;
};

}  // namespace

Timetable peft(const DelayModel& model, const Options& options) {
  const TaskGraph& graph = model.graph();
  const OptimisticCosts costs(model);
  // The sum orders as the mean does.
  std::vector<Parts> rank(graph.task_count());
  for (TaskId task : graph.tasks()) rank[task.index()] = costs.sum(task);

  InsertionSchedule partial(model, options.trace);
  ReadyQueue ready(graph, by_falling(graph, rank));
  while (!ready.empty()) {
    const TaskId task = ready.pop();
    const auto value = [&](Slot candidate, Time end) {
      return costs.parts(end) + costs.at(task, candidate.processor);
    };
    const Slot slot = partial.least(task, value, "end + optimistic cost", costs.parts(Time{1}));
    partial.place(task, slot, [&] {
      return fmt::format("rank {:.3f}, optimistic cost {:.3f}",
                         model.ticks(rank[task.index()]) / static_cast<double>(model.processor_count()),
                         costs.ticks(costs.at(task, slot.processor)));
    });
    ready.place(task);
  }
  return std::move(partial).take();
}

Schedule peft(const TaskGraph& graph, const logp::Machine& machine, const Options& options) {
  Timetable decided = peft(DelayModel(graph, machine), options);
  return timed("peft", graph, machine, std::move(decided));
}

}  // namespace takt::schedulers
