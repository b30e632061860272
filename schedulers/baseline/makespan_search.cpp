#include "schedulers/baseline/makespan_search.hpp"

#include <algorithm>
#include <map>
#include <optional>
#include <tuple>
#include <utility>

#include "schedulers/baseline/join_bounds.hpp"
#include "schedulers/baseline/seen_states.hpp"
#include "schedulers/baseline/subset_sums.hpp"
#include "schedulers/bounds/area_bound.hpp"

namespace takt::schedulers {

namespace {

/// Precomputed properties of one graph on one machine.
class Problem {
 public:
  explicit Problem(const DelayModel& delays) : model(delays) {
    const TaskGraph& graph = model.graph();
    least_.resize(graph.task_count());
    level_.resize(graph.task_count());
    rank_.resize(graph.task_count());
    const std::vector<Time> head = join_heads(model), tail = join_heads(model, true);
    const auto order = graph.topological_order();
    for (std::size_t i = order.size(); i-- > 0;) {
      const TaskId task = order[i];
      least_[task.index()] = schedulers::least_duration(model, task);
      level_[task.index()] = least_duration(task) + tail[task.index()];
      rank_[task.index()] = i;
      work_ += least_duration(task);
      critical_ = std::max(critical_, head[task.index()] + level(task));
    }
    for (EdgeId edge : graph.edges()) delay_.push_back(schedulers::least_delay(model, edge));
    by_tail_.assign(order.begin(), order.end());
    by_level_ = by_tail_;
    std::ranges::stable_sort(by_tail_, std::greater{}, [&](TaskId task) { return this->tail(task); });
    std::ranges::stable_sort(by_level_, std::greater{}, [&](TaskId task) { return level(task); });
  }

  /// Least duration over the processors; level(): least time from its start to the end of the schedule.
  [[nodiscard]] Time least_duration(TaskId task) const { return least_[task.index()]; }
  [[nodiscard]] Time level(TaskId task) const { return level_[task.index()]; }
  /// Least time from its end to the end of the schedule.
  [[nodiscard]] Time tail(TaskId task) const { return level(task) - least_duration(task); }
  /// The tasks by falling tail; by_level(): by falling level.
  [[nodiscard]] const std::vector<TaskId>& by_tail() const { return by_tail_; }
  [[nodiscard]] const std::vector<TaskId>& by_level() const { return by_level_; }
  [[nodiscard]] const std::vector<Time>& least_durations() const { return least_; }
  /// Least delay of an edge between two processors.
  [[nodiscard]] Time least_delay(EdgeId edge) const { return delay_[edge.index()]; }
  /// Position in the topological order.
  [[nodiscard]] std::size_t rank(TaskId task) const { return rank_[task.index()]; }
  /// Sum of the least durations.
  [[nodiscard]] Time work() const { return work_; }

  [[nodiscard]] Time bound() const {
    return std::max(critical_, area_bound(std::vector<Time>(model.processor_count(), Time{0}), work_));
  }

  /// For each task: its predecessor in topological order among the tasks with the same durations, parents,
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
  std::vector<Time> least_, level_, delay_;
  std::vector<std::size_t> rank_;
  std::vector<TaskId> by_tail_, by_level_;
  Time work_{0}, critical_{0};
};

/// Number of values of visited states that are kept: 64 MB.
constexpr std::size_t most_kept = std::size_t{1} << 23;

class Search {
 public:
  Search(const Problem& problem, Time limit, std::uint64_t& effort)
      : problem_(problem),
        model_(problem.model),
        graph_(model_.graph()),
        alike_before_(problem.alike_before()),
        effort_(effort),
        length_(limit),
        seen_(most_kept),
        sums_(problem.least_durations()),
        partial_(graph_.task_count()),
        placed_(graph_.task_count(), false),
        open_parents_(graph_.task_count()),
        open_children_(graph_.task_count()),
        earliest_(graph_.task_count()),
        ready_time_(model_.processor_count(), Time{0}),
        count_on_(model_.processor_count(), 0),
        left_(problem.work()) {
    for (TaskId task : graph_.tasks()) {
      open_parents_[task.index()] = graph_.in_edges(task).size();
      open_children_[task.index()] = graph_.out_edges(task).size();
    }
  }

