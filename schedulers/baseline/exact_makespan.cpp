#include "schedulers/baseline/exact_makespan.hpp"

#include <algorithm>
#include <map>
#include <optional>
#include <tuple>
#include <utility>

#include <fmt/format.h>

#include "schedulers/baseline/exact_fork.hpp"
#include "schedulers/bounds/area_bound.hpp"
#include "schedulers/delay/assignment.hpp"
#include "schedulers/delay/critical_path.hpp"
#include "schedulers/delay/partial_schedule.hpp"

namespace takt::schedulers {

namespace {

/// Larger graphs are not searched.
constexpr std::size_t largest_graph = 256;

/// As many partial schedules as take a second or so.
std::uint64_t default_effort(const DelayModel& model) {
  constexpr std::uint64_t tasks_looked_at = 100'000'000;
  return tasks_looked_at / (model.graph().task_count() * model.processor_count() + 1);
}

/// All on the processor that is the fastest for all together.
Timetable sequential(const DelayModel& model) {
  const auto order = model.graph().topological_order();
  const ProcessorId fastest = fastest_for(model, {order.begin(), order.end()});
  return place_assigned(model, std::vector<ProcessorId>(order.size(), fastest));
}

/// Of equals the first one.
Timetable best_start(const DelayModel& model, std::span<const MakespanStart> starts) {
  std::optional<Timetable> best;
  const auto add = [&](Timetable other) {
    if (!best || other.length() < best->length()) best = std::move(other);
  };
  const auto add_all = [&](bool for_small_graphs) {
    for (const MakespanStart& start : starts)
      if (start.is_for_small_graphs == for_small_graphs) add(start.decide(model, {}));
  };
  add_all(false);
  add(sequential(model));
  if (model.graph().task_count() <= largest_graph) add_all(true);
  return *std::move(best);
}

/// Facts about one graph on one machine that the search looks up.
class Problem {
 public:
  explicit Problem(const DelayModel& delays) : model(delays) {
    const TaskGraph& graph = model.graph();
    least_.resize(graph.task_count());
    level_.resize(graph.task_count());
    rank_.resize(graph.task_count());
    const auto order = graph.topological_order();
    for (std::size_t i = order.size(); i-- > 0;) {
      const TaskId task = order[i];
      Time least = Time::max(), below{0};
      for (ProcessorId p : model.processors()) least = std::min(least, model.duration(task, p));
      for (EdgeId edge : graph.out_edges(task)) below = std::max(below, level(graph.edge(edge).to));
      least_[task.index()] = least;
      level_[task.index()] = least + below;
      rank_[task.index()] = i;
      work_ += least;
      critical_ = std::max(critical_, level(task));
    }
  }

  /// Least duration over the processors, and the longest path of those to an exit.
  [[nodiscard]] Time least_duration(TaskId task) const { return least_[task.index()]; }
  [[nodiscard]] Time level(TaskId task) const { return level_[task.index()]; }
  /// Place in the topological order.
  [[nodiscard]] std::size_t rank(TaskId task) const { return rank_[task.index()]; }
  /// Sum of the least durations.
  [[nodiscard]] Time work() const { return work_; }

  [[nodiscard]] Time bound() const {
    return std::max(critical_, area_bound(std::vector<Time>(model.processor_count(), Time{0}), work_));
  }

  /// For each task the one before it in topological order among those with the same durations, parents,
  /// children and data sizes.
  [[nodiscard]] std::vector<std::optional<TaskId>> alike_before() const {
    const TaskGraph& graph = model.graph();
    using Neighbour = std::tuple<bool, TaskId, Bytes>;
    std::map<std::pair<std::vector<Time>, std::vector<Neighbour>>, TaskId> last;
    std::vector<std::optional<TaskId>> before(graph.task_count());
    for (TaskId task : graph.topological_order()) {
      std::vector<Time> durations;
      for (ProcessorId p : model.processors()) durations.push_back(model.duration(task, p));
      std::vector<Neighbour> neighbours;
      for (EdgeId edge : graph.in_edges(task))
        neighbours.emplace_back(false, graph.edge(edge).from, graph.edge(edge).size);
      for (EdgeId edge : graph.out_edges(task))
        neighbours.emplace_back(true, graph.edge(edge).to, graph.edge(edge).size);
      std::sort(neighbours.begin(), neighbours.end());
      const auto [found, is_new] = last.try_emplace({std::move(durations), std::move(neighbours)}, task);
      if (!is_new) before[task.index()] = std::exchange(found->second, task);
    }
    return before;
  }

  const DelayModel& model;

