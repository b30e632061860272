#include "schedulers/network/bsa.hpp"

#include <algorithm>
#include <optional>
#include <tuple>

#include <fmt/format.h>

#include "schedulers/delay/assignment.hpp"
#include "schedulers/delay/critical_path.hpp"
#include "schedulers/delay/ready_queue.hpp"

namespace takt::schedulers {

namespace {

/// The serial order: the critical path as early as its predecessors allow.
class SerialOrder {
 public:
  explicit SerialOrder(const DelayModel& model)
      : graph_(model.graph()),
        level_(b_levels(model)),
        t_level_(t_levels(model)),
        listed_(graph_.task_count(), false) {
    for (TaskId task : critical_path_of(model, level_)) list_with_ancestors(task);
    ReadyQueue ready(graph_, by_falling(graph_, level_));
    while (!ready.empty()) {
      const TaskId task = ready.pop();
      if (!listed_[task.index()]) list(task);
      ready.place(task);
    }
  }

  [[nodiscard]] std::vector<TaskId> take() && { return std::move(order_); }

 private:
  void list(TaskId task) {
    listed_[task.index()] = true;
    order_.push_back(task);
  }

  void list_with_ancestors(TaskId task) {
    std::vector<TaskId> stack{task};
    while (!stack.empty()) {
      const TaskId top = stack.back();
      if (const auto parent = most_urgent_parent(top)) {
        stack.push_back(*parent);
      } else {
        stack.pop_back();
        if (!listed_[top.index()]) list(top);
      }
    }
  }

  /// Among the tasks outside the list.
  [[nodiscard]] std::optional<TaskId> most_urgent_parent(TaskId task) const {
    std::optional<TaskId> best;
    for (EdgeId edge : graph_.in_edges(task)) {
      const TaskId parent = graph_.edge(edge).from;
      if (listed_[parent.index()]) continue;
      if (!best || urgency(parent) < urgency(*best)) best = parent;
    }
    return best;
  }

  [[nodiscard]] std::tuple<Time, Time, TaskId> urgency(TaskId task) const {
    return {-level_[task.index()], t_level_[task.index()], task};
  }

  const TaskGraph& graph_;
  std::vector<Time> level_, t_level_;
  std::vector<bool> listed_;
  std::vector<TaskId> order_;
};

using Neighbours = std::vector<std::vector<ProcessorId>>;

/// Returns all processors in breadth-first order from the one with the most neighbours.
std::vector<ProcessorId> turns(const Neighbours& neighbours) {
  std::vector<ProcessorId> order;
  std::vector<bool> seen(neighbours.size(), false);
  auto visit = [&](ProcessorId p) {
    if (seen[p.index()]) return;
    seen[p.index()] = true;
    order.push_back(p);
  };
  const auto pivot = std::ranges::max_element(neighbours, {}, &std::vector<ProcessorId>::size);
  visit(ProcessorId(static_cast<std::size_t>(pivot - neighbours.begin())));
  for (std::size_t i = 0; i < order.size(); ++i)
    for (ProcessorId neighbour : neighbours[order[i].index()]) visit(neighbour);
  return order;
}

class Bubbles {
 public:
  Bubbles(const DelayModel& model, const logp::Machine& machine, const Neighbours& neighbours,
          ProcessorId pivot, Trace* trace)
      : model_(model),
        neighbours_(neighbours),
        empty_(model, machine, trace),
        order_(SerialOrder(model).take()),
        processor_of_(order_.size(), pivot) {}

  /// Returns the schedule before all pivots.
  RoutedTimetable serial() {
    RoutedSchedule routed(empty_);
    for (TaskId task : order_) routed.insert(task, processor_of_[task.index()], [] { return "injected"; });
    return std::move(routed).take();
  }

  /// Returns the schedule after one processor has been the pivot.
  RoutedTimetable turn(ProcessorId pivot) {
    RoutedSchedule routed(empty_);
    for (TaskId task : order_) {
      ProcessorId& home = processor_of_[task.index()];
      const ProcessorId before = home;
      if (home == pivot) home = better_neighbour(routed, task, pivot);
      if (home != before) ++moves_;
      routed.insert(task, home, [&] {
        return fmt::format("turn of processor {}: {}", pivot.index(),
                           home != before ? fmt::format("leaves it for processor {}", home.index())
                                          : (home == pivot ? "stays there" : "is elsewhere"));
      });
    }
    return std::move(routed).take();
  }

  /// Returns the schedule with all processors as pivots together: in the order of the current b-levels, each
  /// task moves from neighbour to neighbour as long as it ends earlier.
  RoutedTimetable common_turn() {
    order_by_levels();
    RoutedSchedule routed(empty_);
    for (TaskId task : order_) {
      ProcessorId& home = processor_of_[task.index()];
      const ProcessorId before = home;
      for (ProcessorId next = better_neighbour(routed, task, home); next != home;
           next = better_neighbour(routed, task, home))
        home = next;
      routed.insert(task, home, [&] {
        return fmt::format("turn of all processors: {}",
                           home != before ? fmt::format("goes from {} to {}", before.index(), home.index())
                                          : fmt::format("stays on {}", home.index()));
      });
    }
    return std::move(routed).take();
  }

