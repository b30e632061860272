#include "schedulers/heterogeneous/ca_search.hpp"

#include <algorithm>
#include <initializer_list>
#include <utility>
#include <vector>

#include "schedulers/bounds/least_times.hpp"
#include "schedulers/clustering/dsc.hpp"
#include "schedulers/heterogeneous/heft.hpp"
#include "schedulers/network/bsa.hpp"
#include "schedulers/network/bu.hpp"
#include "schedulers/network/dls_apn.hpp"
#include "schedulers/network/mh.hpp"
#include "schedulers/placement/indirect.hpp"
#include "schedulers/placement/routed_search.hpp"

namespace takt::schedulers {

namespace {

constexpr std::uint64_t default_budget = 1 << 21;

/// Places the clusters of DSC on the machine's links.
RoutedPlacement placed_clusters(const RoutedPlacer& placer, const logp::Machine& machine,
                                const Options& options, std::uint64_t budget) {
  const DelayModel& model = placer.model();
  const Clustering clustering = dsc(model, options);
  PlacedGroups groups = PlacedGroups::of_processors(clustering.timetable.processor);
  RoutedPlacement placement = routed(placer, place_by_routes(placer, std::move(groups)));
  const PlacedGroups& placed = placement.groups;
  const TaskGraph exchange_graph = exchanges_of_groups(model.graph(), placed.group_of, placed.count());
  const InteractionGraph exchanges(exchange_graph, machine);
  improve_routed(placer, exchanges, placement, budget);
  return placement;
}

RoutedPlacement single_tasks(const RoutedPlacer& placer, std::vector<ProcessorId> processor_of) {
  return routed(placer, PlacedGroups::single_tasks(std::move(processor_of)));
}

}  // namespace

Schedule ca_search(const TaskGraph& graph, const logp::Machine& machine, const Options& options) {
  Options quiet = options;
  quiet.trace = nullptr;
  quiet.listener = nullptr;
  quiet.effort.reset();
  const std::uint64_t budget = options.effort.value_or(default_budget);
  const DelayModel model(graph, machine);
  std::vector<Schedule> made;
  std::vector<RoutedPlacement> placements;
  const RoutedPlacer placer(model, machine);
  const auto add = [&](Schedule schedule) {
    placements.push_back(single_tasks(placer, processors_of(graph, schedule)));
    options.tell(schedule);
    made.push_back(std::move(schedule));
  };
  const auto made_of = [&](const RoutedTimetable& timetable) {
    return timed("ca_search", graph, machine, timetable);
  };
  if (graph.task_count() == 0) return made_of(mh(model, machine, quiet));
  // As the mapping leaves them, so that the result is never worse.
  using Decide = RoutedTimetable (*)(const DelayModel&, const logp::Machine&, const Options&);
  for (const Decide decide : std::initializer_list<Decide>{mh, dls_apn, bu, bsa})
    add(put_on_network(graph, machine, made_of(decide(model, machine, quiet)), quiet));
  add(made_of(placer.place(heft(model, quiet).processor)));
  add(made_of(placed_clusters(placer, machine, quiet, budget / 4).timetable));
  const ProcessorId fastest = fastest_sequential_run(graph, machine).processor;
  add(made_of(placer.place(std::vector<ProcessorId>(graph.task_count(), fastest))));

  std::ranges::stable_sort(placements, {}, &RoutedPlacement::cost);
  const InteractionGraph exchanges(graph, machine);
  for (std::size_t i = 0; i < 2; ++i) {
    std::uint64_t share = (budget - budget / 4) / 2;
    improve_routed(placer, exchanges, placements[i], share);
    made.push_back(timed("ca_search", graph, machine, placements[i].timetable));
  }
  return *std::ranges::min_element(made, {}, [](const Schedule& each) { return measure(each).makespan; });
}

}  // namespace takt::schedulers
