#include "schedulers/baseline/random.hpp"

#include <utility>

#include "core/random.hpp"
#include "schedulers/delay/assignment.hpp"

namespace takt::schedulers {

Timetable random(const DelayModel& model, const Options& options) {
  Random draw(options.seed);
  std::vector<ProcessorId> processor_of;
  for (std::size_t i = 0; i < model.graph().task_count(); ++i)
    processor_of.emplace_back(draw.below(model.processor_count()));
  return place_assigned(model, processor_of, options.trace,
                        [](TaskId) { return std::string("processor drawn by lot"); });
}

Schedule random(const TaskGraph& graph, const logp::Machine& machine, const Options& options) {
  Timetable decided = random(DelayModel(graph, machine), options);
  return timed("random", graph, machine, std::move(decided));
}

}  // namespace takt::schedulers
