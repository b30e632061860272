#include "schedulers/list/etf.hpp"

#include <tuple>
#include <utility>

#include <fmt/format.h>

#include "schedulers/delay/pair_selection.hpp"
#include "schedulers/delay/partial_schedule.hpp"

namespace takt::schedulers {

namespace {

struct EarliestArrival {
  bool operator()(const ReadyPair& a, const ReadyPair& b) const {
    return std::tuple(a.arrival, b.level, a.task) < std::tuple(b.arrival, a.level, b.task);
  }
};

}  // namespace

Timetable etf(const DelayModel& model, const Options& options) {
  const std::vector<Time> level = static_levels(model);
  PartialSchedule partial(model, options.trace);
  PairSelection<EarliestArrival> ready(partial,
                                       [&](TaskId task, ProcessorId) { return level[task.index()]; });
  while (!ready.empty()) {
    // The earliest start, then the highest level, then the lowest task.
    const auto [task, slot] = ready.take_least(
        [](const ReadyPair& pair, Time start) { return std::tuple(start, -pair.level, pair.task); });
    consider_all(partial, task);
    partial.place(task, slot, [&] {
      return fmt::format("earliest start of all pairs {}, static level {}", slot.start.count(),
                         level[task.index()].count());
    });
    ready.place(task);
  }
  return std::move(partial).take();
}

Schedule etf(const TaskGraph& graph, const logp::Machine& machine, const Options& options) {
  Timetable decided = etf(DelayModel(graph, machine), options);
  return timed("etf", graph, machine, std::move(decided));
}

}  // namespace takt::schedulers
