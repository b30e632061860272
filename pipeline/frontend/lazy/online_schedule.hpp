#pragma once
/// List scheduling of tasks that arrive one after another and are placed at once.

#include <cstdint>
#include <map>
#include <optional>
#include <vector>

#include "core/ids.hpp"
#include "core/units.hpp"
#include "logp/machine.hpp"

namespace takt::frontend {

/// Where and when a task runs.
struct Placement {
  ProcessorId processor;
  Time start{0};
  Time end{0};
};

/// Places each task on the processor where it ends first, after the tasks already there; ties: the earlier
/// end of these, then the lower processor. Times are those of the delay model (schedulers/delay/delay_model):
/// an input from another processor arrives the send overhead, latency and receive overhead of its size after
/// it was made.
class OnlineSchedule {
 public:
  explicit OnlineSchedule(const logp::Machine& machine);

  /// Adds an input of the next task: when and where it was made. O(processors).
  void add_input(Time made, ProcessorId from, Bytes size);
  /// Places the next task, on `fixed` if there is one. O(processors).
  Placement place(Time work, std::optional<ProcessorId> fixed = {});

  /// Returns the end of the last task, over all processors.
  [[nodiscard]] Time makespan() const;
  /// Returns the time of a task on a processor, and the shortest one.
  [[nodiscard]] Time duration(Time work, ProcessorId processor);
  [[nodiscard]] Time shortest(Time work);

 private:
  [[nodiscard]] Time delay(ProcessorId from, ProcessorId to, Bytes size) const;
  [[nodiscard]] const std::vector<Time>& durations(Time work);

  const logp::Machine& machine_;
  bool has_equal_speeds_, has_equal_delays_;
  std::vector<Time> clocks_;
  /// When the inputs of the next task are on each processor.
  std::vector<Time> arrivals_;
  /// By work, where speeds differ.
  std::map<Time, std::vector<Time>> durations_;
};

}  // namespace takt::frontend
