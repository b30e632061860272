#include "schedulers/clustering/dsc.hpp"

#include <algorithm>
#include <optional>
#include <queue>
#include <string>
#include <tuple>

#include <fmt/format.h>

#include "schedulers/clustering/merging.hpp"
#include "schedulers/delay/ready_queue.hpp"

namespace takt::schedulers {

namespace {

/// The two latest arrivals of a task's data from examined parents in different clusters.
struct LatestArrivals {
  Time first{0};
  std::optional<ProcessorId> cluster;
  /// The latest arrival from any other cluster.
  Time other{0};

  void add(Time arrival, ProcessorId from) {
    if (cluster == from) {
      first = std::max(first, arrival);
    } else if (!cluster || arrival > first) {
      other = first;
      first = arrival;
      cluster = from;
    } else {
      other = std::max(other, arrival);
    }
  }
};

/// Tasks by falling priority; a task is pushed again when its priority rises, and the newest entry is valid.
class PriorityHeap {
 public:
  void push(TaskId task, Time priority) { entries_.push({priority, task}); }
  /// Returns the task of the highest priority for which `current(task, priority)` holds.
  template <class Current>
  std::optional<std::pair<TaskId, Time>> top(Current current) {
    while (!entries_.empty() && !current(entries_.top().task, entries_.top().priority)) entries_.pop();
    if (entries_.empty()) return std::nullopt;
    return std::pair(entries_.top().task, entries_.top().priority);
  }

 private:
  struct Entry {
    Time priority;
    TaskId task;
    friend bool operator<(const Entry& a, const Entry& b) {
      return a.priority != b.priority ? a.priority < b.priority : a.task > b.task;
    }
  };
  std::priority_queue<Entry> entries_;
};

class DominantSequence {
 public:
  DominantSequence(const DelayModel& model, Trace* trace)
      : model_(model),
        graph_(model.graph()),
        trace_(trace),
        level_(b_levels(model)),
        state_(graph_.task_count(), State::waiting),
        arrivals_(graph_.task_count()),
        t_level_(graph_.task_count(), Time{0}),
        timetable_(graph_.task_count()),
        open_(graph_) {
    open_.entries([this](TaskId task) { set_free(task); });
  }

  Timetable run() && {
    while (const auto next =
               free_.top([this](TaskId task, Time) { return state_[task.index()] == State::free; }))
      examine(next->first, next->second);
    return std::move(timetable_);
  }

 private:
  enum class State : std::uint8_t { waiting, free, examined };

  /// A cluster that a task may join, the task's start there, and the number of leading parents of its list
  /// that move along.
  struct Join {
    ProcessorId cluster;
    Time start{0};
    std::size_t moved = 0;
  };

  struct Cluster {
    Time ready{0};
    /// Its tasks in order; when the last one leaves, the previous one determines the end.
    std::vector<TaskId> tasks;
  };

  [[nodiscard]] ProcessorId cluster_of(TaskId task) const { return timetable_.processor[task.index()]; }
  [[nodiscard]] Time end(TaskId task) const { return timetable_.end[task.index()]; }

  void set_free(TaskId task) {
    state_[task.index()] = State::free;
    free_.push(task, priority(task));
  }
  [[nodiscard]] Time priority(TaskId task) const { return t_level_[task.index()] + level_[task.index()]; }

  void examine(TaskId task, Time its_priority) {
    collect_parents(task);
    std::optional<Join> best;
    considered_ = {{ProcessorId(clusters_.size()), t_level_[task.index()]}};
    // Only the cluster of the latest parent, or one to which that parent can move, lets the task start
    // earlier.
    if (!parents_.empty()) {
      consider(join(0), task, its_priority, best);
      const std::size_t anchor = first_that_stays();
      if (anchor > 0 && anchor < parents_.size()) consider(join(anchor), task, its_priority, best);
    }
    if (!best) {
      clusters_.emplace_back();
      best = Join{ProcessorId(clusters_.size() - 1), t_level_[task.index()]};
    }
    const std::string why = trace_ != nullptr ? reason(its_priority, *best) : std::string();
    move_parents(*best);
    put(task, best->cluster, best->start);
    state_[task.index()] = State::examined;
    if (trace_ != nullptr) trace_->push_back({task, best->cluster, best->start, end(task), why, considered_});
    open_.place(task, [this](TaskId child) { state_[child.index()] = State::free; });
    update_children(task);
  }

  struct Parent {
    TaskId task;
    EdgeId edge;
    /// Arrival of its data from another cluster.
    Time arrival{0};
    bool movable = false;
  };

  /// Collects the task's parents, the latest arrival first.
  void collect_parents(TaskId task) {
    parents_.clear();
    for (EdgeId edge : graph_.in_edges(task)) {
      const TaskId parent = graph_.edge(edge).from;
      parents_.push_back({parent, edge, end(parent) + model_.mean_delay(edge), false});
    }
    std::sort(parents_.begin(), parents_.end(), [](const Parent& a, const Parent& b) {
      return a.arrival != b.arrival ? a.arrival > b.arrival : a.task < b.task;
    });
    for (Parent& parent : parents_)
      parent.movable = graph_.out_edges(parent.task).size() == 1 &&
                       clusters_[cluster_of(parent.task).index()].tasks.back() == parent.task;
  }

  [[nodiscard]] std::size_t first_that_stays() const {
    const auto found =
        std::find_if(parents_.begin(), parents_.end(), [](const Parent& p) { return !p.movable; });
    return static_cast<std::size_t>(found - parents_.begin());
  }