 private:
  std::vector<Time> least_, level_;
  std::vector<std::size_t> rank_;
  Time work_{0}, critical_{0};
};

class Search {
 public:
  Search(const Problem& problem, Timetable first, std::uint64_t effort)
      : problem_(problem),
        model_(problem.model),
        graph_(model_.graph()),
        alike_before_(problem.alike_before()),
        effort_(effort),
        length_(first.length()),
        best_(std::move(first)),
        partial_(graph_.task_count()),
        placed_(graph_.task_count(), false),
        open_parents_(graph_.task_count()),
        earliest_(graph_.task_count()),
        ready_time_(model_.processor_count(), Time{0}),
        count_on_(model_.processor_count(), 0),
        left_(problem.work()) {
    for (TaskId task : graph_.tasks()) open_parents_[task.index()] = graph_.in_edges(task).size();
  }

  ExactMakespan run() && {
    const Time bound = problem_.bound();
    if (length_ > bound) extend(0, {});
    const bool complete = effort_ > 0;
    return {std::move(best_), complete ? length_ : std::min(bound, length_)};
  }

 private:
  /// Tasks are placed in ascending order of these keys.
  using Key = std::tuple<Time, Time, std::size_t>;
  struct Step {
    TaskId task;
    ProcessorId processor;
    Time start{0};
    Time end{0};
  };

  [[nodiscard]] Key key(const Step& step) const { return {step.start, step.end, problem_.rank(step.task)}; }

  /// Tries all ways to go on from the partial schedule, whose last task has the key `last`.
  void extend(std::size_t placed, const Key& last) {
    if (placed == graph_.task_count()) {
      // Bounds count least durations, so that the last tasks may end later than they said.
      if (partial_.length() >= length_) return;
      length_ = partial_.length();
      best_ = partial_;
      return;
    }
    if (effort_ == 0 || --effort_ == 0) return;
    if (bound(std::get<0>(last)) >= length_) return;
    for (const Step& step : steps(last)) {
      if (step.start + problem_.level(step.task) >= length_) continue;
      place(step);
      extend(placed + 1, key(step));
      take_back(step);
      if (effort_ == 0 || length_ == problem_.bound()) return;
    }
  }

  /// When the data of the task's placed parents is on the processor.
  [[nodiscard]] Time arrival(TaskId task, ProcessorId processor) const {
    Time latest{0};
    for (EdgeId edge : graph_.in_edges(task)) {
      const std::size_t parent = graph_.edge(edge).from.index();
      if (!placed_[parent]) continue;
      latest =
          std::max(latest, partial_.end[parent] + model_.delay(edge, partial_.processor[parent], processor));
    }
    return latest;
  }

  /// No schedule that goes on from here, with no start before `since`, is shorter.
  Time bound(Time since) {
    Time bound = *std::max_element(ready_time_.begin(), ready_time_.end());
    std::vector<Time> free(model_.processor_count(), Time::max());
    for (TaskId task : graph_.topological_order()) {
      if (placed_[task.index()]) continue;
      // The data of its placed parents must come to where it runs; unplaced ones may end there.
      Time after_parents{0};
      for (EdgeId edge : graph_.in_edges(task)) {
        const TaskId parent = graph_.edge(edge).from;
        if (!placed_[parent.index()])
          after_parents =
              std::max(after_parents, earliest_[parent.index()] + problem_.least_duration(parent));
      }
      Time& earliest = earliest_[task.index()];
      earliest = Time::max();
      Time level = Time::max();
      for (ProcessorId p : model_.processors()) {
        const Time start = std::max({since, ready_time_[p.index()], arrival(task, p), after_parents});
        earliest = std::min(earliest, start);
        level = std::min(level, start + model_.duration(task, p));
        free[p.index()] = std::min(free[p.index()], start);
      }
      bound = std::max(bound, level + problem_.level(task) - problem_.least_duration(task));
    }
    return std::max(bound, area_bound(std::move(free), left_));
  }

  /// The tasks that can come next, where, the most promising first.
  [[nodiscard]] std::vector<Step> steps(const Key& last) const {
    std::vector<Step> steps;
    for (TaskId task : graph_.tasks()) {
      if (placed_[task.index()] || open_parents_[task.index()] > 0) continue;
      if (const auto& before = alike_before_[task.index()]; before && !placed_[before->index()]) continue;
      bool tried_empty = false;
      for (ProcessorId p : model_.processors()) {
        const bool empty = count_on_[p.index()] == 0 && model_.homogeneous();
        if (empty && std::exchange(tried_empty, true)) continue;
        const Time start = std::max(ready_time_[p.index()], arrival(task, p));
        const Step step{task, p, start, start + model_.duration(task, p)};
        if (key(step) >= last) steps.push_back(step);
      }
    }
    auto promise = [this](const Step& step) {
      return std::tuple(step.start, -problem_.level(step.task), step.task, step.processor);
    };
    std::sort(steps.begin(), steps.end(),
              [&](const Step& a, const Step& b) { return promise(a) < promise(b); });
    return steps;
  }

