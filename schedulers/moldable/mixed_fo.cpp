#include "schedulers/moldable/mixed_fo.hpp"

#include <algorithm>

#include "logp/redistribution.hpp"
#include "logp/timing.hpp"
#include "schedulers/moldable/stage_plan.hpp"

namespace takt::schedulers {

namespace {

constexpr std::size_t most_copies = 64;

bool has_groups(const std::vector<Stage>& stages) {
  return std::ranges::any_of(stages, [](const Stage& stage) { return stage.processors > 1; });
}

/// The timetable of the stages for all frames of an iteration.
class StageTimetable {
 public:
  StageTimetable(const TaskGraph& graph, const logp::Machine& machine, const Clusters& clusters,
                 const std::vector<Stage>& stages)
      : graph_(graph),
        machine_(machine),
        stages_(stages),
        stage_of_(graph.task_count()),
        groups_(stages.size()) {
    const auto order = graph.topological_order();
    for (std::size_t s = 0; s < stages.size(); ++s) {
      for (std::size_t i = stages[s].first; i < stages[s].end; ++i) stage_of_[order[i].index()] = s;
      for (const Stage::Copy& copy : stages[s].copies) {
        const auto first =
            clusters.list[copy.cluster].processors.begin() + static_cast<std::ptrdiff_t>(copy.first);
        groups_[s].emplace_back(first, first + static_cast<std::ptrdiff_t>(stages[s].processors));
      }
      frames_ = std::max(frames_, stages[s].copies.size());
    }
  }

  Schedule schedule() && {
    const auto order = graph_.topological_order();
    // Starts of frame 0, with the slowest copy of each stage and the longest redistribution between any two
    // copies.
    starts_.resize(graph_.task_count());
    ends_.resize(graph_.task_count());
    Time period{0};
    for (std::size_t s = 0; s < stages_.size(); ++s) {
      Time begin{0};
      for (std::size_t i = stages_[s].first; i < stages_[s].end; ++i)
        begin = std::max(begin, inputs_ready(order[i], [&](std::size_t from) { return from != s; }));
      Time now = begin;
      for (std::size_t i = stages_[s].first; i < stages_[s].end; ++i) {
        const TaskId task = order[i];
        now = std::max(now, inputs_ready(task, [&](std::size_t from) { return from == s; }));
        Time longest{0};
        for (std::size_t copy = 0; copy < groups_[s].size(); ++copy)
          longest = std::max(longest, duration(task, copy));
        starts_[task.index()] = now;
        ends_[task.index()] = now += longest;
      }
      const auto copies = static_cast<Time::rep>(groups_[s].size());
      period = std::max(period, Time(((now - begin).count() + copies - 1) / copies));
    }
    Schedule schedule("mixed_fo", machine_.processor_count());
    schedule.replicas = static_cast<std::uint32_t>(frames_);
    for (std::uint32_t frame = 0; frame < frames_; ++frame)
      for (TaskId task : order) {
        const Time start = starts_[task.index()] + period * static_cast<Time::rep>(frame);
        for (ProcessorId p : group(task, frame))
          schedule.add_compute(p, task, start, start + duration(task, frame), frame);
      }
    return schedule;
  }

 private:
  /// Returns the processors of a stage's copy that a task can use; `copy` counts modulo the number of copies.
  [[nodiscard]] std::span<const ProcessorId> group(TaskId task, std::size_t copy) const {
    const auto& copies = groups_[stage_of_[task.index()]];
    const std::vector<ProcessorId>& all = copies[copy % copies.size()];
    return std::span(all).first(graph_.task(task).most_processors(all.size()));
  }

  [[nodiscard]] Time duration(TaskId task, std::size_t copy) const {
    return machine_.duration(graph_, task, group(task, copy));
  }

  /// Returns the earliest start of a task for frame 0 over all combinations of copies, considering only
  /// inputs from stages that satisfy `is_meant`.
  template <class IsMeant>
  [[nodiscard]] Time inputs_ready(TaskId task, const IsMeant& is_meant) const {
    Time ready{0};
    for (EdgeId id : graph_.in_edges(task)) {
      const Edge edge = graph_.edge(id);
      if (!is_meant(stage_of_[edge.from.index()])) continue;
      for (std::size_t frame = 0; frame < frames_; ++frame)
        ready = std::max(
            ready, ends_[edge.from.index()] + logp::redistribution_time(machine_, group(edge.from, frame),
                                                                        group(task, frame), edge.size));
    }
    return ready;
  }

  const TaskGraph& graph_;
  const logp::Machine& machine_;
  const std::vector<Stage>& stages_;
  std::vector<std::size_t> stage_of_;
  /// By stage, then copy.
  std::vector<std::vector<std::vector<ProcessorId>>> groups_;
  std::size_t frames_ = 1;
  std::vector<Time> starts_, ends_;
};

Schedule with_messages(const TaskGraph& graph, const logp::Machine& machine, const Clusters& clusters,
                       const std::vector<Stage>& stages) {
  logp::Allocation allocation{std::vector<std::vector<TaskId>>(machine.processor_count())};
  for (const Stage& stage : stages) {
    const Stage::Copy& copy = stage.copies.front();
    const ProcessorId p = clusters.list[copy.cluster].processors[copy.first];
    for (std::size_t i = stage.first; i < stage.end; ++i)
      allocation.order[p.index()].push_back(graph.topological_order()[i]);
  }
  Schedule schedule = logp::time_task_messages(graph, machine, allocation, {.routed = true});
  schedule.scheduler = "mixed_fo";
  return schedule;
}

}  // namespace

Schedule mixed_fo(const TaskGraph& graph, const logp::Machine& machine, const Options& /*options*/) {
  const Clusters clusters(machine);
  std::vector<Stage> stages = best_stages(graph, clusters, most_copies);
  if (!has_groups(stages)) stages = best_stages(graph, clusters, 1);
  if (!has_groups(stages)) return with_messages(graph, machine, clusters, stages);
  return StageTimetable(graph, machine, clusters, stages).schedule();
}

}  // namespace takt::schedulers
