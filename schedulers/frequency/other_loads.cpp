#include "schedulers/frequency/other_loads.hpp"

#include <algorithm>
#include <vector>

#include "schedulers/delay/delay_model.hpp"
#include "schedulers/delay/timetable.hpp"

namespace takt::schedulers {

bool has_as_much_work(const OtherScheduler& other, const TaskGraph& graph, const logp::Machine& machine,
                      const Options& options, Time repetition) {
  if (other.decide == nullptr || graph.is_moldable()) return false;
  const Timetable decided = other.decide(DelayModel(graph, machine), options);
  std::vector<Time> work(machine.processor_count(), Time{0});
  for (TaskId task : graph.tasks()) {
    const ProcessorId processor = decided.processor[task.index()];
    work[processor.index()] += machine.duration(graph, task, processor);
  }
  return std::ranges::max(work) >= repetition;
}

}  // namespace takt::schedulers
