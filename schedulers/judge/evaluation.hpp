#pragma once
/// A schedule together with what follows from it: its figures, the checker's verdict and how near it is to
/// the bound.

#include <string>
#include <vector>

#include "core/graphs/task_graph.hpp"
#include "core/schedule.hpp"
#include "logp/diagnostics.hpp"
#include "logp/machine.hpp"
#include "schedulers/scheduler.hpp"

namespace takt::schedulers {

/// What one compares schedules by.
struct Figures {
  std::string scheduler;
  std::size_t processors_used = 0;
  /// Frames in one repetition.
  std::uint32_t replicas = 1;
  Time repetition{0};
  Time makespan{0};
  /// The longest time from a frame's first operation to its last one.
  Time latency{0};
  /// The best lower bound known of the period, and the class of schedules of which it is one, such as
  /// `schedules of one frame at a time`; empty: of all.
  Period bound;
  std::string bound_among;
  /// Time that the whole graph takes on the processor that does it fastest.
  Time sequential{0};
  /// Length of the longest path, tasks only, each on the processor that does it fastest, or on as many as a
  /// moldable one can have.
  Time critical_path{0};
  /// No schedule of the graph on this machine has a smaller makespan: the best bound known.
  Time makespan_bound{0};
  /// Whether the bound is met: no schedule (of the bound's class) has a smaller period.
  bool optimal = false;
  /// The class of which that is proven, where it is proven of a class only.
  std::string optimal_among;
  bool valid = false;
  /// How long the scheduler took; 0 when the schedule was not computed here.
  double seconds = 0;

  /// Time between frames, exactly and in ticks, and its lower bound: fractions only with replicas.
  [[nodiscard]] Period exact_period() const { return {repetition, replicas}; }
  [[nodiscard]] double period() const { return exact_period().ticks(); }
  [[nodiscard]] double lower_bound() const { return bound.ticks(); }
  /// Time of one frame from its first operation to its last one: the makespan, or the latency where the
  /// makespan is that of several frames.
  [[nodiscard]] Time frame_length() const { return replicas > 1 ? latency : makespan; }
  /// Frames a tick; 0 for an empty schedule.
  [[nodiscard]] double frequency() const { return repetition.count() > 0 ? 1 / period() : 0; }
  /// Period over its lower bound; 1 for a graph without work.
  [[nodiscard]] double ratio() const;
  /// Sequential time over makespan, for as many frames as the makespan holds.
  [[nodiscard]] double speed_up() const;
  /// One frame's length over its lower bound; 1 for a graph without work.
  [[nodiscard]] double makespan_ratio() const;
  /// Normalised schedule length: one frame's length over the critical path. Source: Kwok and
  /// Ahmad, "Benchmarking and comparison of the task graph scheduling algorithms" (1999); as in Topcuoglu et
  /// al. (2002) the path is the longest one without data, so that it is a bound.
  [[nodiscard]] double normalised_length() const;
  /// Speed-up over processors used.
  [[nodiscard]] double efficiency() const;

  /// Takes a bound that is better, or equal and of all schedules.
  void raise_bound(const Period& other, const std::string& among);
};

struct Evaluation {
  Schedule schedule;
  ScheduleMetrics metrics;
  /// Broken rules; none when the schedule is valid.
  std::vector<logp::Finding> findings;
  Figures figures;
};

/// Measures and judges a schedule.
[[nodiscard]] Evaluation judge(const TaskGraph& graph, const logp::Machine& machine, Schedule schedule,
                               const logp::DiagnosticOptions& options = {});

/// Runs a scheduler, then measures and judges what it made. Throws ConfigError when it cannot serve graph or
/// machine.
[[nodiscard]] Evaluation evaluate(const Scheduler& scheduler, const TaskGraph& graph,
                                  const logp::Machine& machine, const Options& options = {});

}  // namespace takt::schedulers
