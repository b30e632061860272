#include "schedulers/baseline/allocation_search.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <numeric>
#include <optional>
#include <tuple>
#include <utility>
#include <vector>

#include "schedulers/baseline/join_bounds.hpp"
#include "schedulers/baseline/one_machine.hpp"

namespace takt::schedulers {

namespace {

constexpr std::size_t most_allocated_tasks = 64;
constexpr std::uint32_t no_group = UINT32_MAX;

/// A set of tasks, one bit per task.
using TaskSet = std::uint64_t;

TaskSet only(std::size_t task) {
  return TaskSet{1} << task;
}

template <class Visit>
void for_each_in(TaskSet set, const Visit& visit) {
  for (; set != 0; set &= set - 1) visit(static_cast<std::size_t>(std::countr_zero(set)));
}

struct Link {
  std::size_t task = 0;
  Time delay{0};
};

/// The graph with tasks numbered in the order of their allocation, which is topological.
struct AllocationProblem {
  explicit AllocationProblem(const DelayModel& model);

  std::vector<TaskId> id;
  std::vector<Time> work;
  std::vector<std::vector<Link>> parents, children;
  std::vector<TaskSet> ancestors, descendants;
  /// Least time from a task's end to the end of the schedule.
  std::vector<Time> least_tail;
};

AllocationProblem::AllocationProblem(const DelayModel& model) {
  const TaskGraph& graph = model.graph();
  const std::vector<Time> head = join_heads(model), tail = join_heads(model, true);
  // Of the open tasks, picks the one with the longest path through it.
  std::vector<std::size_t> open(graph.task_count()), number(graph.task_count());
  std::vector<TaskId> ready;
  for (TaskId task : graph.tasks()) {
    open[task.index()] = graph.in_edges(task).size();
    if (open[task.index()] == 0) ready.push_back(task);
  }
  const auto length = [&](TaskId task) {
    return head[task.index()] + least_duration(model, task) + tail[task.index()];
  };
  while (!ready.empty()) {
    const auto next = std::ranges::max_element(ready, {}, length);
    const TaskId task = *next;
    ready.erase(next);
    number[task.index()] = id.size();
    id.push_back(task);
    for (EdgeId out : graph.out_edges(task))
      if (--open[graph.edge(out).to.index()] == 0) ready.push_back(graph.edge(out).to);
  }
  parents.resize(id.size());
  children.resize(id.size());
  ancestors.resize(id.size());
  descendants.resize(id.size());
  for (std::size_t i = 0; i < id.size(); ++i) {
    work.push_back(least_duration(model, id[i]));
    least_tail.push_back(tail[id[i].index()]);
    for (EdgeId in : graph.in_edges(id[i])) {
      const std::size_t parent = number[graph.edge(in).from.index()];
      const Time delay = least_delay(model, in);
      parents[i].push_back({parent, delay});
      children[parent].push_back({i, delay});
      ancestors[i] |= only(parent) | ancestors[parent];
    }
  }
  for (std::size_t i = 0; i < id.size(); ++i)
    for_each_in(ancestors[i], [&](std::size_t before) { descendants[before] |= only(i); });
}

/// End of these tasks when they run one after the other. Reorders them.
Time done_in_turn(std::vector<std::pair<Time, Time>>& head_and_work) {
  std::ranges::sort(head_and_work);
  Time done{0};
  for (const auto& [head, work] : head_and_work) done = std::max(done, head) + work;
  return done;
}

/// Searches the orders of the tasks of each group.
class OrderSearch {
 public:
  OrderSearch(const AllocationProblem& problem, const std::vector<std::uint32_t>& group,
              std::uint64_t& effort)
      : problem_(problem), group_(group), count_(group.size()), effort_(effort) {
    for (std::size_t i = 0; i < count_; ++i) members_[group_[i]] |= only(i);
  }

