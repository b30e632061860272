#pragma once
/// Precomputed properties of tasks and processors for filling chains.

#include <cstdint>
#include <span>
#include <vector>

#include "schedulers/search/workload.hpp"

namespace takt::schedulers {

/// The end of the graph from which a chain is filled.
enum class Filling : std::uint8_t { from_sources, from_sinks };

/// Borrows the workload, in which a message costs the same between any two processors. O((n + m) log n).
class PackingProblem {
 public:
  explicit PackingProblem(const Workload& workload);

  [[nodiscard]] const Workload& workload() const { return workload_; }
  [[nodiscard]] const TaskGraph& graph() const { return workload_.items(); }

  /// Returns the processors of each class.
  [[nodiscard]] const std::vector<std::vector<ProcessorId>>& members() const { return members_; }
  /// Return the least time of an item on any processor, and the largest of these.
  [[nodiscard]] std::int64_t work(TaskId item) const { return work_[item.index()]; }
  [[nodiscard]] std::int64_t largest() const { return largest_; }
  /// Return the longest path from an item to the end of the filling, by work, and the longest of these.
  [[nodiscard]] std::int64_t level(TaskId item, Filling filling) const {
    return (filling == Filling::from_sources ? to_sink_ : from_source_)[item.index()];
  }
  [[nodiscard]] std::int64_t longest() const { return longest_; }
  /// Return the time of an empty message at both ends, and the additional time of an item's data if all of it
  /// comes from and goes to other stages; 0 with free communication.
  [[nodiscard]] Time::rep message() const { return message_; }
  [[nodiscard]] Time::rep data_time(TaskId item) const { return data_time_[item.index()]; }

  /// Return the edges to predecessors in the order of filling, and to successors.
  [[nodiscard]] std::span<const EdgeId> before(TaskId item, Filling filling) const {
    return filling == Filling::from_sources ? graph().in_edges(item) : graph().out_edges(item);
  }
  [[nodiscard]] std::span<const EdgeId> after(TaskId item, Filling filling) const {
    return filling == Filling::from_sources ? graph().out_edges(item) : graph().in_edges(item);
  }
  /// Returns the item at the end of an edge from `after`.
  [[nodiscard]] TaskId next(EdgeId edge, Filling filling) const {
    return filling == Filling::from_sources ? graph().edge(edge).to : graph().edge(edge).from;
  }

 private:
  void find_levels();
  void find_data_times();

  const Workload& workload_;
  std::vector<std::vector<ProcessorId>> members_;
  std::vector<std::int64_t> work_, to_sink_, from_source_;
  std::int64_t largest_ = 0, longest_ = 0;
  Time::rep message_ = 0;
  std::vector<Time::rep> data_time_;
};

}  // namespace takt::schedulers
