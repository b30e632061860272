#include "schedulers/list/ish.hpp"

#include <set>

#include <fmt/format.h>

#include "schedulers/common/partial_schedule.hpp"
#include "schedulers/common/ready_queue.hpp"

namespace takt::schedulers {

namespace {

class Ish {
 public:
  Ish(const DelayModel& model, Trace* trace)
      : model_(model),
        level_(static_levels(model)),
        order_(by_falling(model.graph(), level_)),
        rank_of_(order_.size()),
        open_(model.graph()),
        partial_(model, trace) {
    for (std::uint32_t rank = 0; rank < order_.size(); ++rank) rank_of_[order_[rank].index()] = rank;
    open_.entries([this](TaskId task) { ready_.insert(rank_of_[task.index()]); });
  }

  Timetable run() && {
    while (!ready_.empty()) {
      const TaskId task = order_[*ready_.begin()];
      const Slot slot = earliest_append(partial_, task);
      const Time hole = partial_.ready_time(slot.processor);
      place(task, slot, "static level");
      if (hole < slot.start) fill(slot.processor, hole, slot.start);
    }
    return std::move(partial_).take();
  }

 private:
  void place(TaskId task, Slot slot, const char* why) {
    ready_.erase(rank_of_[task.index()]);
    partial_.place(task, slot, [&] { return fmt::format("{} {}", why, level_[task.index()].count()); });
    open_.place(task, [this](TaskId child) { ready_.insert(rank_of_[child.index()]); });
  }

  /// Puts ready tasks into the idle interval [from, until) of a processor. A filled task's children cannot
  /// come before it in the hole, and they have no higher level, so one walk down the list meets them too.
  void fill(ProcessorId processor, Time from, Time until) {
    for (auto it = ready_.begin(); it != ready_.end() && from < until;) {
      const std::uint32_t rank = *it;
      const TaskId task = order_[rank];
      const Time duration = model_.duration(task, processor);
      const Time start = from + duration > until ? until : std::max(from, partial_.arrival(task, processor));
      if (start + duration <= until && !starts_earlier_elsewhere(task, processor, start)) {
        place(task, {processor, start}, "fits the hole, static level");
        from = start + duration;
      }
      it = ready_.upper_bound(rank);
    }
  }

  bool starts_earlier_elsewhere(TaskId task, ProcessorId processor, Time start) {
    const std::span<const Time> arrivals = partial_.arrivals(task);
    for (ProcessorId p : model_.processors())
      if (p != processor && std::max(arrivals[p.index()], partial_.ready_time(p)) < start) return true;
    return false;
  }

  const DelayModel& model_;
  std::vector<Time> level_;
  std::vector<TaskId> order_;
  std::vector<std::uint32_t> rank_of_;
  OpenParents open_;
  std::set<std::uint32_t> ready_;
  PartialSchedule partial_;
};

}  // namespace

Timetable ish(const DelayModel& model, const Options& options) {
  return Ish(model, options.trace).run();
}

Schedule ish(const TaskGraph& graph, const logp::Machine& machine, const Options& options) {
  return timed("ish", graph, machine, ish(DelayModel(graph, machine), options));
}

}  // namespace takt::schedulers
