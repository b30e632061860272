#pragma once
/// What the classical list schedulers take a machine for: a task has a duration on each processor, and an
/// edge delays its receiver, unless both its tasks run on the same processor. Nothing else: no contention, no
/// overhead, no gap.
///
/// On a LogP machine the delay of an edge is send overhead + latency + receive overhead for its size, so on
/// `delay:` it is the edge's size. Schedulers decide by this model; the engine then times what they decided
/// under the machine.

#include <cstddef>
#include <cstdint>
#include <vector>

#include "core/graphs/task_graph.hpp"
#include "logp/machine.hpp"

namespace takt::schedulers {

/// Time in parts of a tick, as whole numbers: so that sums of means are exact and equal ones are equal.
__extension__ typedef __int128 Parts;

class DelayModel {
 public:
  /// Tables of all durations and delays: O(n + m) time and memory for each distinct speed and kind of link.
  /// Borrows graph and machine.
  DelayModel(const TaskGraph& graph, const logp::Machine& machine);

  /// The same graph on `count` equal processors, with mean durations and mean delays.
  [[nodiscard]] DelayModel averaged(std::size_t count) const;

  /// The same durations and delays for another graph, which has the same ids of tasks and edges. Borrows it.
  [[nodiscard]] DelayModel over(const TaskGraph& graph) const {
    DelayModel model = *this;
    model.graph_ = &graph;
    return model;
  }

  [[nodiscard]] const TaskGraph& graph() const { return *graph_; }
  /// Not of an averaged model, which has none.
  [[nodiscard]] const logp::Machine& machine() const { return *machine_; }
  [[nodiscard]] std::size_t processor_count() const { return row_of_.size(); }
  [[nodiscard]] auto processors() const { return ids<ProcessorId>(processor_count()); }
  /// Processors of one row take the same time for each task.
  [[nodiscard]] std::size_t row(ProcessorId processor) const { return row_of_[processor.index()]; }
  [[nodiscard]] std::size_t row_count() const { return row_sizes_.size(); }
  /// Whether all processors take the same time for each task, and all pairs of them the same for each edge.
  [[nodiscard]] bool homogeneous() const { return row_sizes_.size() == 1 && uniform_delays(); }
  /// Whether the delay of an edge is the same between any two processors.
  [[nodiscard]] bool uniform_delays() const { return pair_counts_.size() == 1; }

  [[nodiscard]] Time duration(TaskId task, ProcessorId processor) const {
    return durations_[row_of_[processor.index()] * graph_->task_count() + task.index()];
  }
  /// 0 within one processor.
  [[nodiscard]] Time delay(EdgeId edge, ProcessorId from, ProcessorId to) const {
    if (from == to) return Time{0};
    if (uniform_delays()) return uniform_delay(edge);
    const std::size_t row = row_of_kind_[machine_->kind(from, to)];
    return delays_[row * graph_->edge_count() + edge.index()];
  }
  /// The delay between any two processors. Only where uniform_delays().
  [[nodiscard]] Time uniform_delay(EdgeId edge) const { return delays_[edge.index()]; }

  /// Mean over the processors, and over the pairs of two processors, rounded to nearest; exact when
  /// homogeneous.
  [[nodiscard]] Time mean_duration(TaskId task) const {
    return row_sizes_.size() == 1 ? durations_[task.index()] : mean_durations_[task.index()];
  }
  [[nodiscard]] Time mean_delay(EdgeId edge) const {
    return uniform_delays() ? delays_[edge.index()] : mean_delays_[edge.index()];
  }
  /// The same means, not rounded. A tick has as many parts as the means' least common denominator.
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
  /// Processors of equal durations share a row of `durations_`; a task is a column. Rows say how many share
  /// them.
  std::vector<std::size_t> row_of_;
  std::vector<std::size_t> row_sizes_;
  std::vector<Time> durations_;
  /// Kinds of link that occur have a row of `delays_`, or share one where all cost the same; an edge is a
  /// column. Rows say how many ordered pairs of processors share them.
  std::vector<std::size_t> row_of_kind_;
  std::vector<std::int64_t> pair_counts_;
  std::int64_t pair_count_ = 1;
  std::int64_t parts_of_tick_ = 1;
  std::vector<Time> delays_;
  /// Only where there is more than one row.
  std::vector<Time> mean_durations_, mean_delays_;
};

/// b-level, t-level and static level by mean durations and delays: on a `delay:` machine those of
/// core/graphs/levels.hpp. O(n + m) each.
[[nodiscard]] std::vector<Time> b_levels(const DelayModel& model);
[[nodiscard]] std::vector<Time> t_levels(const DelayModel& model);
[[nodiscard]] std::vector<Time> static_levels(const DelayModel& model);

}  // namespace takt::schedulers
