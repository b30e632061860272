#pragma once
/// Task interaction graphs: tasks that exchange data without an order, and the cost of mapping them.
///
/// Every task graph is one if the directions of its edges are ignored. The load of a processor is the
/// work of its tasks and the time of all exchanges between one of them and a task elsewhere. A mapping
/// is better if its largest load is smaller, since that is the least period of its iterations.
///
/// Source: C.-C. Shen, W.-H. Tsai, "A graph matching approach to optimal task assignment in
/// distributed computing systems using a minimax criterion", IEEE Transactions on Computers C-34(3),
/// 1985.

#include <compare>
#include <span>
#include <string_view>
#include <vector>

#include "core/graphs/task_graph.hpp"
#include "logp/machine.hpp"
#include "schedulers/delay/delay_model.hpp"
#include "schedulers/scheduler.hpp"

namespace takt::schedulers {

class InteractionGraph {
 public:
  struct Interaction {
    TaskId other;
    EdgeId edge;
    /// Whether the other task is the edge's receiver.
    bool is_sent;
  };

  /// Borrows graph and machine. O((n + m) * distinct speeds and kinds of link + P^2 * kinds of link).
  InteractionGraph(const TaskGraph& graph, const logp::Machine& machine);
  InteractionGraph(const TaskGraph&&, const logp::Machine&) = delete;
  InteractionGraph(const TaskGraph&, const logp::Machine&&) = delete;

  [[nodiscard]] const DelayModel& model() const { return model_; }
  [[nodiscard]] std::size_t task_count() const { return model_.graph().task_count(); }
  [[nodiscard]] auto tasks() const { return model_.graph().tasks(); }
  [[nodiscard]] std::size_t processor_count() const { return model_.processor_count(); }
  [[nodiscard]] auto processors() const { return model_.processors(); }
  /// Returns whether all processors are interchangeable.
  [[nodiscard]] bool symmetric() const { return model_.homogeneous() && ways_.empty(); }

  /// Returns the tasks that a task exchanges data with, one entry per edge.
  [[nodiscard]] std::span<const Interaction> interactions(TaskId task) const {
    return {interactions_.data() + first_[task.index()], interactions_.data() + first_[task.index() + 1]};
  }
  /// Returns the time of an exchange for each of the two processors, over a shortest path on a network; 0
  /// within one processor.
  [[nodiscard]] Time exchange(EdgeId edge, ProcessorId from, ProcessorId to) const;
  /// Returns the time for a task on one processor that interacts with one on another.
  [[nodiscard]] Time exchange(const Interaction& interaction, ProcessorId own, ProcessorId others) const {
    return interaction.is_sent ? exchange(interaction.edge, own, others)
                               : exchange(interaction.edge, others, own);
  }
  /// Least and mean time between any two processors.
  [[nodiscard]] Time least_exchange(EdgeId edge) const { return least_[edge.index()]; }
  [[nodiscard]] Time mean_exchange(EdgeId edge) const { return mean_[edge.index()]; }

 private:
  /// All links from one processor to another one.
  struct PlacementKind {
    std::size_t links = 0;
    double latency = 0;
    double per_byte = 0;
    friend bool operator==(const PlacementKind&, const PlacementKind&) = default;
  };
  [[nodiscard]] const PlacementKind& way(ProcessorId a, ProcessorId b) const {
    return ways_[a.index() * processor_count() + b.index()];
  }
  void find_routes(const logp::Machine& machine);

  DelayModel model_;
  std::vector<std::size_t> first_{0};
  std::vector<Interaction> interactions_;
  /// By pair of processors; empty on a machine without a network.
  std::vector<PlacementKind> ways_;
  std::vector<Time> least_, mean_;
};

/// Cost of a mapping: the largest load; of equal ones the smaller sum of all loads.
struct MappingCost {
  Time largest{0};
  Time total{0};
  friend auto operator<=>(const MappingCost&, const MappingCost&) = default;
};

/// Tasks on processors, with incremental updates of the loads.
class Mapping {
 public:
  /// Borrows the graph. O(n + m).
  Mapping(const InteractionGraph& graph, std::vector<ProcessorId> processor_of);

  [[nodiscard]] const std::vector<ProcessorId>& processor_of() const { return processor_of_; }
  [[nodiscard]] ProcessorId processor(TaskId task) const { return processor_of_[task.index()]; }
  [[nodiscard]] Time load(ProcessorId processor) const { return load_[processor.index()]; }
  /// O(P).
  [[nodiscard]] MappingCost cost() const;
  /// Of equal ones the first. O(P).
  [[nodiscard]] ProcessorId least_loaded() const;
  /// O(degree).
  void move(TaskId task, ProcessorId to);

 private:
  const InteractionGraph* graph_;
  std::vector<ProcessorId> processor_of_;
  std::vector<Time> load_;
};

/// Returns the cost of the mapping in a schedule of one frame.
[[nodiscard]] MappingCost mapping_cost(const TaskGraph& graph, const logp::Machine& machine,
                                       const Schedule& schedule);

/// Moves tasks in the order of their ids, in at most `rounds` passes, to the processor of a task they
/// exchange data with, or to the one of the least load, while that lowers the cost. O(rounds m (degree + P)).
void improve(const InteractionGraph& graph, Mapping& mapping, std::size_t rounds = 20);

/// Returns the mapping as a schedule: exchanges become messages along the edges of the graph, and each
/// processor runs its tasks by falling b-level. Without directions, an iteration takes the largest load. For
/// each task the trace shows the largest load with the task on each other processor.
[[nodiscard]] Schedule schedule_of(std::string_view scheduler, const InteractionGraph& graph,
                                   const logp::Machine& machine, const std::vector<ProcessorId>& processor_of,
                                   const Options& options);

}  // namespace takt::schedulers
