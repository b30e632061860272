#include "tests/schedulers/frequency/dear_messages_study.hpp"

#include <fmt/format.h>

#include "core/generators.hpp"
#include "core/schedule.hpp"
#include "logp/machine.hpp"
#include "schedulers/registry/registry.hpp"

namespace takt::schedulers {

const std::vector<std::string_view>& dear_shapes() {
  static const std::vector<std::string_view> shapes{
      "gauss:size=8",          "gauss:size=16",          "fft:depth=4",       "fft:depth=5",
      "laplace:size=8",        "laplace:size=14",        "layered:tasks=100", "layered:tasks=300",
      "nbody:size=10",         "nbody:size=16",          "send_tree:depth=6", "receive_tree:depth=7",
      "wave:width=10,depth=8", "wave:width=20,depth=12", "diamond:depth=10",  "strassen:depth=2"};
  return shapes;
}

DearPeriod plan_dear(const DearMessages& what) {
  const TaskGraph graph =
      generate(fmt::format("{},cost=1..100,data=1..{},seed={}", what.shape, what.largest_datum, what.seed));
  const logp::Machine machine =
      logp::parse_machine(fmt::format("loglinear:P={},L=0+1,o=0+1,g=0+1", what.processors));
  Options options;
  options.effort = what.effort;
  const Schedule schedule = find_scheduler("optfo").schedule(graph, machine, options);
  const ScheduleMetrics metrics = measure(schedule);
  return {schedule.period_bound->time_of(1), metrics.repetition, metrics.processors_used};
}

}  // namespace takt::schedulers
