#pragma once
/// Task interaction graphs: tasks that exchange data without an order among them, and what it costs to map
/// them.
///
/// Every task graph is one when the directions of its edges are disregarded. The load of a processor is the
/// work of its tasks and the time of all exchanges between one of them and a task elsewhere; a mapping is as
/// good as its largest load is small, for no repetition of all tasks can follow sooner.
///
/// Source: C.-C. Shen, W.-H. Tsai, "A graph matching approach to optimal task assignment in distributed
/// computing systems using a minimax criterion", IEEE Transactions on Computers C-34(3), 1985.

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
  /// Whether processors may change places at no cost.
  [[nodiscard]] bool symmetric() const { return model_.homogeneous() && ways_.empty(); }

  /// The tasks that a task exchanges data with, once for every edge.
  [[nodiscard]] std::span<const Interaction> interactions(TaskId task) const {
    return {interactions_.data() + first_[task.index()], interactions_.data() + first_[task.index() + 1]};
  }
  /// Time that an exchange takes each of the two processors, a shortest way apart on a network; 0 on one
  /// processor.
  [[nodiscard]] Time exchange(EdgeId edge, ProcessorId from, ProcessorId to) const;
  /// The same for a task on one processor that interacts with one on another.
  [[nodiscard]] Time exchange(const Interaction& interaction, ProcessorId own, ProcessorId others) const {
    return interaction.is_sent ? exchange(interaction.edge, own, others)
                               : exchange(interaction.edge, others, own);
  }
  /// The same between any two processors at least, and on average.
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
  void find_ways(const logp::Machine& machine);

  DelayModel model_;
  std::vector<std::size_t> first_{0};
  std::vector<Interaction> interactions_;
  /// By pair of processors; none on a machine without a network.
  std::vector<PlacementKind> ways_;
  std::vector<Time> least_, mean_;
};

/// How good a mapping is: the largest load; of equal ones the smaller sum of all loads.
struct MappingCost {
  Time largest{0};
  Time total{0};
  friend auto operator<=>(const MappingCost&, const MappingCost&) = default;
};

/// Tasks on processors, with the loads kept up to date as tasks move.
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

/// The cost of the mapping that a schedule of one frame makes.
[[nodiscard]] MappingCost mapping_cost(const TaskGraph& graph, const logp::Machine& machine,
                                       const Schedule& schedule);

/// Moves tasks in the order of their ids, at most `rounds` times all, to the processor of a task they
/// exchange data with, or to the one of the least load, while that lowers the cost. O(rounds m (degree + P)).
void improve(const InteractionGraph& graph, Mapping& mapping, std::size_t rounds = 20);

/// The mapping as a schedule: exchanges become messages along the edges of the graph, and each processor runs
/// its tasks by falling b-level. The trace tells of each task what the largest load would be, were the task
/// on another processor.
[[nodiscard]] Schedule schedule_of(std::string_view scheduler, const InteractionGraph& graph,
                                   const logp::Machine& machine, const std::vector<ProcessorId>& processor_of,
                                   const Options& options);

}  // namespace takt::schedulers