  void place(const Step& step) {
    const std::size_t task = step.task.index(), p = step.processor.index();
    placed_[task] = true;
    partial_.processor[task] = step.processor;
    partial_.start[task] = step.start;
    partial_.end[task] = step.end;
    previous_ready_.push_back(std::exchange(ready_time_[p], step.end));
    ++count_on_[p];
    left_ -= problem_.least_duration(step.task);
    for (EdgeId edge : graph_.out_edges(step.task)) --open_parents_[graph_.edge(edge).to.index()];
  }

  void take_back(const Step& step) {
    for (EdgeId edge : graph_.out_edges(step.task)) ++open_parents_[graph_.edge(edge).to.index()];
    left_ += problem_.least_duration(step.task);
    --count_on_[step.processor.index()];
    ready_time_[step.processor.index()] = previous_ready_.back();
    previous_ready_.pop_back();
    placed_[step.task.index()] = false;
  }

  const Problem& problem_;
  const DelayModel& model_;
  const TaskGraph& graph_;
  std::vector<std::optional<TaskId>> alike_before_;
  /// Partial schedules that may still be looked at.
  std::uint64_t effort_;
  Time length_;
  Timetable best_;

  Timetable partial_;
  std::vector<bool> placed_;
  std::vector<std::size_t> open_parents_;
  std::vector<Time> earliest_;
  std::vector<Time> ready_time_, previous_ready_;
  std::vector<std::size_t> count_on_;
  /// Least durations of the unplaced tasks.
  Time left_;
};

/// With all edges turned round; their ids stay.
TaskGraph reversed(const TaskGraph& graph) {
  TaskGraphBuilder builder;
  for (TaskId task : graph.tasks()) builder.add_task(graph.task(task));
  for (EdgeId id : graph.edges()) {
    const Edge& edge = graph.edge(id);
    builder.add_edge(edge.to, edge.from, edge.size);
  }
  return std::move(builder).build();
}

/// From the end of time to its beginning: where processors are alike the shortest schedules are the same, but
/// the search differs.
ExactMakespan search_backwards(const DelayModel& model, const Timetable& first, std::uint64_t effort) {
  const TaskGraph graph = reversed(model.graph());
  const DelayModel backwards = model.over(graph);
  ExactMakespan exact = Search(Problem(backwards), first.reversed(), effort).run();
  return {exact.timetable.reversed(), exact.bound};
}

/// The schedule task by task in order of time, with the starts that each task would have on the processors as
/// the earlier ones leave them.
void trace_steps(const DelayModel& model, const ExactMakespan& exact, Trace& trace) {
  const Timetable& made = exact.timetable;
  const std::vector<Time> level = static_levels(model);
  std::vector<TaskId> order(model.graph().topological_order().begin(),
                            model.graph().topological_order().end());
  std::ranges::stable_sort(
      order, {}, [&](TaskId task) { return std::pair(made.start[task.index()], made.end[task.index()]); });
  PartialSchedule partial(model, &trace);
  for (TaskId task : order) {
    consider_all(partial, task);
    partial.place(task, {made.processor[task.index()], made.start[task.index()]}, [&] {
      return fmt::format("of the {} schedule, length {} >= {}; static level {}",
                         exact.proven() ? "shortest" : "shortest known", made.length().count(),
                         exact.bound.count(), level[task.index()].count());
    });
  }
}

}  // namespace

ExactMakespan exact_makespan(const DelayModel& model, const Options& options,
                             std::span<const MakespanStart> starts) {
  const Problem problem(model);
  Timetable first = best_start(model, starts);
  if (model.graph().task_count() > largest_graph) {
    const Time length = first.length();
    return {std::move(first), std::min(length, problem.bound())};
  }
  const std::uint64_t effort = options.effort.value_or(default_effort(model));
  if (std::optional<Timetable> fork = shortest_fork(model, first.length(), effort)) {
    const Time length = fork->length();
    return {*std::move(fork), length};
  }
  const std::uint64_t backwards = model.homogeneous() ? effort / 2 : 0;
  ExactMakespan exact = Search(problem, std::move(first), effort - backwards).run();
  if (exact.proven() || backwards == 0) return exact;
  return search_backwards(model, exact.timetable, backwards);
}

Schedule exact_makespan(const TaskGraph& graph, const logp::Machine& machine, const Options& options,
                        std::span<const MakespanStart> starts) {
  const DelayModel model(graph, machine);
  const ExactMakespan exact = exact_makespan(model, options, starts);
  if (options.trace != nullptr) trace_steps(model, exact, *options.trace);
  Schedule schedule = timed("exact_makespan", graph, machine, exact.timetable);
  if (is_delay_model(machine)) schedule.makespan_bound = exact.bound;
  return schedule;
}

}  // namespace takt::schedulers