  /// Returns the starts of the shortest schedule below the limit; nothing if none was found.
  std::vector<Time> run(Time limit) {
    length_ = limit;
    Order order;
    std::ranges::copy(problem_.ancestors, order.before.begin());
    std::ranges::copy(problem_.descendants, order.after.begin());
    decide(order);
    return std::move(best_);
  }
  [[nodiscard]] Time length() const { return length_; }

 private:
  template <class Value>
  using OfTasks = std::array<Value, most_allocated_tasks>;
  /// Transitive predecessors and successors of each task.
  struct Order {
    OfTasks<TaskSet> before, after;

    void put(std::size_t earlier, std::size_t later) {
      const TaskSet first = before[earlier] | only(earlier), last = after[later] | only(later);
      for_each_in(first, [&](std::size_t task) { after[task] |= last; });
      for_each_in(last, [&](std::size_t task) { before[task] |= first; });
    }
  };

  void decide(Order order) {
    do {
      if (effort_ == 0 || --effort_ == 0) return;
      find_times(order);
      for (std::size_t i = 0; i < count_; ++i)
        if (head_[i] + problem_.work[i] + tail_[i] >= length_) return;
      const Forced forced = put_forced(order);
      if (forced == Forced::impossible) return;
      if (forced == Forced::none) break;
    } while (true);
    if (!fits()) return;
    const auto [first, second] = find_overlap(order);
    if (first == second) {
      length_ = Time{0};
      for (std::size_t i = 0; i < count_; ++i) length_ = std::max(length_, head_[i] + problem_.work[i]);
      best_.assign(head_.begin(), head_.begin() + static_cast<std::ptrdiff_t>(count_));
      return;
    }
    const bool is_swapped = length_of(second, first) < length_of(first, second);
    const auto [earlier, later] = is_swapped ? std::pair(second, first) : std::pair(first, second);
    const Time other_length = length_of(later, earlier);
    Order then = order;
    then.put(earlier, later);
    decide(then);
    if (other_length >= length_) return;
    order.put(later, earlier);
    decide(order);
  }

  /// Lower bound of the length if the first task precedes the second.
  [[nodiscard]] Time length_of(std::size_t i, std::size_t j) const {
    return std::max(head_[i] + problem_.work[i], head_[j]) + problem_.work[j] + tail_[j];
  }

  /// Computes the least starts, and the least times from each end to the end of the schedule.
  void find_times(const Order& order) {
    // Tasks with few predecessors first.
    std::array<std::uint8_t, most_allocated_tasks + 1> place{};
    OfTasks<std::uint8_t> before, sequence;
    for (std::size_t i = 0; i < count_; ++i) {
      before[i] = static_cast<std::uint8_t>(std::popcount(order.before[i]));
      ++place[before[i] + std::size_t{1}];
    }
    for (std::size_t i = 1; i <= count_; ++i) place[i] = static_cast<std::uint8_t>(place[i] + place[i - 1]);
    for (std::size_t i = 0; i < count_; ++i) sequence[place[before[i]]++] = static_cast<std::uint8_t>(i);
    for (std::size_t k = 0; k < count_; ++k) {
      const std::size_t i = sequence[k];
      head_[i] = start_after(i, problem_.parents[i], order.before[i], head_);
    }
    for (std::size_t k = count_; k-- > 0;) {
      const std::size_t i = sequence[k];
      tail_[i] = start_after(i, problem_.children[i], order.after[i], tail_);
    }
  }

  enum class Forced : std::uint8_t { none, some, impossible };
  /// Orders two tasks of a group where only one of them can come first.
  [[nodiscard]] Forced put_forced(Order& order) const {
    Forced result = Forced::none;
    for (std::size_t i = 0; i < count_; ++i) {
      TaskSet others = members_[group_[i]] & ~(order.before[i] | order.after[i]) & ~((only(i) << 1) - 1);
      for (; others != 0; others &= others - 1) {
        const auto j = static_cast<std::size_t>(std::countr_zero(others));
        if (((order.before[i] | order.after[i]) & only(j)) != 0) continue;
        const bool can_lead = length_of(i, j) < length_, can_follow = length_of(j, i) < length_;
        if (can_lead && can_follow) continue;
        if (!can_lead && !can_follow) return Forced::impossible;
        order.put(can_lead ? i : j, can_lead ? j : i);
        result = Forced::some;
      }
    }
    return result;
  }

