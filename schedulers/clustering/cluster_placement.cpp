#include "schedulers/clustering/cluster_placement.hpp"

#include <queue>
#include <string>
#include <tuple>
#include <utility>

#include <fmt/format.h>

#include "schedulers/delay/partial_schedule.hpp"
#include "schedulers/delay/ready_pairs.hpp"
#include "schedulers/delay/ready_queue.hpp"

namespace takt::schedulers {

namespace {

struct EarliestArrival {
  bool operator()(const ReadyPair& a, const ReadyPair& b) const {
    return std::tuple(a.arrival, b.level, a.task) < std::tuple(b.arrival, a.level, b.task);
  }
};

class ClusterPlacement {
 public:
  ClusterPlacement(const DelayModel& model, const Clustering& clustering, const std::vector<Time>& level,
                   Homes homes, NewHome new_home, Trace* trace)
      : model_(model),
        clustering_(clustering),
        level_(level),
        homes_(std::move(homes)),
        new_home_(new_home),
        work_(clustering.count, Time{0}),
        ahead_(model.processor_count(), Time{0}),
        open_(model.graph()),
        partial_(model, trace),
        placed_(model.graph().task_count(), false),
        settled_(model.processor_count()),
        first_(model.processor_count()),
        ready_in_(clustering.count),
        pioneer_(clustering.count) {
    for (TaskId task : model.graph().tasks()) work_[cluster_of(task)] += model.mean_duration(task);
    for (std::size_t cluster = 0; cluster < clustering.count; ++cluster)
      if (homes_[cluster]) ahead_[homes_[cluster]->index()] += work_[cluster];
    assigned_ = ahead_;
    open_.entries([this](TaskId task) { make_ready(task); });
  }

  Timetable run() && {
    while (ready_count_ > 0) {
      const Choice choice = next();
      const std::size_t cluster = cluster_of(choice.task);
      const bool settles = !homes_[cluster];
      if (settles && partial_.is_traced()) consider_homes(choice.task);
      if (settles) settle(cluster, choice.slot.processor);
      const std::optional<TaskId> first =
          std::exchange(pioneer_[cluster], pioneer_[cluster].value_or(choice.task));
      partial_.place(choice.task, choice.slot, [&] { return reason(cluster, first, settles); });
      placed_[choice.task.index()] = true;
      ahead_[choice.slot.processor.index()] -= model_.mean_duration(choice.task);
      --ready_count_;
      changed_.push_back(choice.slot.processor);
      open_.place(choice.task, [this](TaskId child) { make_ready(child); });
    }
    return std::move(partial_).take();
  }

 private:
  /// A task and its possible processor and start.
  struct Choice {
    TaskId task;
    Slot slot;
    Time level{0};
    friend bool operator<(const Choice& a, const Choice& b) {
      return std::tuple(a.slot.start, b.level, a.task) < std::tuple(b.slot.start, a.level, b.task);
    }
  };
  /// A ready task of a cluster without a processor; the heap keeps the most urgent on top.
  struct Homeless {
    Time level;
    TaskId task;
    friend bool operator<(const Homeless& a, const Homeless& b) {
      return a.level != b.level ? a.level < b.level : a.task > b.task;
    }
  };

  [[nodiscard]] std::size_t cluster_of(TaskId task) const {
    return clustering_.timetable.processor[task.index()].index();
  }

  /// For the trace.
  void consider_homes(TaskId task) {
    const std::span<const Time> arrivals = partial_.arrivals(task);
    for (ProcessorId p : model_.processors()) {
      const Time start = std::max(arrivals[p.index()], partial_.ready_time(p));
      if (new_home_ == NewHome::first_start)
        partial_.consider({p, start}, "start", start);
      else
        partial_.consider({p, start}, "start + work ahead", start + ahead_[p.index()]);
    }
  }
  /// Returns the reason for a task's processor; `first` is the task of its cluster that was placed first, if
  /// it is another one.
  [[nodiscard]] std::string reason(std::size_t cluster, std::optional<TaskId> first, bool settles) const {
    if (first) return fmt::format("with {}", model_.graph().task(*first).name);
    const Time work = work_[cluster];
    if (settles) return fmt::format("a cluster of work {} comes here", work.count());
    const Time all = assigned_[homes_[cluster]->index()];
    return fmt::format("a cluster of work {} of the {} that belong here", work.count(), all.count());
  }