  [[nodiscard]] std::size_t task_count() const { return order_.size(); }
  [[nodiscard]] bool is_empty(ProcessorId p) const {
    return std::ranges::find(processor_of_, p) == processor_of_.end();
  }
  /// Returns the number of moved tasks so far.
  [[nodiscard]] std::size_t moves() const { return moves_; }

 private:
  /// Returns the pivot itself if no neighbour is better.
  [[nodiscard]] ProcessorId better_neighbour(RoutedSchedule& routed, TaskId task, ProcessorId pivot) const {
    auto end = [&](ProcessorId p) {
      const Time start = routed.earliest_start(task, p);
      const Time its_end = start + model_.duration(task, p);
      routed.consider({p, start}, "end", its_end);
      return its_end;
    };
    const std::optional<ProcessorId> last_parent = processor_of_last_parent(routed, task);
    ProcessorId best = pivot;
    Time earliest = end(pivot);
    for (ProcessorId p : neighbours_[pivot.index()]) {
      const Time its = end(p);
      if (its > earliest || (its == earliest && p != last_parent)) continue;
      earliest = its;
      best = p;
    }
    return best;
  }

  /// Returns the processor of the parent whose data would arrive last from another processor.
  [[nodiscard]] std::optional<ProcessorId> processor_of_last_parent(const RoutedSchedule& routed,
                                                                    TaskId task) const {
    std::optional<TaskId> last;
    Time latest{0};
    for (EdgeId edge : model_.graph().in_edges(task)) {
      const TaskId parent = model_.graph().edge(edge).from;
      const Time arrival = routed.partial().end(parent) + model_.mean_delay(edge);
      if (last && (arrival < latest || (arrival == latest && *last < parent))) continue;
      latest = arrival;
      last = parent;
    }
    return last ? std::optional(processor_of_[last->index()]) : std::nullopt;
  }

  void order_by_levels() {
    const std::vector<Time> level = b_levels(model_, processor_of_);
    ReadyQueue ready(model_.graph(), by_falling(model_.graph(), level));
    order_.clear();
    while (!ready.empty()) {
      order_.push_back(ready.pop());
      ready.place(order_.back());
    }
  }

  const DelayModel& model_;
  const Neighbours& neighbours_;
  /// Each pass starts with a copy.
  const RoutedSchedule empty_;
  std::vector<TaskId> order_;
  std::vector<ProcessorId> processor_of_;
  std::size_t moves_ = 0;
};

/// Largest number of passes with each processor as pivot, unless the options set it, and of passes with all
/// of them together; tasks can oscillate between processors for ever.
constexpr std::uint64_t default_sweeps = 32;
/// Without options, no pass over the pivots starts after this many placements, as it would be too slow.
constexpr std::size_t most_placements = 200'000;
/// Joint passes end after this many without a shorter schedule.
constexpr std::uint64_t most_fruitless = 4;

}  // namespace

RoutedTimetable bsa(const DelayModel& model, const logp::Machine& machine, const Options& options) {
  const Neighbours around = neighbours(machine);
  const std::vector<ProcessorId> order = turns(around);
  Bubbles bubbles(model, machine, around, order.front(), options.trace);
  RoutedTimetable best = bubbles.serial();
  const auto add = [&](RoutedTimetable timetable) {
    if (timetable.length() >= best.length()) return false;
    best = std::move(timetable);
    return true;
  };
  const std::uint64_t most = std::max<std::uint64_t>(1, options.effort.value_or(default_sweeps));
  std::size_t moves_before = 0, placements = 0;
  for (std::uint64_t sweep = 0, fruitless = 0; sweep < most && fruitless < default_sweeps; ++sweep) {
    if (!options.effort && placements > most_placements) break;
    moves_before = bubbles.moves();
    ++fruitless;
    for (ProcessorId processor : order) {
      if (bubbles.is_empty(processor)) continue;
      placements += bubbles.task_count();
      if (add(bubbles.turn(processor))) fruitless = 0;
    }
    if (bubbles.moves() == moves_before) break;
  }
  for (std::uint64_t turn = 0, fruitless = 0; turn < most && fruitless < most_fruitless; ++turn)
    fruitless = add(bubbles.common_turn()) ? 0 : fruitless + 1;
  return best;
}

Schedule bsa(const TaskGraph& graph, const logp::Machine& machine, const Options& options) {
  return timed("bsa", graph, machine, bsa(DelayModel(graph, machine), machine, options));
}

}  // namespace takt::schedulers
