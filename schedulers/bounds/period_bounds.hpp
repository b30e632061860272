#pragma once
/// How high the frequency can be at all: lower bounds of the period, and why they hold.

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

/// Why no schedule can be faster.
enum class BoundRule : std::uint8_t {
  /// Area bound: all the work, shared out evenly.
  area,
  /// The same with the messages that hold the graph together.
  area_with_messages,
  /// One task, with the message that it must send or receive.
  largest_task,
  /// A task with state sees every frame on one processor.
  state,
  /// Of the kP + 1 largest tasks, k + 1 meet on one processor.
  pigeonhole,
  /// A processor's time is a sum of whole tasks.
  subset_sum,
  /// Two messages of a processor start a gap apart.
  gap,
  /// What a processor with a task with state does not do itself of a frame, it exchanges messages for.
  moved_frames,
  /// The work shared out between classes of processors (class_bound.hpp).
  classes,
};

/// A sentence for people about a rule.
[[nodiscard]] std::string_view explain(BoundRule rule);

/// A lower bound of the time between frames, and which rule it comes from.
struct PeriodBound {
  Period period;
  BoundRule rule = BoundRule::area;
};

/// Whether any task may run successive frames on different processors, and there is more than one of these:
/// only then can a repetition of several copies be faster, a frame, than one of one copy.
[[nodiscard]] bool can_replicate(const TaskGraph& graph, const logp::Machine& machine);

/// The lower bounds of the period of a graph on a machine, for schedules whose repetition holds any number of
/// copies of the graph (successive frames), or just so many.
///
/// Everything is proven in period_bounds.cpp. What holds for one copy only is that a task is no larger than a
/// period: with several, one frame can be at work on it here and the next one there. For any number there
/// remain the area bound, tasks with state, and, on equal processors, what it costs to take frames to other
/// processors and back. Where nothing can be replicated, any number of copies is as slow as one.
///
/// With R copies of n tasks, construction is O(R n log(R n)) and a bound O(R n / q) on q equal processors,
/// O(q^2 log W) on different ones; all P bounds are asked for the best one. Subset sums are tried only as
/// long as that takes milliseconds. For any number of copies construction is O((n + m) + n log n), and a
/// bound O(n).
class PeriodBounds {
 public:
  /// For any number of copies.
  PeriodBounds(const TaskGraph& graph, const logp::Machine& machine);
  /// For schedules of so many copies, one at least.
  PeriodBounds(const TaskGraph& graph, const logp::Machine& machine, std::uint32_t replicas);

  /// No schedule has a smaller period: the least of the bounds on 1, 2, ..., P processors.
  [[nodiscard]] const PeriodBound& best() const { return best_; }
  /// No schedule that uses `used` processors, whichever, for tasks or to pass data on, has a smaller period.
  [[nodiscard]] PeriodBound on(std::size_t used) const;

 private:
  /// Tasks that hang together, directly or through others, with their data.
  struct Part {
    /// The least time of its tasks for one frame.
    Time work{0};
    Time largest_task{0};
    /// Of its tasks with state; nothing where it has none.
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
  /// Nothing: any number.
  std::optional<std::uint32_t> replicas_;
  AreaBound area_;
  LeastMessage message_;
  /// The least time of one frame on one processor, and that of its tasks on any processors.
  Time sequential_;
  Period class_bound_;
  Time work_{0};
  std::vector<Part> parts_;
  /// The work of `replicas` frames, and of one frame's tasks with state.
  Pieces pieces_, with_state_;
  /// How many parts the copies form together.
  std::size_t part_count_ = 0;
  /// Where there are more processors than pieces.
  Time area_with_relays_{0};
  PeriodBound best_;
};

/// The bound for schedules that use these processors and no others.
[[nodiscard]] PeriodBound period_bound_on(const TaskGraph& graph, const logp::Machine& machine,
                                          std::span<const ProcessorId> processors);

/// Notes a bound in the schedule, unless it has a better one: of a class of schedules where that is named. Of
/// equal bounds that of all schedules stays.
void raise_period_bound(Schedule& schedule, Period bound, std::string_view among = {});

/// Notes the bound for any number of copies in the schedule, unless it has a better one, and whether it is
/// met exactly.
void add_period_bound(const TaskGraph& graph, const logp::Machine& machine, Schedule& schedule);

}  // namespace takt::schedulers
