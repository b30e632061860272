#pragma once
/// One of several computations that share a machine.

#include <optional>
#include <string>
#include <vector>

#include "core/graphs/task_graph.hpp"
#include "schedulers/plan/required_rate.hpp"

namespace takt::schedulers {

/// The task graph of the frames of a stream, and their rate.
struct Stream {
  /// Without `#` and `/`.
  std::string name;
  TaskGraph graph;
  RequiredRate rate;
  /// Streams of a higher priority are placed first; of equal ones the earlier.
  int priority = 0;
  /// Factor by which its placed rate must exceed the required one: measured costs vary.
  double margin = 1;
  /// Its times were measured in nanoseconds, with units in texts; otherwise they are ticks.
  bool is_measured = false;
  /// Copied to the schedule that it runs (Schedule::whole_frames).
  std::vector<TaskId> whole_frames = {};
  /// The longest allowed latency of a frame.
  std::optional<Time> latency_limit = {};

  [[nodiscard]] bool allows(Time latency) const { return !latency_limit || latency <= *latency_limit; }

  /// Returns the longest time between its placed frames.
  [[nodiscard]] RequiredRate placed_rate() const { return {rate.period / margin}; }
};

/// Returns a stream's name from that of its pipeline or graph: without the separators of stream, frame and
/// task, and with a number if it is already used.
[[nodiscard]] std::string stream_name(std::string name, const std::vector<std::string>& taken);

}  // namespace takt::schedulers
