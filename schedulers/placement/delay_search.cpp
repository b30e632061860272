#include "schedulers/placement/delay_search.hpp"

#include <utility>

#include "schedulers/placement/routed_search.hpp"

namespace takt::schedulers {

Timetable improve_delays(const DelayModel& model, Timetable timetable, std::uint64_t budget) {
  if (timetable.processor.empty() || model.processor_count() == 1) return timetable;
  const logp::Machine& given = model.machine();
  Platform platform = given.platform();
  platform.network = {};
  const logp::Machine machine(std::move(platform), given.level_costs(), given.pair_costs());
  const RoutedPlacer placer(model, machine);
  const InteractionGraph exchanges(model.graph(), machine);
  RoutedPlacement placement = routed(placer, PlacedGroups::single_tasks(timetable.processor));
  improve_routed(placer, exchanges, placement, budget);
  if (placement.timetable.length() < timetable.length()) return std::move(placement.timetable);
  return timetable;
}

}  // namespace takt::schedulers