  MakespanSearch run() && {
    if (length_ > problem_.bound()) extend(0, {});
    return {std::move(best_), effort_ > 0};
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

  /// Tries all extensions of the partial schedule, whose last task has the key `last`.
  void extend(std::size_t placed, const Key& last) {
    if (placed == graph_.task_count()) {
      // Bounds use least durations; the last tasks may end later than the bounds.
      if (partial_.length() >= length_) return;
      length_ = partial_.length();
      best_ = partial_;
      return;
    }
    if (effort_ == 0 || --effort_ == 0) return;
    if (!can_be_shorter(std::get<0>(last)) || is_worse_than_seen(placed, last)) return;
    for (const Step& step : steps(last)) {
      if (step.start + problem_.level(step.task) >= length_) continue;
      place(step);
      extend(placed + 1, key(step));
      take_back(step);
      if (effort_ == 0 || length_ == problem_.bound()) return;
    }
  }

  /// Arrival of the data of the task's placed parents at the processor.
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

  /// Whether an extension with no start before `since` may be shorter.
  bool can_be_shorter(Time since) {
    free_.assign(model_.processor_count(), Time::max());
    for (TaskId task : graph_.topological_order()) {
      if (placed_[task.index()]) continue;
      // The data of placed parents must reach the task's processor; unplaced parents may run on it.
      parents_.clear();
      for (EdgeId edge : graph_.in_edges(task)) {
        const TaskId parent = graph_.edge(edge).from;
        if (placed_[parent.index()]) continue;
        const Time start = earliest_[parent.index()], duration = problem_.least_duration(parent);
        parents_.push_back({start, duration, start + duration + problem_.least_delay(edge)});
      }
      const Time after_parents = earliest_join(parents_);
      Time& earliest = earliest_[task.index()];
      earliest = Time::max();
      Time level = Time::max();
      for (ProcessorId p : model_.processors()) {
        const Time start = std::max({since, ready_time_[p.index()], arrival(task, p), after_parents});
        earliest = std::min(earliest, start);
        level = std::min(level, start + model_.duration(task, p));
        free_[p.index()] = std::min(free_[p.index()], start);
      }
      if (level + problem_.tail(task) >= length_) return false;
    }
    return has_room_for_deadlines() && has_room_for_whole_tasks();
  }

  /// Whether the processors, each from its earliest possible start, can do by any time the work due by then.
  /// Each task has a deadline from its least time to the end of the schedule; a part of it is due before
  /// that.
  bool has_room_for_deadlines() {
    const Time latest = length_ - Time{1};
    sorted_free_ = free_;
    std::ranges::sort(sorted_free_);
    const std::vector<TaskId>& by_deadline = problem_.by_tail();
    const std::vector<TaskId>& by_latest_start = problem_.by_level();
    std::size_t deadline = 0, begun = 0, free = 0;
    // Work that must begin by `now`, at full speed; completed work is removed from it.
    Time::rep begun_count = 0, over_count = 0, free_count = 0;
    Time begun_sum{0}, over_sum{0}, free_sum{0};
    for (;;) {
      while (deadline < by_deadline.size() && placed_[by_deadline[deadline].index()]) ++deadline;
      if (deadline == by_deadline.size()) return true;
      Time now = latest - problem_.tail(by_deadline[deadline]);
      if (free < sorted_free_.size() && sorted_free_[free] <= now) {
        now = sorted_free_[free++];
        free_sum += now;
        ++free_count;
      } else {
        over_sum += now;
        ++over_count;
        ++deadline;
      }
      for (; begun < by_latest_start.size(); ++begun) {
        const TaskId task = by_latest_start[begun];
        if (placed_[task.index()]) continue;
        const Time latest_start = latest - problem_.level(task);
        if (latest_start >= now) break;
        begun_sum += latest_start;
        ++begun_count;
      }
      const Time needed = begun_count * now - begun_sum - (over_count * now - over_sum);
      if (needed > free_count * now - free_sum) return false;
    }
  }

  /// Whether the remaining work fits when each processor does whole tasks only.
  bool has_room_for_whole_tasks() {
    if (model_.row_count() > 1) return true;
    // Returns the earliest pair of unordered, overlapping tasks of a group; equal numbers if none.
    Time tail = Time::max(), next_tail = Time::max(), longest{0};
    for (TaskId task : graph_.tasks()) {
      if (placed_[task.index()]) continue;
      longest = std::max(longest, problem_.least_duration(task));
      const Time other = problem_.tail(task);
      next_tail = std::min(next_tail, std::max(tail, other));
      tail = std::min(tail, other);
    }
    if (next_tail == Time::max()) next_tail = tail;
    const auto room = [&](std::size_t p, Time until_end) {
      return std::max(Time{0}, length_ - Time{1} - until_end - free_[p]);
    };
    const auto all_rooms = [&](const auto& used) {
      Time sum{0}, most_gained{0};
      for (std::size_t p = 0; p < free_.size(); ++p) {
        const Time least = used(room(p, next_tail));
        sum += least;
        most_gained = std::max(most_gained, used(room(p, tail)) - least);
      }
      return sum + most_gained;
    };
    const Time most = all_rooms([](Time room) { return room; });
    if (most < left_) return false;
    if (most - left_ >= static_cast<Time::rep>(free_.size()) * longest) return true;
    sums_.clear();
    for (TaskId task : graph_.tasks())
      if (!placed_[task.index()]) sums_.add(problem_.least_duration(task));
    return all_rooms([&](Time room) { return sums_.largest_within(room); }) >= left_;
  }

  /// Whether a visited partial schedule dominates this one: it has the same extensions, none of them later.
  bool is_worse_than_seen(std::size_t placed, const Key& last) {
    constexpr std::size_t few = 3;
    if (placed < few || placed + few > graph_.task_count()) return false;
    const Time since = std::get<0>(last);
    key_.assign(1 + (graph_.task_count() + 63) / 64, 0);
    values_.clear();
    // Per processor: its name in the key.
    // Equal processors are named by the first needed task on them.
    names_.assign(model_.processor_count(), unnamed);
    std::uint64_t named = 0;
    std::int64_t sum = 0;
    for (TaskId task : graph_.tasks()) {
      const std::size_t i = task.index();
      if (!placed_[i]) continue;
      key_[1 + i / 64] |= std::uint64_t{1} << (i % 64);
      sum += partial_.start[i].count();
      if (open_children_[i] == 0) continue;
      std::uint64_t& name = names_[partial_.processor[i].index()];
      if (name == unnamed) name = model_.homogeneous() ? named++ : partial_.processor[i].index();
      key_.push_back(name);
      values_.push_back(std::max(partial_.end[i], since - longest_delay(task)).count());
    }
    values_.push_back(sum);
    // Free times of the processors, named ones first; the others in ascending order where they are alike.
    const std::size_t first = values_.size();
    values_.resize(first + model_.processor_count());
    std::size_t next = first + named;
    for (std::size_t p = 0; p < names_.size(); ++p) {
      const std::int64_t free = std::max(ready_time_[p], since).count();
      if (!model_.homogeneous())
        values_[first + p] = free;
      else if (names_[p] != unnamed)
        values_[first + names_[p]] = free;
      else
        values_[next++] = free;
    }
    if (model_.homogeneous())
      std::sort(values_.begin() + static_cast<std::ptrdiff_t>(first + named), values_.end());
    key_[0] = key_.size();
    const auto& [start, end, rank] = last;
    return seen_.covers_or_add(key_, {start.count(), end.count(), static_cast<std::int64_t>(rank)}, values_);
  }

  /// Over the edges to unplaced tasks: data of tasks that ended earlier than that is on all processors.
  [[nodiscard]] Time longest_delay(TaskId task) const {
    Time longest{0};
    for (EdgeId edge : graph_.out_edges(task)) {
      if (placed_[graph_.edge(edge).to.index()]) continue;
      if (!model_.uniform_delays()) return Time::max() / 2;
      longest = std::max(longest, model_.processor_count() > 1 ? model_.uniform_delay(edge) : Time{0});
    }
    return longest;
  }

  /// Possible next steps (task and processor), the most promising first.
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
    const std::vector<Step> all = steps;
    std::erase_if(steps, [&](const Step& step) {
      return graph_.out_edges(step.task).empty() &&
             std::ranges::any_of(all, [&](const Step& other) { return can_go_first(other, step, last); });
    });
    auto promise = [this](const Step& step) {
      return std::tuple(step.start, -problem_.level(step.task), step.task, step.processor);
    };
    std::sort(steps.begin(), steps.end(),
              [&](const Step& a, const Step& b) { return promise(a) < promise(b); });
    return steps;
  }

