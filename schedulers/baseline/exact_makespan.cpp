#include "schedulers/baseline/exact_makespan.hpp"

#include <algorithm>
#include <optional>
#include <utility>

#include <fmt/format.h>

#include "schedulers/baseline/allocation_search.hpp"
#include "schedulers/baseline/exact_fork.hpp"
#include "schedulers/baseline/fork_join_search.hpp"
#include "schedulers/baseline/makespan_search.hpp"
#include "schedulers/delay/assignment.hpp"
#include "schedulers/delay/critical_path.hpp"
#include "schedulers/delay/partial_schedule.hpp"
#include "schedulers/placement/delay_search.hpp"

namespace takt::schedulers {

namespace {

/// Largest number of tasks that is searched.
constexpr std::size_t largest_graph = 256;

/// Number of partial schedules that takes a few seconds.
std::uint64_t default_effort(const DelayModel& model) {
  constexpr std::uint64_t tasks_looked_at = 400'000'000;
  return tasks_looked_at / (model.graph().task_count() * model.processor_count() + 1);
}

/// All tasks on the processor with the least total time.
Timetable sequential(const DelayModel& model) {
  const auto order = model.graph().topological_order();
  const ProcessorId fastest = fastest_for(model, {order.begin(), order.end()});
  return place_assigned(model, std::vector<ProcessorId>(order.size(), fastest));
}

/// Returns the shortest start; the first of equal ones.
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

/// Returns the graph with all edges reversed; their ids stay.
TaskGraph reversed(const TaskGraph& graph) {
  TaskGraphBuilder builder;
  for (TaskId task : graph.tasks()) builder.add_task(graph.task(task));
  for (EdgeId id : graph.edges()) {
    const Edge edge = graph.edge(id);
    builder.add_edge(edge.to, edge.from, edge.size);
  }
  return std::move(builder).build();
}

/// The kind of search: in order of time, or over allocations and then orders.
enum class SearchKind : std::uint8_t { along_time, allocations };

/// The shortest known schedule and the bound of one graph on one machine.
class Certificate {
 public:
  Certificate(const DelayModel& model, Timetable first, const TimetableListener& tell)
      : model_(model),
        tell_(tell),
        reversed_graph_(model.homogeneous() ? reversed(model.graph()) : TaskGraph{}),
        exact_{std::move(first), Time{0}} {
    exact_.bound = std::min(makespan_bound(model), exact_.timetable.length());
    if (tell_) tell_(exact_.timetable);
  }

  [[nodiscard]] bool is_open() const { return !exact_.proven(); }
  [[nodiscard]] Time length() const { return exact_.timetable.length(); }

  /// Searches for schedules shorter than the limit, with at most `effort` partial schedules. With equal
  /// processors it may search backwards from the end of time: the lengths are the same, the search differs.
  /// Returns whether the limit was decided.
  bool search(Time limit, std::uint64_t& effort, bool is_backwards,
              SearchKind kind = SearchKind::along_time) {
    const auto search_with = kind == SearchKind::along_time ? search_makespan : search_allocations;
    MakespanSearch found;
    if (is_backwards) {
      const DelayModel backwards = model_.over(reversed_graph_);
      found = search_with(backwards, limit, effort);
      if (found.timetable) found.timetable = found.timetable->reversed();
    } else {
      found = search_with(model_, limit, effort);
    }
    if (found.timetable && found.timetable->length() < exact_.timetable.length()) {
      exact_.timetable = *std::move(found.timetable);
      if (tell_) tell_(exact_.timetable);
    }
    if (found.is_complete) exact_.bound = std::max(exact_.bound, std::min(limit, exact_.timetable.length()));
    return found.is_complete;
  }

