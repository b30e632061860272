#pragma once
/// Evaluation of a schedule:
/// its figures, the checker's verdict and its distance from the bounds.

#include <string>
#include <vector>

#include "core/graphs/task_graph.hpp"
#include "core/schedule.hpp"
#include "logp/diagnostics.hpp"
#include "logp/machine.hpp"
#include "schedulers/scheduler.hpp"

namespace takt::schedulers {

/// The figures that schedules are compared by.
struct Figures {
  std::string scheduler;
  std::size_t processors_used = 0;
  /// Frames per iteration.
  std::uint32_t replicas = 1;
  Time repetition{0};
  Time makespan{0};
  /// The longest time from a frame's first operation to its last one.
  Time latency{0};
  /// The best known lower bound of the period, and the class of schedules that it holds for, such as
  /// `schedules of one frame at a time`; empty: all.
  Period bound;
  std::string bound_among;
  /// Time of the whole graph on the fastest processor for it.
  Time sequential{0};
  /// Length of the longest path, tasks only, each on its fastest processor, or on the largest possible group
  /// if it is moldable.
  Time critical_path{0};
  /// No schedule of the graph on this machine has a smaller makespan: the best known bound.
  Time makespan_bound{0};
  /// Whether the bound is met: no schedule (of the bound's class) has a smaller period.
  bool optimal = false;
  /// The class of schedules of that proof; empty: all.
  std::string optimal_among;
  bool valid = false;
  /// Time of the scheduler; 0 when the schedule was not computed here.
  double seconds = 0;

  /// Time between frames, exact and in ticks, and its lower bound: fractions only with replicas.
  [[nodiscard]] Period exact_period() const { return {repetition, replicas}; }
  [[nodiscard]] double period() const { return exact_period().ticks(); }
  [[nodiscard]] double lower_bound() const { return bound.ticks(); }
  /// Returns the time of one frame from its first operation to its last one: the makespan, or the latency if
  /// the makespan is that of several frames.
  [[nodiscard]] Time frame_length() const { return replicas > 1 ? latency : makespan; }
  /// Returns frames per tick; 0 for an empty schedule.
  [[nodiscard]] double frequency() const { return repetition.count() > 0 ? 1 / period() : 0; }
  /// Returns the period over its lower bound; 1 for a graph without work.
  [[nodiscard]] double ratio() const;
  /// Returns sequential time over makespan, for as many frames as the makespan holds.
  [[nodiscard]] double speed_up() const;
  /// Returns one frame's length over its lower bound; 1 for a graph without work.
  [[nodiscard]] double makespan_ratio() const;
  /// Returns the normalised schedule length: one frame's length over the critical path. Source: Kwok and
  /// Ahmad, "Benchmarking and comparison of the task graph scheduling algorithms" (1999); as in Topcuoglu et
  /// al. (2002) the path is the longest one without data, which makes it a bound.
  [[nodiscard]] double normalised_length() const;
  /// Returns speed-up over processors used.
  [[nodiscard]] double efficiency() const;

  /// Adopts a bound that is better, or equal and of all schedules.
  void raise_bound(const Period& other, const std::string& among);
};

struct Evaluation {
  Schedule schedule;
  ScheduleMetrics metrics;
  /// Violated rules; empty when the schedule is valid.
  std::vector<logp::Finding> findings;
  Figures figures;
};

/// Measures and checks a schedule.
[[nodiscard]] Evaluation judge(const TaskGraph& graph, const logp::Machine& machine, Schedule schedule,
                               const logp::DiagnosticOptions& options = {});

/// Runs a scheduler, then measures and checks its schedule. Throws ConfigError if it does not support graph
/// or machine.
[[nodiscard]] Evaluation evaluate(const Scheduler& scheduler, const TaskGraph& graph,
                                  const logp::Machine& machine, const Options& options = {});

}  // namespace takt::schedulers