  /// Arrival of a task's data in a cluster.
  [[nodiscard]] Time arrival(TaskId task, ProcessorId cluster) const {
    Time latest{0};
    for (EdgeId edge : graph_.in_edges(task)) {
      const TaskId parent = graph_.edge(edge).from;
      const Time delay = cluster_of(parent) == cluster ? Time{0} : model_.mean_delay(edge);
      latest = std::max(latest, end(parent) + delay);
    }
    return latest;
  }

  /// Returns the earliest start after all tasks in the cluster of one of the parents, with the fewest moved
  /// parents for it.
  [[nodiscard]] Join join(std::size_t parent) const {
    const ProcessorId cluster = cluster_of(parents_[parent].task);
    Time ready = clusters_[cluster.index()].ready;
    Join best{cluster, Time::max(), 0};
    for (std::size_t i = 0;; ++i) {
      while (i < parents_.size() && cluster_of(parents_[i].task) == cluster) ++i;
      const Time start = i < parents_.size() ? std::max(ready, parents_[i].arrival) : ready;
      if (start < best.start) best = {cluster, start, i};
      if (i == parents_.size() || !parents_[i].movable) return best;
      const TaskId moved = parents_[i].task;
      ready = std::max(ready, arrival(moved, cluster)) + model_.mean_duration(moved);
    }
  }

  void consider(const Join& join, TaskId task, Time its_priority, std::optional<Join>& best) {
    considered_.push_back({join.cluster, join.start});
    if (join.start >= (best ? best->start : t_level_[task.index()])) return;
    if (!harms_dominant_sequence(join, task, its_priority)) best = join;
  }

  [[nodiscard]] std::string reason(Time its_priority, const Join& join) const {
    std::string text = fmt::format("t-level + b-level {}", its_priority.count());
    const auto earlier = [&](const Slot& slot) { return slot.start < join.start; };
    if (std::ranges::any_of(considered_, earlier)) text += ", leaves room for a dominant task";
    for (std::size_t i = 0; i < join.moved; ++i)
      if (cluster_of(parents_[i].task) != join.cluster)
        text += fmt::format(", fetches '{}'", graph_.task(parents_[i].task).name);
    return text;
  }

  /// Whether a task of higher priority with unexamined parents could start earlier in this cluster, but not
  /// after the task has joined it.
  bool harms_dominant_sequence(const Join& join, TaskId task, Time its_priority) {
    const auto waiting = partly_free_.top([this](TaskId other, Time its) {
      return state_[other.index()] == State::waiting && its == priority(other);
    });
    if (!waiting || waiting->second <= its_priority) return false;
    const LatestArrivals& arrivals = arrivals_[waiting->first.index()];
    if (arrivals.cluster != join.cluster) return false;
    auto start_after = [&](Time ready) { return std::max(ready, arrivals.other); };
    return start_after(clusters_[join.cluster.index()].ready) < arrivals.first &&
           start_after(join.start + model_.mean_duration(task)) >= arrivals.first;
  }

  void move_parents(const Join& join) {
    for (std::size_t i = 0; i < join.moved; ++i) {
      const TaskId task = parents_[i].task;
      const ProcessorId old = cluster_of(task);
      if (old == join.cluster) continue;
      Cluster& left = clusters_[old.index()];
      left.tasks.pop_back();
      left.ready = left.tasks.empty() ? Time{0} : end(left.tasks.back());
      put(task, join.cluster, std::max(clusters_[join.cluster.index()].ready, arrival(task, join.cluster)));
    }
  }

  void put(TaskId task, ProcessorId cluster, Time start) {
    timetable_.processor[task.index()] = cluster;
    timetable_.start[task.index()] = start;
    timetable_.end[task.index()] = start + model_.mean_duration(task);
    clusters_[cluster.index()].ready = end(task);
    clusters_[cluster.index()].tasks.push_back(task);
  }

  void update_children(TaskId task) {
    for (EdgeId edge : graph_.out_edges(task)) {
      const TaskId child = graph_.edge(edge).to;
      const Time arrival = end(task) + model_.mean_delay(edge);
      arrivals_[child.index()].add(arrival, cluster_of(task));
      t_level_[child.index()] = std::max(t_level_[child.index()], arrival);
      (state_[child.index()] == State::free ? free_ : partly_free_).push(child, priority(child));
    }
  }

  const DelayModel& model_;
  const TaskGraph& graph_;
  Trace* trace_;
  std::vector<Time> level_;
  std::vector<State> state_;
  std::vector<LatestArrivals> arrivals_;
  /// Earliest start by the examined parents, as if each were in another cluster.
  std::vector<Time> t_level_;
  Timetable timetable_;
  std::vector<Cluster> clusters_;
  OpenParents open_;
  PriorityHeap free_, partly_free_;
  /// Of the examined task: its parents, and its starts in the considered clusters.
  std::vector<Parent> parents_;
  std::vector<Slot> considered_;
};

}  // namespace

Clustering dsc(const DelayModel& model, const Options& options) {
  return numbered(DominantSequence(model, options.trace).run());
}

Schedule dsc(const TaskGraph& graph, const logp::Machine& machine, const Options& options) {
  const DelayModel model(graph, machine);
  return timed("dsc", graph, machine, on_processors(model, dsc(model, options), options));
}

}  // namespace takt::schedulers
