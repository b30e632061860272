#include "schedulers/delay/partial_schedule.hpp"

#include <algorithm>

namespace takt::schedulers {

PartialSchedule::PartialSchedule(const DelayModel& model, Trace* trace)
    : model_(&model),
      trace_(trace),
      timetable_(model.graph().task_count()),
      ready_(model.processor_count(), Time{0}),
      arrivals_(model.processor_count(), Time{0}) {}

Time PartialSchedule::arrival(TaskId task, ProcessorId processor) const {
  Time latest{0};
  for (EdgeId edge : model_->graph().in_edges(task)) {
    const TaskId parent = model_->graph().edge(edge).from;
    latest = std::max(latest, end(parent) + model_->delay(edge, this->processor(parent), processor));
  }
  return latest;
}

std::span<const Time> PartialSchedule::arrivals(TaskId task) {
  std::fill(arrivals_.begin(), arrivals_.end(), Time{0});
  for (EdgeId edge : model_->graph().in_edges(task)) {
    const TaskId parent = model_->graph().edge(edge).from;
    const ProcessorId home = processor(parent);
    const Time at_home = std::max(arrivals_[home.index()], end(parent));
    if (model_->uniform_delays()) {
      const Time elsewhere = end(parent) + model_->uniform_delay(edge);
      for (Time& arrival : arrivals_) arrival = std::max(arrival, elsewhere);
    } else {
      for (ProcessorId p : model_->processors())
        arrivals_[p.index()] = std::max(arrivals_[p.index()], end(parent) + model_->delay(edge, home, p));
    }
    arrivals_[home.index()] = at_home;
  }
  return arrivals_;
}

void PartialSchedule::place(TaskId task, Slot slot) {
  const std::size_t i = task.index();
  timetable_.processor[i] = slot.processor;
  timetable_.start[i] = slot.start;
  timetable_.end[i] = slot.start + model_->duration(task, slot.processor);
  Time& ready = ready_[slot.processor.index()];
  ready = std::max(ready, timetable_.end[i]);
}

void consider_all(PartialSchedule& partial, TaskId task) {
  if (!partial.is_traced()) return;
  const std::span<const Time> arrivals = partial.arrivals(task);
  for (ProcessorId p : partial.model().processors())
    partial.consider({p, std::max(arrivals[p.index()], partial.ready_time(p))});
}

Slot earliest_append(PartialSchedule& partial, TaskId task) {
  const std::span<const Time> arrivals = partial.arrivals(task);
  Slot best{ProcessorId(0), Time::max()};
  for (ProcessorId p : partial.model().processors()) {
    const Time start = std::max(arrivals[p.index()], partial.ready_time(p));
    partial.consider({p, start});
    if (start < best.start) best = {p, start};
  }
  return best;
}

}  // namespace takt::schedulers
