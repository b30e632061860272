#include "schedulers/network/dls_apn.hpp"

#include <algorithm>
#include <optional>
#include <queue>

#include <fmt/format.h>

#include "schedulers/delay/ready_queue.hpp"

namespace takt::schedulers {

namespace {

/// A ready task on a processor with its dynamic level at the last evaluation.
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

/// Largest number of rerouted messages, about one for each pair and edge, in the search for pairs whose
/// levels have not fallen: less than a minute's work.
constexpr std::size_t most_messages = std::size_t{1} << 27;

}  // namespace

RoutedTimetable dls_apn(const DelayModel& model, const logp::Machine& machine, const Options& options) {
  const std::vector<Time> static_level = static_levels(model);
  RoutedSchedule routed(model, machine, options.trace);
  auto level_at = [&](TaskId task, Slot slot) {
    return static_level[task.index()] - slot.start + model.mean_duration(task) -
           model.duration(task, slot.processor);
  };
  auto slot_on = [&](TaskId task, ProcessorId p) { return Slot{p, routed.appended_start(task, p)}; };
  auto dynamic_level = [&](TaskId task, ProcessorId p) { return level_at(task, slot_on(task, p)); };
  std::priority_queue<Candidate> candidates;
  auto add = [&](TaskId task) {
    for (ProcessorId p : model.processors()) candidates.push({dynamic_level(task, p), task, p});
  };
  std::vector<bool> placed(model.graph().task_count(), false);
  OpenParents open(model.graph());
  open.entries(add);
  const std::size_t size = model.graph().task_count() + model.graph().edge_count();
  const std::size_t most_looks = most_messages / std::max<std::size_t>(1, size);
  // Since the last placement: the number of evaluated pairs, and the best of them.
  std::size_t looks = 0;
  std::optional<Candidate> best;
  while (!candidates.empty()) {
    const Candidate candidate = candidates.top();
    candidates.pop();
    if (placed[candidate.task.index()]) continue;
    Candidate now = candidate;
    now.level = dynamic_level(now.task, now.processor);
    if (!best || *best < now) best = now;
    if (now.level != candidate.level) {
      candidates.push(now);
      if (++looks < most_looks) continue;
    }
    const auto [level, task, processor] = *best;
    best.reset();
    looks = 0;
    if (routed.is_traced())
      for (ProcessorId p : model.processors()) {
        const Slot slot = slot_on(task, p);
        routed.consider(slot, "dynamic level", level_at(task, slot));
      }
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