  /// Whether each group leaves room for a schedule below the length.
  [[nodiscard]] bool fits() {
    for (std::size_t group = 0; group < count_ && members_[group] != 0; ++group) {
      jobs_.clear();
      for_each_in(members_[group], [&](std::size_t i) {
        jobs_.push_back({head_[i], problem_.work[i], tail_[i]});
      });
      if (jobs_.size() > 1 && preemptive_end(jobs_) >= length_) return false;
    }
    return true;
  }

  /// Returns a task's least start after its predecessors; with children and successors, its tail.
  [[nodiscard]] Time start_after(std::size_t task, const std::vector<Link>& links, TaskSet before,
                                 const OfTasks<Time>& from) const {
    Time start{0};
    for (const Link& link : links)
      start = std::max(start, from[link.task] + problem_.work[link.task] +
                                  (group_[link.task] == group_[task] ? Time{0} : link.delay));
    // The group's tasks run one after the other, ordered by their starts.
    OfTasks<std::uint8_t> here;
    std::size_t count = 0;
    for (TaskSet set = before & members_[group_[task]]; set != 0; set &= set - 1, ++count) {
      const auto other = static_cast<std::uint8_t>(std::countr_zero(set));
      std::size_t at = count;
      for (; at > 0 && from[here[at - 1]] > from[other]; --at) here[at] = here[at - 1];
      here[at] = other;
    }
    Time done{0};
    for (std::size_t k = 0; k < count; ++k) done = std::max(done, from[here[k]]) + problem_.work[here[k]];
    return std::max(start, done);
  }

  /// Returns the earliest pair of unordered, overlapping tasks of a group; equal numbers if none.
  [[nodiscard]] std::pair<std::size_t, std::size_t> find_overlap(const Order& order) const {
    std::pair<std::size_t, std::size_t> found{0, 0};
    Time earliest = Time::max();
    for (std::size_t i = 0; i < count_; ++i)
      for (std::size_t j = i + 1; j < count_; ++j) {
        if (group_[i] != group_[j] || ((order.before[i] | order.after[i]) & only(j)) != 0) continue;
        // A task without work may start or end together with another task, but not inside it.
        if (head_[i] >= head_[j] + problem_.work[j] || head_[j] >= head_[i] + problem_.work[i]) continue;
        const Time from = std::max(head_[i], head_[j]);
        if (from >= earliest) continue;
        earliest = from;
        found = {i, j};
      }
    return found;
  }

  const AllocationProblem& problem_;
  const std::vector<std::uint32_t>& group_;
  const std::size_t count_;
  std::uint64_t& effort_;
  Time length_{0};
  std::vector<Time> best_;
  /// Indexed by group.
  OfTasks<TaskSet> members_{};
  OfTasks<Time> head_{}, tail_{};
  std::vector<Job> jobs_;
};

class AllocationSearch {
 public:
  AllocationSearch(const DelayModel& model, Time limit, std::uint64_t& effort)
      : problem_(model),
        effort_(effort),
        length_(limit),
        most_groups_(std::min(model.processor_count(), problem_.id.size())),
        group_(problem_.id.size(), no_group),
        head_(problem_.id.size(), Time{0}),
        tail_(problem_.id.size(), Time{0}) {}

  MakespanSearch run() && {
    allocate(0, 0);
    return {std::move(best_), effort_ > 0};
  }

