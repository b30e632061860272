#include "schedulers/placement/indirect.hpp"

#include <algorithm>
#include <ratio>
#include <utility>
#include <vector>

#include "core/graphs/task_groups.hpp"
#include "schedulers/bounds/least_times.hpp"
#include "schedulers/delay/ready_queue.hpp"
#include "schedulers/mapping/annealing.hpp"
#include "schedulers/mapping/astar.hpp"
#include "schedulers/mapping/recursive_clustering.hpp"
#include "schedulers/placement/routed_search.hpp"

namespace takt::schedulers {

namespace {

/// Steps or states for each group and processor of the algorithms for interacting tasks.
constexpr std::uint64_t effort_per_group = 200;
/// Tasks and messages placed in trials: a tenth of a second or two.
constexpr std::uint64_t trial_budget = 1 << 19;
/// Tasks and messages times processors: a few seconds for the placement of each at its earliest end.
constexpr std::uint64_t most_one_by_one = 1 << 23;
/// Largest length of a schedule with whole groups, relative to one with tasks placed one by one.
using largest_excess = std::ratio<11, 10>;

std::vector<ProcessorId> places_by(NetworkMapping mapping, const InteractionGraph& exchanges,
                                   const Options& options) {
  Options own{.seed = options.seed, .effort = effort_per_group * exchanges.task_count()};
  if (mapping == NetworkMapping::astar) return astar(exchanges, own).processor_of;
  if (mapping == NetworkMapping::annealing) return annealing(exchanges, own);
  return recursive_clustering(exchanges, own);
}

/// If tasks placed one by one, in the order of their starts, each with its earliest end, are finished much
/// earlier, then one processor per group is too slow here: the groups were formed without contention. The
/// tasks then keep their individual placement, and are moved one by one in graphs for which the budget allows
/// a trial per task.
void take_apart(const RoutedPlacer& placer, const logp::Machine& machine, RoutedPlacement& placement) {
  const TaskGraph& graph = placer.model().graph();
  const std::uint64_t tasks = graph.task_count(), trial = tasks + graph.edge_count();
  if (trial * machine.processor_count() > most_one_by_one) return;
  const std::vector<Time>& start = placement.timetable.start;
  RoutedPlacement one_by_one = place_one_by_one(
      placer, sorted_tasks(graph, [&](TaskId a, TaskId b) { return start[a.index()] < start[b.index()]; }));
  if (placement.cost.length * largest_excess::den <= one_by_one.cost.length * largest_excess::num) return;
  std::vector<RoutedPlacement> apart;
  apart.push_back(std::move(one_by_one));
  if (tasks * trial <= trial_budget) {
    placement.groups = PlacedGroups::single_tasks(placement.groups.processors());
    apart.push_back(std::move(placement));
    const std::vector<std::uint32_t>& group_of = apart.front().groups.group_of;
    const TaskGraph exchange_graph = exchanges_of_groups(graph, group_of, tasks);
    const InteractionGraph exchanges(exchange_graph, machine);
    for (RoutedPlacement& each : apart) {
      std::uint64_t budget = trial_budget / 2;
      improve_routed(placer, exchanges, each, budget);
    }
  }
  placement = std::move(*std::ranges::min_element(apart, {}, &RoutedPlacement::cost));
}

RoutedPlacement best_placement(const DelayModel& model, const logp::Machine& machine,
                               const PlacedGroups& groups, const InteractionGraph& exchanges,
                               const Options& options) {
  const RoutedPlacer placer(model, machine);
  RoutedPlacement best = routed(placer, groups);
  const auto consider = [&](std::vector<ProcessorId> place) {
    RoutedPlacement trial = routed(placer, {groups.group_of, std::move(place)});
    if (trial.cost < best.cost) best = std::move(trial);
  };
  const ProcessorId fastest = fastest_sequential_run(model.graph(), machine).processor;
  consider(std::vector<ProcessorId>(groups.count(), fastest));
  consider(places_by(NetworkMapping::recursive_clustering, exchanges, options));
  consider(place_by_routes(placer, groups).place);
  std::uint64_t budget = trial_budget;
  improve_routed(placer, exchanges, best, budget);
  take_apart(placer, machine, best);
  return best;
}

}  // namespace

std::vector<ProcessorId> processors_of(const TaskGraph& graph, const Schedule& schedule) {
  std::vector<ProcessorId> result(graph.task_count());
  for (std::size_t p = 0; p < schedule.processors.size(); ++p)
    for (const Operation& operation : schedule.processors[p])
      if (operation.kind == OperationKind::compute) result[operation.task().index()] = ProcessorId(p);
  return result;
}

Schedule put_on_network(const TaskGraph& graph, const logp::Machine& machine, Schedule schedule,
                        const Options& options) {
  if (machine.platform().network.empty() || options.mapping == NetworkMapping::none ||
      graph.is_undirected() || graph.task_count() == 0 || machine.processor_count() == 1)
    return schedule;
  // Groups of processors for one task keep the processors of their scheduler.
  if (options.mapping != NetworkMapping::best && runs_in_groups(graph, schedule)) return schedule;
  const DelayModel model(graph, machine);
  PlacedGroups groups = PlacedGroups::of_processors(processors_of(graph, schedule));
  const TaskGraph exchange_graph = exchanges_of_groups(graph, groups.group_of, groups.count());
  const InteractionGraph exchanges(exchange_graph, machine);
  if (options.mapping != NetworkMapping::best) {
    groups.place = places_by(options.mapping, exchanges, options);
    Schedule mapped =
        timed(schedule.scheduler, graph, machine, RoutedPlacer(model, machine).place(groups.processors()));
    mapped.makespan_bound = schedule.makespan_bound;
    mapped.guarantee = schedule.guarantee;
    return mapped;
  }
  const RoutedPlacement placed = best_placement(model, machine, groups, exchanges, options);
  // If messages occupy processors, the engine's times decide.
  std::vector<Schedule> candidates;
  candidates.push_back(std::move(schedule));
  const std::string name = candidates.front().scheduler;
  candidates.push_back(timed(name, graph, machine, placed.timetable));
  const ProcessorId fastest = fastest_sequential_run(graph, machine).processor;
  candidates.push_back(
      timed(name, graph, machine,
            RoutedPlacer(model, machine).place(std::vector<ProcessorId>(graph.task_count(), fastest))));
  Schedule& shortest =
      *std::ranges::min_element(candidates, {}, [](const Schedule& each) { return measure(each).makespan; });
  shortest.makespan_bound = candidates.front().makespan_bound;
  shortest.guarantee = candidates.front().guarantee;
  return std::move(shortest);
}

}  // namespace takt::schedulers
