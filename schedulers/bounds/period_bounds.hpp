#pragma once
/// Upper limits of the frequency: lower bounds of the period, with their rules.

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string_view>
#include <vector>

#include "core/graphs/task_graph.hpp"
#include "core/period.hpp"
#include "core/schedule.hpp"
#include "logp/machine.hpp"
#include "schedulers/bounds/area_bound.hpp"
#include "schedulers/bounds/least_cost.hpp"
#include "schedulers/bounds/pigeonhole.hpp"

namespace takt::schedulers {

/// The rule that limits the period.
enum class BoundRule : std::uint8_t {
  /// Area bound: all work, divided evenly.
  area,
  /// Area bound with the messages that connect the graph.
  area_with_messages,
  /// One task, with the message that it must send or receive.
  largest_task,
  /// A stateful task processes every frame on one processor.
  state,
  /// Of the kP + 1 largest tasks, k + 1 meet on one processor.
  pigeonhole,
  /// A processor's time is a sum of whole tasks.
  subset_sum,
  /// Two messages of a processor start at least a gap apart.
  gap,
  /// The processor of a stateful task exchanges messages for the tasks of a frame that run elsewhere.
  moved_frames,
  /// The work shared out between classes of processors (class_bound.hpp).
  classes,
};

/// Returns a sentence for users about a rule.
[[nodiscard]] std::string_view explain(BoundRule rule);

/// A lower bound of the time between frames, and its rule.
struct PeriodBound {
  Period period;
  BoundRule rule = BoundRule::area;
};

/// Returns whether any task may run successive frames on different processors, and there are several
/// processors. Only then can an iteration of several copies be faster per frame than one of a single copy.
[[nodiscard]] bool can_replicate(const TaskGraph& graph, const logp::Machine& machine);

/// The lower bounds of the period of a graph on a machine, for schedules with any number of copies of
/// the graph (successive frames) per iteration, or with a given number.
///
/// The proofs are in period_bounds.cpp. Only one copy implies that no task is larger than a period:
/// with several, two processors can execute it for different frames. For any number of copies there
/// remain the area bound, stateful tasks and, on equal processors, the cost of moving frames to other
/// processors and back. Without tasks that can be replicated, any number of copies is as slow as one.
///
/// With R copies of n tasks, construction is O(R n log(R n)) and a bound O(R n / q) on q equal
/// processors, O(q^2 log W) on different ones; the best bound evaluates all P. Subset sums are
/// limited to milliseconds. For any number of copies construction is O((n + m) + n log n), and a
/// bound O(n).
class PeriodBounds {
 public:
  /// For any number of copies.
  PeriodBounds(const TaskGraph& graph, const logp::Machine& machine);
  /// For schedules of `replicas` copies, at least one.
  PeriodBounds(const TaskGraph& graph, const logp::Machine& machine, std::uint32_t replicas);

  /// Returns the least of the bounds on 1, 2, ..., P processors: no schedule has a smaller period.
  [[nodiscard]] const PeriodBound& best() const { return best_; }
  /// Returns the bound of all schedules that use any `used` processors, for tasks or to relay data.
  [[nodiscard]] PeriodBound on(std::size_t used) const;

 private:
  /// A weakly connected component of the graph.
  struct Part {
    /// The least time of its tasks for one frame.
    Time work{0};
    Time largest_task{0};
    /// Time of its largest stateful task; empty if it has none.
    std::optional<Time> largest_with_state = {};
  };

  PeriodBounds(const TaskGraph& graph, const logp::Machine& machine, std::optional<std::uint32_t> replicas);
  void find_parts(const TaskGraph& graph, const logp::Machine& machine);
  void find_pieces(const TaskGraph& graph, const logp::Machine& machine);

  struct Repetition;
  [[nodiscard]] Repetition least_repetition(std::size_t used) const;
  [[nodiscard]] Repetition area(std::size_t used) const;
  [[nodiscard]] Time area_with_relays() const;
  [[nodiscard]] Time pigeonhole(std::size_t used) const;
  void raise_to_subset_sum(Repetition& bound) const;
  [[nodiscard]] PeriodBound of(const Repetition& bound, std::size_t used) const;
  [[nodiscard]] PeriodBound of_any_number(std::size_t used) const;

  std::size_t processors_;
  /// Whether a larger number of copies can be faster.
  bool can_replicate_;
  bool has_equal_processors_, communication_is_free_;
  /// Empty: any number.
  std::optional<std::uint32_t> replicas_;
  AreaBound area_;
  LeastMessage message_;
  /// The least time of one frame on one processor, and that of its tasks on any processors.
  Time sequential_;
  Period class_bound_;
  Time work_{0};
  std::vector<Part> parts_;
  /// The work of `replicas` frames, and of one frame's stateful tasks.
  Pieces pieces_, with_state_;
  /// Number of components of all copies together.
  std::size_t part_count_ = 0;
  /// For more processors than pieces.
  Time area_with_relays_{0};
  PeriodBound best_;
};

/// Returns the bound for schedules that use these processors and no others.
[[nodiscard]] PeriodBound period_bound_on(const TaskGraph& graph, const logp::Machine& machine,
                                          std::span<const ProcessorId> processors);

/// Stores a bound in the schedule, unless it has a better one. `among` names the class of schedules that the
/// bound holds for. Of equal bounds that of all schedules stays.
void raise_period_bound(Schedule& schedule, Period bound, std::string_view among = {});

/// Stores the bound for any number of copies in the schedule, unless it has a better one, and whether the
/// schedule meets it exactly.
void add_period_bound(const TaskGraph& graph, const logp::Machine& machine, Schedule& schedule);

}  // namespace takt::schedulers
