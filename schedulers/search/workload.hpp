#pragma once
/// The search space of the frequency schedulers: the unrolled work of one or several successive instances.

#include <cstdint>
#include <optional>
#include <vector>

#include "core/graphs/task_graph.hpp"
#include "logp/machine.hpp"

namespace takt::schedulers {

/// The items of `replicas` instances: one for each stateless task of each instance, and one for all instances
/// of a stateful task, which must stay on one processor. The items form a graph again. With one instance they
/// are the tasks themselves.
///
/// Borrows graph and machine.
class Workload {
 public:
  /// O((n + m) replicas + n P log P). Throws ConfigError when there are no instances.
  Workload(const TaskGraph& graph, const logp::Machine& machine, std::uint32_t replicas = 1);

  Workload(const Workload&) = delete;
  Workload& operator=(const Workload&) = delete;

  [[nodiscard]] const TaskGraph& original() const { return original_; }
  [[nodiscard]] const logp::Machine& machine() const { return machine_; }
  [[nodiscard]] std::uint32_t replicas() const { return replicas_; }

  /// Returns the items as a graph; a datum of it is a datum of one instance.
  [[nodiscard]] const TaskGraph& items() const { return unrolled_ ? unrolled_->graph : original_; }
  [[nodiscard]] std::size_t item_count() const { return items().task_count(); }

  /// Returns the task of an item; below, whether the item stands for all of its instances.
  [[nodiscard]] TaskId task_of(TaskId item) const {
    return unrolled_ ? unrolled_->task_of[item.index()] : item;
  }
  [[nodiscard]] bool has_all_instances(TaskId item) const {
    return unrolled_ && !original_.task(task_of(item)).stateless;
  }
  /// Returns the instance of a single-instance item, and of a datum.
  [[nodiscard]] std::uint32_t instance_of(TaskId item) const {
    return unrolled_ ? unrolled_->instance_of_item[item.index()] : 0;
  }
  [[nodiscard]] std::uint32_t instance_of(DatumId datum) const {
    return unrolled_ ? unrolled_->instance_of_datum[datum.index()] : 0;
  }
  [[nodiscard]] DatumId datum_of(DatumId datum) const {
    return unrolled_ ? unrolled_->datum_of[datum.index()] : datum;
  }

  /// Returns the class of a processor: equal times for every item; classes count from 0 in order of their
  /// first processor.
  [[nodiscard]] std::uint32_t class_of(ProcessorId processor) const { return class_of_[processor.index()]; }
  [[nodiscard]] std::size_t class_count() const { return times_.size(); }
  /// Returns the time of an item on processors of a class.
  [[nodiscard]] Time time(TaskId item, std::uint32_t processor_class) const {
    return times_[processor_class][item.index()];
  }
  [[nodiscard]] const std::vector<Time>& times(std::uint32_t processor_class) const {
    return times_[processor_class];
  }

  /// Returns whether a message costs the same between any two processors; below, these costs.
  [[nodiscard]] bool links_are_equal() const { return links_are_equal_; }
  [[nodiscard]] const logp::LinkCosts& links(ProcessorId from, ProcessorId to) const {
    return machine_.costs(from, to);
  }
  /// Returns whether all processors and links are equal, so that only the number of processors matters.
  [[nodiscard]] bool is_uniform() const { return links_are_equal_ && class_count() == 1; }

 private:
  struct Unrolled {
    TaskGraph graph;
    std::vector<TaskId> task_of;
    std::vector<std::uint32_t> instance_of_item, instance_of_datum;
    std::vector<DatumId> datum_of;
  };
  [[nodiscard]] static Unrolled unroll(const TaskGraph& graph, std::uint32_t replicas);
  void find_classes();

  const TaskGraph& original_;
  const logp::Machine& machine_;
  std::uint32_t replicas_;
  std::optional<Unrolled> unrolled_;
  std::vector<std::uint32_t> class_of_;
  std::vector<std::vector<Time>> times_;
  bool links_are_equal_ = true;
};

}  // namespace takt::schedulers
