#include "schedulers/list/dls.hpp"

#include <tuple>
#include <utility>

#include <fmt/format.h>

#include "schedulers/delay/pair_selection.hpp"
#include "schedulers/delay/partial_schedule.hpp"

namespace takt::schedulers {

namespace {

struct HighestDynamicLevel {
  bool operator()(const ReadyPair& a, const ReadyPair& b) const {
    return std::tuple(b.level - b.arrival, a.task) < std::tuple(a.level - a.arrival, b.task);
  }
};

}  // namespace

Timetable dls(const DelayModel& model, const Options& options) {
  const std::vector<Time> level = static_levels(model);
  PartialSchedule partial(model, options.trace);
  PairSelection<HighestDynamicLevel> ready(partial, [&](TaskId task, ProcessorId p) {
    return level[task.index()] + model.mean_duration(task) - model.duration(task, p);
  });
  while (!ready.empty()) {
    const auto [task, slot] = ready.take_least(
        [](const ReadyPair& pair, Time start) { return std::tuple(start - pair.level, pair.task); });
    consider_all(partial, task);
    partial.place(task, slot, [&] {
      const Time dynamic_level =
          level[task.index()] + model.mean_duration(task) - model.duration(task, slot.processor) - slot.start;
      return fmt::format("highest dynamic level of all pairs {}, static level {}", dynamic_level.count(),
                         level[task.index()].count());
    });
    ready.place(task);
  }
  return std::move(partial).take();
}

Schedule dls(const TaskGraph& graph, const logp::Machine& machine, const Options& options) {
  Timetable decided = dls(DelayModel(graph, machine), options);
  return timed("dls", graph, machine, std::move(decided));
}

}  // namespace takt::schedulers