 private:
  void allocate(std::size_t task, std::uint32_t groups) {
    if (effort_ == 0 || --effort_ == 0) return;
    if (task == problem_.id.size()) return order();
    for (std::uint32_t group : choices(task, groups)) {
      group_[task] = group;
      head_[task] = earliest(task);
      const std::uint32_t then = std::max(groups, group + 1);
      if (can_be_shorter(task + 1, then)) allocate(task + 1, then);
      group_[task] = no_group;
      if (effort_ == 0) return;
    }
  }

  void order() {
    OrderSearch search(problem_, group_, effort_);
    const std::vector<Time> starts = search.run(length_);
    if (starts.empty()) return;
    length_ = search.length();
    best_.emplace(starts.size());
    for (std::size_t i = 0; i < starts.size(); ++i) {
      const std::size_t task = problem_.id[i].index();
      best_->processor[task] = ProcessorId(group_[i]);
      best_->start[task] = starts[i];
      best_->end[task] = starts[i] + problem_.work[i];
    }
  }

  /// Returns the groups that a task may join: those of its parents, most expensive data first, then a new
  /// group.
  [[nodiscard]] std::vector<std::uint32_t> choices(std::size_t task, std::uint32_t groups) const {
    std::vector<Time> saved(groups + 1, Time{0});
    for (const Link& link : problem_.parents[task]) {
      Time& best = saved[group_[link.task]];
      best = std::max(best, link.delay);
    }
    std::vector<std::uint32_t> result(std::min<std::size_t>(groups + 1, most_groups_));
    std::iota(result.begin(), result.end(), std::uint32_t{0});
    const auto rank = [&](std::uint32_t group) { return std::tuple(-saved[group], group != groups, group); };
    std::ranges::sort(result, {}, rank);
    return result;
  }

  /// Returns the least start of a task whose group, like those of all its ancestors, is decided.
  [[nodiscard]] Time earliest(std::size_t task) {
    Time start{0};
    for (const Link& link : problem_.parents[task])
      start = std::max(start, head_[link.task] + problem_.work[link.task] +
                                  (group_[link.task] == group_[task] ? Time{0} : link.delay));
    return std::max(start, done_before(group_[task], problem_.ancestors[task], head_));
  }

  /// End of the members of `set` in a group; with tails, the time that they still need after it.
  [[nodiscard]] Time done_before(std::uint32_t group, TaskSet set, const std::vector<Time>& head) {
    in_turn_.clear();
    for_each_in(set, [&](std::size_t other) {
      if (group_[other] == group) in_turn_.emplace_back(head[other], problem_.work[other]);
    });
    return done_in_turn(in_turn_);
  }

  /// Whether the first tasks, whose groups are decided, leave room for a schedule below the length. An
  /// undecided task that fits a single group counts as its member.
  [[nodiscard]] bool can_be_shorter(std::size_t allocated, std::uint32_t groups) {
    const std::size_t count = problem_.id.size();
    bool is_possible = true;
    for (std::size_t i = allocated; i < count && is_possible; ++i) is_possible = imply_group(i, groups);
    is_possible = is_possible && fits(groups);
    std::fill(group_.begin() + static_cast<std::ptrdiff_t>(allocated), group_.end(), no_group);
    return is_possible;
  }

  /// Evaluates the bounds for the current decisions.
  [[nodiscard]] bool fits(std::uint32_t groups) {
    const std::size_t count = problem_.id.size();
    for (std::size_t i = count; i-- > 0;) {
      tail_[i] = least_tail(i);
      if (head_[i] + problem_.work[i] + tail_[i] >= length_) return false;
    }
    for (std::uint32_t group = 0; group < groups; ++group) {
      jobs_.clear();
      for (std::size_t i = 0; i < count; ++i)
        if (group_[i] == group) jobs_.push_back({head_[i], problem_.work[i], tail_[i]});
      if (jobs_.size() > 1 && preemptive_end(jobs_) >= length_) return false;
    }
    return true;
  }

