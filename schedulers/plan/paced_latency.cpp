#include "schedulers/plan/paced_latency.hpp"

#include <cstdint>

#include "core/graphs/task_groups.hpp"
#include "logp/simulation.hpp"

namespace takt::schedulers {

namespace {

/// Returns nothing if the schedule does not keep up with the frames.
std::optional<logp::SimulationResult> simulate_paced(const TaskGraph& graph, const logp::Machine& machine,
                                                     const Schedule& schedule, double frame_interval,
                                                     const std::vector<TaskId>& watched) {
  if (schedule.replicas == 1 || measure(schedule).period() > frame_interval ||
      runs_in_groups(graph, schedule))
    return std::nullopt;
  // The first frames meet an empty pipeline; their share is small.
  constexpr std::uint64_t rounds = 20, places = 64;
  logp::SimulationResult seen = logp::simulate(graph, machine, schedule,
                                               {.frames = rounds * schedule.replicas,
                                                .frame_interval = frame_interval,
                                                .input_places = places + 2 * std::uint64_t{schedule.replicas},
                                                .watched = watched});
  if (seen.lost > 0 || seen.most_input_queue > 2 * std::uint64_t{schedule.replicas}) return std::nullopt;
  return seen;
}

}  // namespace

std::optional<Time> paced_latency(const TaskGraph& graph, const logp::Machine& machine,
                                  const Schedule& schedule, double frame_interval) {
  const std::optional<logp::SimulationResult> seen =
      simulate_paced(graph, machine, schedule, frame_interval, {});
  return seen ? std::optional(seen->latency_quantile(0.5)) : std::nullopt;
}

std::optional<std::vector<Time>> paced_latencies_to(const std::vector<TaskId>& tasks, const TaskGraph& graph,
                                                    const logp::Machine& machine, const Schedule& schedule,
                                                    double frame_interval) {
  const std::optional<logp::SimulationResult> seen =
      simulate_paced(graph, machine, schedule, frame_interval, tasks);
  if (!seen) return std::nullopt;
  std::vector<Time> medians;
  for (const std::vector<Time>& latencies : seen->latencies_to)
    medians.push_back(logp::SimulationResult::quantile(latencies, 0.5));
  return medians;
}

}  // namespace takt::schedulers