  /// Returns whether the graph has one of the forms with a dedicated search.
  bool search_as_fork_join(std::uint64_t effort) {
    std::optional<ForkJoinSearch> found = search_fork_join(model_, exact_.bound, length(), effort);
    if (!found) return false;
    if (found->timetable) {
      exact_.timetable = *std::move(found->timetable);
      if (tell_) tell_(exact_.timetable);
    }
    exact_.bound = std::min(found->bound, length());
    return true;
  }

  /// Bisects between the bound and the length: a limit that no schedule meets is refuted earlier the lower it
  /// is.
  void halve(std::uint64_t effort) {
    Time top = exact_.timetable.length();
    bool is_backwards = false;
    while (is_open() && effort > 0 && exact_.bound + Time{1} < top) {
      const Time limit = exact_.bound + (top - exact_.bound + Time{1}) / 2;
      std::uint64_t share = effort / 4 + 1;
      effort -= std::min(effort, share);
      const bool is_decided = search(limit, share, is_backwards);
      if (is_decided)
        effort += share;
      else if (model_.homogeneous() && !is_backwards)
        is_backwards = true;
      else
        top = limit, is_backwards = false;
      top = std::min(top, exact_.timetable.length());
    }
  }

  [[nodiscard]] ExactMakespan take() && { return std::move(exact_); }

 private:
  const DelayModel& model_;
  const TimetableListener& tell_;
  const TaskGraph reversed_graph_;
  ExactMakespan exact_;
};

/// Traces the schedule task by task in order of time, with the possible starts of each task on all
/// processors.
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
                             std::span<const MakespanStart> starts, const TimetableListener& tell) {
  Timetable first = best_start(model, starts);
  if (model.graph().task_count() > largest_graph) {
    const Time bound = std::min(makespan_bound(model), first.length());
    return {std::move(first), bound};
  }
  const std::uint64_t effort = options.effort.value_or(default_effort(model));
  first = improve_delays(model, std::move(first), effort / 16);
  if (std::optional<Timetable> fork = shortest_fork(model, first.length(), effort / 4)) {
    const Time length = fork->length();
    return {*std::move(fork), length};
  }
  Certificate certificate(model, std::move(first), tell);
  const std::uint64_t allocations = effort * std::min<std::size_t>(model.processor_count(), 8) / 20;
  bool is_fork_join = false;
  if (certificate.is_open()) is_fork_join = certificate.search_as_fork_join(allocations);
  const std::uint64_t rest = effort / 4, each = (effort - rest) / (model.homogeneous() ? 2 : 1);
  // Every search gets a small share first, so that problems that are easy for one of them are solved early.
  for (const std::uint64_t share : {1, 15}) {
    if (share > 1 && is_fork_join) break;
    for (const bool is_backwards : {false, true}) {
      std::uint64_t steps = each * share / 16;
      if (certificate.is_open() && (model.homogeneous() || !is_backwards))
        certificate.search(certificate.length(), steps, is_backwards);
    }
    for (const bool is_backwards : {false, true}) {
      std::uint64_t steps = allocations * share / 16;
      if (certificate.is_open() && can_search_allocations(model))
        certificate.search(certificate.length(), steps, is_backwards, SearchKind::allocations);
    }
  }
  if (certificate.is_open()) certificate.halve(rest);
  return std::move(certificate).take();
}

Schedule exact_makespan(const TaskGraph& graph, const logp::Machine& machine, const Options& options,
                        std::span<const MakespanStart> starts) {
  const DelayModel model(graph, machine);
  TimetableListener tell;
  if (options.listener != nullptr)
    tell = [&](const Timetable& found) { options.tell(timed("exact_makespan", graph, machine, found)); };
  const ExactMakespan exact = exact_makespan(model, options, starts, tell);
  if (options.trace != nullptr) trace_steps(model, exact, *options.trace);
  Schedule schedule = timed("exact_makespan", graph, machine, exact.timetable);
  if (is_delay_model(machine)) schedule.makespan_bound = exact.bound;
  return schedule;
}

}  // namespace takt::schedulers
