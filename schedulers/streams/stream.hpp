#pragma once
/// One of several computations that share a machine.

#include <string>
#include <vector>

#include "core/graphs/task_graph.hpp"
#include "schedulers/plan/required_rate.hpp"

namespace takt::schedulers {

/// What is done to each frame of a stream, and how often.
struct Stream {
  /// Without `#` and `/`.
  std::string name;
  TaskGraph graph;
  RequiredRate rate;
  /// Streams of a higher priority are placed first; of equal ones the earlier.
  int priority = 0;
  /// How many times the rate its places in the timetable allow, at least: measured costs vary.
  double margin = 1;
  /// Its times were measured: nanoseconds, which texts give units. Others are ticks.
  bool is_measured = false;
  /// As the schedule that it runs is to have them (Schedule::whole_frames).
  std::vector<TaskId> whole_frames = {};

  /// The longest time between its frames' places.
  [[nodiscard]] RequiredRate placed_rate() const { return {rate.period / margin}; }
};

/// A stream's name from that of its pipeline or graph: without the letters that part stream, frame and task,
/// and with a number where it is taken already.
[[nodiscard]] std::string stream_name(std::string name, const std::vector<std::string>& taken);

}  // namespace takt::schedulers
