#pragma once
/// How high the frequency can be at all: lower bounds of the period, and why they hold.

#include <cstddef>
#include <cstdint>
#include <string_view>
#include <vector>

#include "core/schedule.hpp"
#include "core/task_graph.hpp"
#include "logp/machine.hpp"

namespace takt::schedulers {

/// Why no schedule can be faster.
enum class BoundRule : std::uint8_t {
  /// All the work, and the messages that hold the graph together, shared out evenly.
  work,
  /// One task, with the message that it must send or receive.
  largest_task,
  /// All instances of a task with state run on one processor.
  state,
  /// Of the kP + 1 largest tasks, k + 1 meet on one processor.
  pigeonhole,
  /// A processor's time is a sum of whole tasks.
  whole_tasks,
  /// Two messages of a processor start a gap apart.
  gap,
};

/// A sentence for people about a rule.
[[nodiscard]] std::string_view explain(BoundRule rule);

/// A lower bound of the time between repetitions.
struct PeriodBound {
  Time time{0};
  BoundRule rule = BoundRule::work;
};

/// The bounds of a graph on a machine, for `replicas` successive instances in one repetition.
///
/// Everything is proven in bounds.cpp. Construction is O(n log n); a bound is O(n / q) on q equal processors
/// and O(q^2 log W) on different ones, and the best one O(n log P) or O(P^3 log W), besides the sums of whole
/// tasks, which are tried only as long as that is cheap.
class PeriodBounds {
 public:
  PeriodBounds(const TaskGraph& graph, const logp::Machine& machine, std::uint32_t replicas = 1);

  /// No schedule with tasks on `used` processors, whichever, repeats in less time.
  [[nodiscard]] PeriodBound with(std::size_t used) const;
  /// No schedule repeats in less time: the least of the bounds for 1, 2, ..., P processors.
  [[nodiscard]] PeriodBound best() const { return best_; }
  /// The fewest processors whose bound allows this time; 0 when there is no such number.
  [[nodiscard]] std::size_t fewest_processors(Time repetition) const;

 private:
  void collect_pieces(const TaskGraph& graph, const logp::Machine& machine, std::uint32_t replicas);
  void collect_parts(const TaskGraph& graph, std::uint32_t replicas);
  void collect_message_costs(const TaskGraph& graph, const logp::Machine& machine);

  [[nodiscard]] PeriodBound without_sums(std::size_t used) const;
  [[nodiscard]] Time shared_work(std::size_t used) const;
  [[nodiscard]] Time pigeonhole(std::size_t used) const;
  [[nodiscard]] Time pigeonhole_on_equal_processors(std::size_t used) const;
  [[nodiscard]] Time pigeonhole_on_speeds(std::size_t used) const;
  [[nodiscard]] bool fit_on_speeds(std::size_t used, Time period) const;
  [[nodiscard]] PeriodBound with_sums(PeriodBound bound) const;

  std::size_t processors_;
  /// What must run on one processor: a task of one instance, or all instances of a task with state.
  struct Piece {
    /// The least that it takes on any processor.
    Time time{0};
    std::size_t part = 0;
    bool has_state = false;
  };
  /// In descending order of time, and the sums of the first 0, 1, ... of them.
  std::vector<Piece> pieces_;
  std::vector<Time> sums_;
  /// In descending order, and sums of the first 0, 1, ... of them; empty when all are 1 or a table of times
  /// takes their place. Then also the work of the pieces, in descending order, in sums.
  std::vector<double> speeds_, speed_sums_;
  std::vector<Time> work_sums_;
  Time work_{0};
  /// How many weakly connected parts the pieces form, and the work of each part by its number.
  std::size_t parts_ = 0;
  std::vector<Time> part_work_;
  /// The least that a message costs: at both ends together, at one end, and from one to the next.
  Time both_overheads_{0}, one_overhead_{0}, gap_{0};
  /// The bound by the largest piece of each part, where more than one processor is used.
  PeriodBound largest_;
  bool communication_is_free_ = false;
  bool has_table_ = false;
  PeriodBound best_;
};

/// Notes the best bound of the schedule's number of replicas in it, and whether it is met.
void add_period_bound(const TaskGraph& graph, const logp::Machine& machine, Schedule& schedule);

}  // namespace takt::schedulers
