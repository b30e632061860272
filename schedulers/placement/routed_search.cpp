#include "schedulers/placement/routed_search.hpp"

#include <algorithm>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "schedulers/delay/assignment.hpp"
#include "schedulers/delay/ready_queue.hpp"

namespace takt::schedulers {

namespace {

/// Number of nearest processors that are tried for each group.
constexpr std::size_t most_targets = 8;

class RoutedMoves {
 public:
  RoutedMoves(const RoutedPlacer& placer, const InteractionGraph& exchanges, RoutedPlacement& placement,
              std::uint64_t& budget)
      : placer_(placer),
        exchanges_(exchanges),
        placement_(placement),
        budget_(budget),
        trial_cost_(placer.model().graph().task_count() + placer.model().graph().edge_count() + 1) {}

  void run() {
    const std::vector<std::uint32_t> order = busiest_first();
    bool is_better = true;
    while (is_better) {
      is_better = false;
      for (std::uint32_t group : order)
        for (ProcessorId target : targets(group)) {
          if (budget_ < trial_cost_) return;
          if (!try_move(group, target) && !try_swap(group, target)) continue;
          is_better = true;
          break;
        }
    }
  }

 private:
  [[nodiscard]] std::vector<std::uint32_t> busiest_first() const {
    std::vector<Time> said(placement_.groups.count(), Time{0});
    for (TaskId group : exchanges_.tasks())
      for (const auto& interaction : exchanges_.interactions(group))
        said[group.index()] += exchanges_.mean_exchange(interaction.edge);
    std::vector<std::uint32_t> order;
    for (std::uint32_t group = 0; group < said.size(); ++group) order.push_back(group);
    std::ranges::stable_sort(order, [&](std::uint32_t a, std::uint32_t b) { return said[a] > said[b]; });
    return order;
  }

  /// Returns the processors with the cheapest exchanges for a group, and the one with the least work.
  [[nodiscard]] std::vector<ProcessorId> targets(std::uint32_t group) const {
    const PlacedGroups& groups = placement_.groups;
    std::vector<std::pair<Time, ProcessorId>> near;
    for (ProcessorId p : exchanges_.processors()) {
      if (p == groups.place[group]) continue;
      Time time{0};
      for (const auto& interaction : exchanges_.interactions(TaskId(group)))
        time += exchanges_.exchange(interaction, p, groups.place[interaction.other.index()]);
      near.emplace_back(time, p);
    }
    const std::size_t count = std::min(most_targets, near.size());
    std::ranges::partial_sort(near, near.begin() + static_cast<std::ptrdiff_t>(count));
    std::vector<ProcessorId> result;
    for (std::size_t i = 0; i < count; ++i) result.push_back(near[i].second);
    const ProcessorId idlest = least_work();
    if (idlest != groups.place[group] && std::ranges::find(result, idlest) == result.end())
      result.push_back(idlest);
    return result;
  }

  [[nodiscard]] ProcessorId least_work() const {
    std::vector<Time> work(exchanges_.processor_count(), Time{0});
    for (TaskId group : exchanges_.tasks()) {
      const ProcessorId place = placement_.groups.place[group.index()];
      work[place.index()] += exchanges_.model().duration(group, place);
    }
    return ProcessorId(static_cast<std::size_t>(std::ranges::min_element(work) - work.begin()));
  }

  bool try_move(std::uint32_t group, ProcessorId target) {
    PlacedGroups moved = placement_.groups;
    moved.place[group] = target;
    return keep_if_better(std::move(moved));
  }

  /// Swaps with the group there that exchanges the most with the moved one, else with the first.
  bool try_swap(std::uint32_t group, ProcessorId target) {
    if (budget_ < trial_cost_) return false;
    const PlacedGroups& groups = placement_.groups;
    const auto there = std::ranges::find(groups.place, target);
    if (there == groups.place.end()) return false;
    PlacedGroups moved = groups;
    std::swap(moved.place[group], moved.place[static_cast<std::size_t>(there - groups.place.begin())]);
    return keep_if_better(std::move(moved));
  }

  bool keep_if_better(PlacedGroups groups) {
    budget_ -= trial_cost_;
    RoutedPlacement trial = routed(placer_, std::move(groups));
    if (!(trial.cost < placement_.cost)) return false;
    placement_ = std::move(trial);
    return true;
  }

  const RoutedPlacer& placer_;
  const InteractionGraph& exchanges_;
  RoutedPlacement& placement_;
  std::uint64_t& budget_;
  const std::uint64_t trial_cost_;
};

}  // namespace

PlacementCost placement_cost(const Timetable& timetable) {
  PlacementCost cost{timetable.length(), Time{0}};
  for (Time end : timetable.end) cost.sum_of_ends += end;
  return cost;
}

RoutedTimetable RoutedPlacer::place(std::span<const ProcessorId> processor_of) const {
  RoutedSchedule routed(empty_);
  ReadyQueue ready(model_->graph(), by_falling(model_->graph(), b_levels(*model_, processor_of)));
  while (!ready.empty()) {
    const TaskId task = ready.pop();
    routed.insert(task, processor_of[task.index()], [] { return std::string(); });
    ready.place(task);
  }
  return std::move(routed).take();
}

RoutedPlacement routed(const RoutedPlacer& placer, PlacedGroups groups) {
  RoutedTimetable timetable = placer.place(groups.processors());
  const PlacementCost cost = placement_cost(timetable);
  return {std::move(groups), std::move(timetable), cost};
}

PlacedGroups place_by_routes(const RoutedPlacer& placer, PlacedGroups groups) {
  const DelayModel& model = placer.model();
  RoutedSchedule routed(placer.empty());
  std::vector<std::optional<ProcessorId>> home(groups.count());
  ReadyQueue ready(model.graph(), by_falling(model.graph(), b_levels(model)));
  while (!ready.empty()) {
    const TaskId task = ready.pop();
    std::optional<ProcessorId>& place = home[groups.group_of[task.index()]];
    Time earliest = Time::max();
    if (!place)
      for (ProcessorId p : model.processors()) {
        const Time end = routed.earliest_start(task, p) + model.duration(task, p);
        if (end >= earliest) continue;
        earliest = end;
        place = p;
      }
    routed.insert(task, *place, [] { return std::string(); });
    ready.place(task);
  }
  for (std::size_t group = 0; group < home.size(); ++group) groups.place[group] = *home[group];
  return groups;
}

RoutedPlacement place_one_by_one(const RoutedPlacer& placer, std::vector<TaskId> order) {
  const DelayModel& model = placer.model();
  RoutedSchedule routed(placer.empty());
  ReadyQueue ready(model.graph(), std::move(order));
  while (!ready.empty()) {
    const TaskId task = ready.pop();
    ProcessorId place;
    Time earliest = Time::max();
    for (ProcessorId p : model.processors()) {
      const Time end = routed.earliest_start(task, p) + model.duration(task, p);
      if (end >= earliest) continue;
      earliest = end;
      place = p;
    }
    routed.insert(task, place, [] { return std::string(); });
    ready.place(task);
  }
  RoutedTimetable timetable = std::move(routed).take();
  const PlacementCost cost = placement_cost(timetable);
  return {PlacedGroups::single_tasks(timetable.processor), std::move(timetable), cost};
}

void improve_routed(const RoutedPlacer& placer, const InteractionGraph& exchanges, RoutedPlacement& placement,
                    std::uint64_t& budget) {
  RoutedMoves(placer, exchanges, placement, budget).run();
}

}  // namespace takt::schedulers