  void make_ready(TaskId task) {
    ++ready_count_;
    const std::size_t cluster = cluster_of(task);
    if (homes_[cluster]) return go_home(task, *homes_[cluster]);
    ready_in_[cluster].push_back(task);
    homeless_.push({level_[task.index()], task});
  }

  void go_home(TaskId task, ProcessorId home) {
    settled_[home.index()].push({task, partial_.arrival(task, home), level_[task.index()]});
    changed_.push_back(home);
  }

  void settle(std::size_t cluster, ProcessorId home) {
    homes_[cluster] = home;
    ahead_[home.index()] += work_[cluster];
    for (TaskId task : ready_in_[cluster]) go_home(task, home);
    ready_in_[cluster].clear();
  }

  /// Requires a ready task.
  Choice next() {
    std::optional<Choice> best;
    const auto consider = [&](const Choice& choice) {
      if (!best || choice < *best) best = choice;
    };
    for (ProcessorId p : changed_) first_[p.index()] = first_settled(p);
    changed_.clear();
    for (const std::optional<Choice>& first : first_)
      if (first) consider(*first);
    while (!homeless_.empty() && homes_[cluster_of(homeless_.top().task)]) homeless_.pop();
    if (!homeless_.empty()) {
      const auto& [level, task] = homeless_.top();
      consider({task, slot_of_homeless(task), level});
    }
    return *best;
  }

  /// Returns the ready task of the processor's clusters with the earliest start there.
  std::optional<Choice> first_settled(ProcessorId p) {
    const Time ready_time = partial_.ready_time(p);
    ReadyPairs<EarliestArrival>& pairs = settled_[p.index()];
    pairs.refresh(ready_time, ready_count_, [this](TaskId task) { return bool{placed_[task.index()]}; });
    if (const auto pair = pairs.startable()) return Choice{pair->task, {p, ready_time}, pair->level};
    if (const auto pair = pairs.waiting()) return Choice{pair->task, {p, pair->arrival}, pair->level};
    return std::nullopt;
  }

  /// Keeps the arrivals of the task's data for the next call.
  Slot slot_of_homeless(TaskId task) {
    if (asked_ != task) {
      const std::span<const Time> arrivals = partial_.arrivals(task);
      arrivals_.assign(arrivals.begin(), arrivals.end());
      asked_ = task;
    }
    Slot best;
    Time least = Time::max();
    for (ProcessorId p : model_.processors()) {
      const Time start = std::max(arrivals_[p.index()], partial_.ready_time(p));
      const Time value = new_home_ == NewHome::first_start ? start : start + ahead_[p.index()];
      if (value >= least) continue;
      best = {p, start};
      least = value;
    }
    return best;
  }

  const DelayModel& model_;
  const Clustering& clustering_;
  const std::vector<Time>& level_;
  Homes homes_;
  NewHome new_home_;
  /// Per cluster: its work. Per processor: the work of tasks that have yet to run there.
  std::vector<Time> work_, ahead_;
  OpenParents open_;
  PartialSchedule partial_;
  std::vector<bool> placed_;
  std::size_t ready_count_ = 0;
  /// Per processor: ready tasks of its clusters.
  std::vector<ReadyPairs<EarliestArrival>> settled_;
  /// Per processor: the first of these to start, except for changed processors.
  std::vector<std::optional<Choice>> first_;
  std::vector<ProcessorId> changed_;
  /// Ready tasks of the clusters that have no processor, by urgency and by cluster.
  std::priority_queue<Homeless> homeless_;
  std::vector<std::vector<TaskId>> ready_in_;
  /// Per processor: the work of the clusters initially assigned to it.
  std::vector<Time> assigned_;
  /// Per cluster: its task that was placed first.
  std::vector<std::optional<TaskId>> pioneer_;
  std::optional<TaskId> asked_;
  std::vector<Time> arrivals_;
};

}  // namespace

Timetable place_clusters(const DelayModel& model, const Clustering& clustering,
                         const std::vector<Time>& level, Homes homes, NewHome new_home, Trace* trace) {
  return ClusterPlacement(model, clustering, level, std::move(homes), new_home, trace).run();
}

}  // namespace takt::schedulers
