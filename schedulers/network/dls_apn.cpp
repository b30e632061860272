#include "schedulers/network/dls_apn.hpp"

#include <algorithm>
#include <queue>

#include <fmt/format.h>

#include "schedulers/common/ready_queue.hpp"

namespace takt::schedulers {

namespace {

/// A ready task on a processor with the dynamic level that it had when it was last looked at.
struct Candidate {
  Time level{0};
  TaskId task;
  ProcessorId processor;

  /// Highest level first, then the lowest task and processor: a heap keeps its largest on top.
  friend bool operator<(const Candidate& a, const Candidate& b) {
    if (a.level != b.level) return a.level < b.level;
    return a.task != b.task ? a.task > b.task : a.processor > b.processor;
  }
};

}  // namespace

RoutedTimetable dls_apn(const DelayModel& model, const logp::Machine& machine, const Options& options) {
  const std::vector<Time> static_level = static_levels(model);
  RoutedSchedule routed(model, machine, options.trace);
  auto dynamic_level = [&](TaskId task, ProcessorId p) {
    return static_level[task.index()] - routed.appended_start(task, p) + model.mean_duration(task) -
           model.duration(task, p);
  };
  std::priority_queue<Candidate> candidates;
  auto add = [&](TaskId task) {
    for (ProcessorId p : model.processors()) candidates.push({dynamic_level(task, p), task, p});
  };
  std::vector<bool> placed(model.graph().task_count(), false);
  OpenParents open(model.graph());
  open.entries(add);
  while (!candidates.empty()) {
    const auto [level, task, processor] = candidates.top();
    candidates.pop();
    if (placed[task.index()]) continue;
    const Time level_now = dynamic_level(task, processor);
    if (level_now != level) {
      candidates.push({level_now, task, processor});
      continue;
    }
    if (routed.is_traced())
      for (ProcessorId p : model.processors()) routed.consider({p, routed.appended_start(task, p)});
    routed.append(task, processor, [&] {
      return fmt::format("highest dynamic level of all pairs {}, static level {}", level.count(),
                         static_level[task.index()].count());
    });
    placed[task.index()] = true;
    open.place(task, add);
  }
  return std::move(routed).take();
}

Schedule dls_apn(const TaskGraph& graph, const logp::Machine& machine, const Options& options) {
  return timed("dls_apn", graph, machine, dls_apn(DelayModel(graph, machine), machine, options));
}

}  // namespace takt::schedulers
