#pragma once
/// Random schedules in which states travel.

#include <cstdint>
#include <random>
#include <stdexcept>
#include <vector>

#include "logp/machine.hpp"
#include "logp/period.hpp"
#include "logp/timing.hpp"
#include "pipeline/config/pipeline.hpp"
#include "schedulers/replication/frame_graph.hpp"

namespace takt::pipeline::test {

/// How a schedule distributes frames.
enum class Spread { whole_frames, tasks };

/// Makes a schedule of `replicas` frames per iteration. Stateless tasks, and those whose state may travel,
/// are on a random processor in each frame, other tasks on one random processor. With whole frames, each
/// frame is on one processor, in turn. Processors work frame after frame.
inline Schedule travelling_schedule(const Pipeline& pipeline, const TaskGraph& graph,
                                    const logp::Machine& machine, std::uint32_t replicas, Spread spread,
                                    std::mt19937& random) {
  std::vector<TaskId> movable;
  for (std::size_t i = 0; i < pipeline.stages.size(); ++i)
    if (pipeline.stages[i].travelling.count > 0) movable.emplace_back(i);
  const TaskGraph free = graph.with_stateless(movable);
  const schedulers::FrameGraph frames(free, replicas);
  const std::size_t processors = machine.processor_count();
  std::vector<std::vector<std::size_t>> places(graph.task_count(), std::vector<std::size_t>(replicas));
  for (const TaskId task : free.tasks())
    for (std::uint32_t frame = 0; frame < replicas; ++frame) {
      std::size_t& place = places[task.index()][frame];
      if (spread == Spread::whole_frames)
        place = frame % processors;
      else
        place = !free.task(task).stateless && frame > 0 ? places[task.index()][0] : random() % processors;
    }
  logp::Allocation allocation{std::vector<std::vector<TaskId>>(processors)};
  for (std::uint32_t frame = 0; frame < replicas; ++frame)
    for (const TaskId task : free.topological_order())
      allocation.order[places[task.index()][frame]].push_back(frames.of_frame(task, frame));
  Schedule schedule = frames.replicated(logp::time_task_messages(frames.graph(), machine, allocation));
  for (const TaskId task : movable)
    for (const std::size_t place : places[task.index()])
      if (place != places[task.index()].front()) {
        schedule.travelling.push_back(task);
        break;
      }
  std::optional<Schedule> timed = logp::with_travelling_states(machine, schedule);
  if (!timed) throw std::logic_error("the order of the frames does not let states travel");
  return *std::move(timed);
}

}  // namespace takt::pipeline::test
