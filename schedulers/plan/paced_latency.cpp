#include "schedulers/plan/paced_latency.hpp"

#include <cstdint>

#include "core/task_groups.hpp"
#include "logp/simulation.hpp"

namespace takt::schedulers {

std::optional<Time> paced_latency(const TaskGraph& graph, const logp::Machine& machine,
                                  const Schedule& schedule, double frame_interval) {
  if (schedule.replicas == 1 || measure(schedule).period() > frame_interval ||
      runs_in_groups(graph, schedule))
    return std::nullopt;
  // The first frames meet a pipeline that is empty; their part is small.
  constexpr std::uint64_t rounds = 20, places = 64;
  const logp::SimulationResult seen =
      logp::simulate(graph, machine, schedule,
                     {.frames = rounds * schedule.replicas,
                      .frame_interval = frame_interval,
                      .input_places = places + 2 * std::uint64_t{schedule.replicas}});
  const bool keeps_up = seen.lost == 0 && seen.most_input_queue <= 2 * std::uint64_t{schedule.replicas};
  return keeps_up ? std::optional(seen.latency_quantile(0.5)) : std::nullopt;
}

}  // namespace takt::schedulers
