#pragma once
/// The machine model of classical list schedulers: a task has a duration on each processor, and an edge
/// delays its receiver, unless both its tasks run on the same processor. It has no contention, no overhead
/// and no gap.
///
/// On a LogP machine the delay of an edge is send overhead + latency + receive overhead for its size, so on
/// `delay:` it is the edge's size. Schedulers decide by this model; the engine then times their decisions
/// under the machine.

#include <cstddef>
#include <cstdint>
#include <vector>

#include "core/graphs/task_graph.hpp"
#include "logp/machine.hpp"

namespace takt::schedulers {

/// Time in parts of a tick, as integers, so that sums of means are exact and equal ones compare equal.
__extension__ typedef __int128 Parts;

class DelayModel {
 public:
  /// Builds tables of all durations and delays: O(n + m) time and memory for each distinct speed and kind of
  /// link. Borrows graph and machine.
  DelayModel(const TaskGraph& graph, const logp::Machine& machine);

  /// Returns the same graph on `count` equal processors, with mean durations and mean delays.
  [[nodiscard]] DelayModel averaged(std::size_t count) const;

  /// Returns the same durations and delays for another graph with the same task and edge ids. Borrows it.
  [[nodiscard]] DelayModel over(const TaskGraph& graph) const {
    DelayModel model = *this;
    model.graph_ = &graph;
    return model;
  }

  [[nodiscard]] const TaskGraph& graph() const { return *graph_; }
  /// Not for an averaged model, which has no machine.
  [[nodiscard]] const logp::Machine& machine() const { return *machine_; }
  [[nodiscard]] std::size_t processor_count() const { return row_of_.size(); }
  [[nodiscard]] auto processors() const { return ids<ProcessorId>(processor_count()); }
  /// Processors of one row take the same time for each task.
  [[nodiscard]] std::size_t row(ProcessorId processor) const { return row_of_[processor.index()]; }
  [[nodiscard]] std::size_t row_count() const { return row_sizes_.size(); }
  /// Returns whether all processors have equal durations, and all pairs of them equal delays.
  [[nodiscard]] bool homogeneous() const { return row_sizes_.size() == 1 && uniform_delays(); }
  /// Returns whether the delay of an edge is the same between any two processors.
  [[nodiscard]] bool uniform_delays() const { return pair_counts_.size() == 1; }

  [[nodiscard]] Time duration(TaskId task, ProcessorId processor) const {
    return durations_[row_of_[processor.index()] * graph_->task_count() + task.index()];
  }
  /// Returns 0 within one processor.
  [[nodiscard]] Time delay(EdgeId edge, ProcessorId from, ProcessorId to) const {
    if (from == to) return Time{0};
    if (uniform_delays()) return uniform_delay(edge);
    const std::size_t row = row_of_kind_[machine_->kind(from, to)];
    return delays_[row * graph_->edge_count() + edge.index()];
  }
  /// Returns the delay between any two processors. Requires uniform_delays().
  [[nodiscard]] Time uniform_delay(EdgeId edge) const { return delays_[edge.index()]; }

  /// Returns the mean over the processors; mean_delay(): over the pairs of two processors. Rounded to
  /// nearest; exact if homogeneous.
  [[nodiscard]] Time mean_duration(TaskId task) const {
    return row_sizes_.size() == 1 ? durations_[task.index()] : mean_durations_[task.index()];
  }
  [[nodiscard]] Time mean_delay(EdgeId edge) const {
    return uniform_delays() ? delays_[edge.index()] : mean_delays_[edge.index()];
  }
  /// The same means without rounding. A tick has as many parts as the means' least common denominator.
  [[nodiscard]] Parts exact_mean_duration(TaskId task) const;
  [[nodiscard]] Parts exact_mean_delay(EdgeId edge) const;
  [[nodiscard]] std::int64_t parts_of_tick() const { return parts_of_tick_; }
  [[nodiscard]] double ticks(Parts parts) const {
    return static_cast<double>(parts) / static_cast<double>(parts_of_tick_);
  }

 private:
  DelayModel() = default;
  void add_durations(const logp::Machine& machine);
  void add_delays(const logp::Machine& machine);
  [[nodiscard]] Time rounded(Parts parts) const;

  const TaskGraph* graph_ = nullptr;
  const logp::Machine* machine_ = nullptr;
  /// Processors of equal durations share a row of `durations_`; a task is a column. Each row stores the
  /// number of its processors.
  std::vector<std::size_t> row_of_;
  std::vector<std::size_t> row_sizes_;
  std::vector<Time> durations_;
  /// Each occurring kind of link has a row of `delays_`; all share one if all cost the same. An edge is a
  /// column. Each row stores the number of its ordered pairs of processors.
  std::vector<std::size_t> row_of_kind_;
  std::vector<std::int64_t> pair_counts_;
  std::int64_t pair_count_ = 1;
  std::int64_t parts_of_tick_ = 1;
  std::vector<Time> delays_;
  /// Only if there is more than one row.
  std::vector<Time> mean_durations_, mean_delays_;
};

/// Return b-level, t-level and static level by mean durations and delays: on a `delay:` machine those of
/// core/graphs/levels.hpp. O(n + m) each.
[[nodiscard]] std::vector<Time> b_levels(const DelayModel& model);
[[nodiscard]] std::vector<Time> t_levels(const DelayModel& model);
[[nodiscard]] std::vector<Time> static_levels(const DelayModel& model);

}  // namespace takt::schedulers