  /// Whether another task without children can replace `step`, which has none either and can run anywhere
  /// from its start on: all starts stay, in either order. With the lower rank, it is the one that the first
  /// of such schedules has there.
  [[nodiscard]] bool can_go_first(const Step& other, const Step& step, const Key& last) const {
    if (other.processor != step.processor || other.start > step.start) return false;
    if (!graph_.out_edges(step.task).empty() || !graph_.out_edges(other.task).empty()) return false;
    if (problem_.rank(other.task) >= problem_.rank(step.task)) return false;
    for (ProcessorId p : model_.processors())
      if (model_.duration(other.task, p) != model_.duration(step.task, p)) return false;
    return Key(step.start, step.end, problem_.rank(other.task)) >= last && is_anywhere(step);
  }

  /// Whether the data of the task has reached all processors by its start.
  [[nodiscard]] bool is_anywhere(const Step& step) const {
    return std::ranges::all_of(model_.processors(),
                               [&](ProcessorId p) { return arrival(step.task, p) <= step.start; });
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
    for (EdgeId edge : graph_.in_edges(step.task)) --open_children_[graph_.edge(edge).from.index()];
  }

  void take_back(const Step& step) {
    for (EdgeId edge : graph_.out_edges(step.task)) ++open_parents_[graph_.edge(edge).to.index()];
    for (EdgeId edge : graph_.in_edges(step.task)) ++open_children_[graph_.edge(edge).from.index()];
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
  /// Partial schedules that may still be examined.
  std::uint64_t& effort_;
  /// Only shorter schedules are searched.
  Time length_;
  std::optional<Timetable> best_;
  SeenStates seen_;
  SubsetSums sums_;

  Timetable partial_;
  std::vector<bool> placed_;
  std::vector<std::size_t> open_parents_, open_children_;
  std::vector<Time> earliest_;
  std::vector<JoinParent> parents_;
  /// Per processor: earliest start of an unplaced task.
  std::vector<Time> free_, sorted_free_;
  static constexpr std::uint64_t unnamed = UINT64_MAX;
  std::vector<std::uint64_t> key_, names_;
  std::vector<std::int64_t> values_;
  std::vector<Time> ready_time_, previous_ready_;
  std::vector<std::size_t> count_on_;
  /// Sum of the least durations of the unplaced tasks.
  Time left_;
};

}  // namespace

Time makespan_bound(const DelayModel& model) {
  return Problem(model).bound();
}

MakespanSearch search_makespan(const DelayModel& model, Time limit, std::uint64_t& effort) {
  const Problem problem(model);
  // One more, because the search stops when none is left.
  std::uint64_t left = effort + 1;
  MakespanSearch result = Search(problem, limit, left).run();
  effort = left > 0 ? left - 1 : 0;
  return result;
}

}  // namespace takt::schedulers