  /// For a task without a group, computes the least start over its possible groups, and fixes the group where
  /// only one is left. Returns false where none is left.
  [[nodiscard]] bool imply_group(std::size_t task, std::uint32_t groups) {
    joins_.clear();
    // Per group: the last end of the task's parents in it, and the last arrival from the other groups.
    end_in_.assign(groups, Time{0});
    arrival_from_.assign(groups, Time{0});
    for (const Link& link : problem_.parents[task]) {
      const Time end = head_[link.task] + problem_.work[link.task];
      const std::uint32_t group = group_[link.task];
      if (group == no_group) {
        joins_.push_back({head_[link.task], problem_.work[link.task], end + link.delay});
        continue;
      }
      end_in_[group] = std::max(end_in_[group], end);
      arrival_from_[group] = std::max(arrival_from_[group], end + link.delay);
    }
    const Time joined_start = earliest_join(joins_);
    // Last arrival from all groups but one: the maximum, or the second if that group has the maximum.
    Time last_arrival{0}, arrival_before{0};
    std::uint32_t last_from = no_group;
    for (std::uint32_t group = 0; group < groups; ++group) {
      if (arrival_from_[group] > last_arrival) {
        arrival_before = std::exchange(last_arrival, arrival_from_[group]);
        last_from = group;
      } else {
        arrival_before = std::max(arrival_before, arrival_from_[group]);
      }
    }
    const Time latest = length_ - problem_.work[task] - problem_.least_tail[task];
    Time least = Time::max();
    std::uint32_t last = no_group;
    std::size_t possible = 0;
    for (std::uint32_t joined = 0; joined <= groups; ++joined) {
      if (joined == groups && groups == most_groups_) break;
      Time start = std::max(joined_start, joined == last_from ? arrival_before : last_arrival);
      if (joined < groups) start = std::max(start, end_in_[joined]);
      if (start < latest && joined < groups)
        start = std::max(start, done_before(joined, problem_.ancestors[task], head_));
      if (start >= latest) continue;
      least = std::min(least, start);
      last = joined;
      ++possible;
    }
    head_[task] = least;
    if (possible == 1 && last < groups) group_[task] = last;
    return possible > 0;
  }

  [[nodiscard]] Time least_tail(std::size_t task) {
    Time tail = problem_.least_tail[task];
    if (group_[task] == no_group) return tail;
    joins_.clear();
    for (const Link& link : problem_.children[task]) {
      const Time until = tail_[link.task] + problem_.work[link.task];
      if (group_[link.task] == no_group)
        joins_.push_back({tail_[link.task], problem_.work[link.task], until + link.delay});
      else
        tail = std::max(tail, until + (group_[link.task] == group_[task] ? Time{0} : link.delay));
    }
    tail = std::max(tail, earliest_join(joins_));
    return std::max(tail, done_before(group_[task], problem_.descendants[task], tail_));
  }

  const AllocationProblem problem_;
  /// Remaining steps.
  std::uint64_t& effort_;
  /// Only schedules shorter than this are searched.
  Time length_;
  std::size_t most_groups_;
  std::optional<Timetable> best_;
  std::vector<std::uint32_t> group_;
  std::vector<Time> head_, tail_;
  std::vector<JoinParent> joins_;
  std::vector<Job> jobs_;
  std::vector<std::pair<Time, Time>> in_turn_;
  std::vector<Time> end_in_, arrival_from_;
};

}  // namespace

bool can_search_allocations(const DelayModel& model) {
  return model.homogeneous() && model.graph().task_count() >= 2 &&
         model.graph().task_count() <= most_allocated_tasks;
}

MakespanSearch search_allocations(const DelayModel& model, Time limit, std::uint64_t& effort) {
  // One more, because the search stops when none is left.
  std::uint64_t left = effort + 1;
  MakespanSearch result = AllocationSearch(model, limit, left).run();
  effort = left > 0 ? left - 1 : 0;
  return result;
}

}  // namespace takt::schedulers
