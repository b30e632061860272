#include "schedulers/clustering/clustering.hpp"

#include <algorithm>
#include <numeric>
#include <optional>

#include "schedulers/common/assignment.hpp"
#include "schedulers/common/partial_schedule.hpp"
#include "schedulers/common/ready_queue.hpp"

namespace takt::schedulers {

namespace {

/// Sum of the durations of a cluster's tasks on one processor.
class ClusterWork {
 public:
  ClusterWork(const DelayModel& model, const Clustering& clustering)
      : model_(model), tasks_(clustering.count), mean_(clustering.count, Time{0}) {
    for (TaskId task : model.graph().tasks()) {
      const std::size_t cluster = clustering.timetable.processor[task.index()].index();
      tasks_[cluster].push_back(task);
      mean_[cluster] += model.mean_duration(task);
    }
  }

  [[nodiscard]] Time on(std::size_t cluster, ProcessorId p) const {
    if (model_.homogeneous()) return mean_[cluster];
    Time sum{0};
    for (TaskId task : tasks_[cluster]) sum += model_.duration(task, p);
    return sum;
  }

  /// The clusters in falling order of their work.
  [[nodiscard]] std::vector<std::size_t> heaviest_first() const {
    std::vector<std::size_t> order(tasks_.size());
    std::iota(order.begin(), order.end(), std::size_t{0});
    std::stable_sort(order.begin(), order.end(),
                     [&](std::size_t a, std::size_t b) { return mean_[a] > mean_[b]; });
    return order;
  }

 private:
  const DelayModel& model_;
  std::vector<std::vector<TaskId>> tasks_;
  std::vector<Time> mean_;
};

Timetable merged_timetable(const DelayModel& model, const Clustering& clustering,
                           const std::vector<ProcessorId>& processor_of_cluster) {
  std::vector<ProcessorId> processor_of;
  processor_of.reserve(clustering.timetable.processor.size());
  for (ProcessorId cluster : clustering.timetable.processor)
    processor_of.push_back(processor_of_cluster[cluster.index()]);
  return place_assigned(model, processor_of);
}

}  // namespace

Clustering numbered(Timetable timetable) {
  const std::size_t n = timetable.processor.size();
  std::vector<std::size_t> by_start(n);
  std::iota(by_start.begin(), by_start.end(), std::size_t{0});
  std::stable_sort(by_start.begin(), by_start.end(),
                   [&](std::size_t a, std::size_t b) { return timetable.start[a] < timetable.start[b]; });
  std::size_t ids = 0;
  for (ProcessorId id : timetable.processor) ids = std::max(ids, id.index() + 1);
  std::vector<std::optional<ProcessorId>> number(ids);
  std::size_t count = 0;
  for (std::size_t task : by_start) {
    auto& new_id = number[timetable.processor[task].index()];
    if (!new_id) new_id = ProcessorId(count++);
  }
  for (ProcessorId& id : timetable.processor) id = *number[id.index()];
  return {std::move(timetable), count};
}

Timetable on_processors(const DelayModel& model, Clustering clustering, const Options& options) {
  if (clustering.count <= model.processor_count() && model.homogeneous())
    return std::move(clustering.timetable);
  const bool by_load = options.merging != ClusterMerging::communication;
  const bool by_communication = options.merging != ClusterMerging::load;
  Timetable best;
  if (by_communication) best = merged_timetable(model, clustering, merge_by_communication(model, clustering));
  if (by_load) {
    Timetable balanced = merged_timetable(model, clustering, merge_by_load(model, clustering));
    if (!by_communication || balanced.length() < best.length()) best = std::move(balanced);
  }
  return best;
}

std::vector<ProcessorId> merge_by_load(const DelayModel& model, const Clustering& clustering) {
  const ClusterWork work(model, clustering);
  std::vector<ProcessorId> merged(clustering.count);
  std::vector<Time> load(model.processor_count(), Time{0});
  for (std::size_t cluster : work.heaviest_first()) {
    ProcessorId best;
    Time least = Time::max();
    for (ProcessorId p : model.processors()) {
      const Time after = load[p.index()] + work.on(cluster, p);
      if (after < least) {
        least = after;
        best = p;
      }
    }
    merged[cluster] = best;
    load[best.index()] += work.on(cluster, best);
  }
  return merged;
}

std::vector<ProcessorId> merge_by_communication(const DelayModel& model, const Clustering& clustering) {
  const TaskGraph& graph = model.graph();
  const std::vector<Time> level = b_levels(model.averaged(clustering.count), clustering.timetable.processor);
  std::vector<std::optional<ProcessorId>> merged(clustering.count);
  PartialSchedule partial(model);
  ReadyQueue ready(graph, by_falling(graph, level));
  while (!ready.empty()) {
    const TaskId task = ready.pop();
    auto& processor = merged[clustering.timetable.processor[task.index()].index()];
    Slot slot;
    if (processor) {
      slot = {*processor, std::max(partial.ready_time(*processor), partial.arrival(task, *processor))};
    } else {
      slot = earliest_append(partial, task);
      processor = slot.processor;
    }
    partial.place(task, slot, [] { return std::string(); });
    ready.place(task);
  }
  std::vector<ProcessorId> result;
  for (const auto& processor : merged) result.push_back(*processor);
  return result;
}

}  // namespace takt::schedulers
