#include "logp/calibration/replay.hpp"

#include <cmath>
#include <string>

#include "core/random.hpp"
#include "logp/timing.hpp"

namespace takt::logp {

namespace {

/// Every task between the first and the last one depends on one or two earlier tasks; tasks without
/// successors lead to the last one.
TaskGraph random_graph(const ReplayOptions& options, Random& random) {
  constexpr std::int64_t shortest_task = 2'000;
  const double octaves = std::log2(static_cast<double>(options.largest.count));
  auto size = [&] { return Bytes{static_cast<std::uint64_t>(std::exp2(random.unit() * octaves))}; };

  TaskGraphBuilder builder;
  std::vector<TaskId> tasks;
  std::vector<bool> is_used;
  auto use = [&](std::size_t from, TaskId to) {
    builder.add_edge(tasks[from], to, size());
    is_used[from] = true;
  };
  for (std::size_t i = 0; i < options.tasks; ++i) {
    const Time work{random.between(shortest_task, options.longest_task.count())};
    const TaskId task = builder.add_task({.name = std::to_string(i), .work = work});
    if (i + 1 == options.tasks) {
      for (std::size_t from = 0; from < i; ++from)
        if (!is_used[from]) use(from, task);
    } else if (i > 0) {
      const std::size_t one = random.below(i), other = random.below(i);
      use(one, task);
      if (other != one) use(other, task);
    }
    tasks.push_back(task);
    is_used.push_back(false);
  }
  return std::move(builder).build();
}

}  // namespace

Replay random_replay(const LinkCosts& costs, const ReplayOptions& options) {
  Random random(options.seed);
  const TaskGraph graph = random_graph(options, random);
  const Machine machine(Platform::uniform(options.processors), costs);
  Allocation allocation{std::vector<std::vector<TaskId>>(options.processors)};
  for (const TaskId task : graph.topological_order()) {
    const bool is_end = task.index() == 0 || task.index() + 1 == graph.task_count();
    allocation.order[is_end ? 0 : random.below(options.processors)].push_back(task);
  }
  const Schedule schedule = time_task_messages(graph, machine, allocation);

  Replay replay{.programs = std::vector<std::vector<ReplayStep>>(options.processors),
                .messages = static_cast<std::uint32_t>(schedule.messages.size()),
                .predicted = measure(schedule).makespan};
  for (const ProcessorId processor : machine.processors())
    for (const Operation& operation : schedule.processors[processor.index()]) {
      ReplayStep step{.kind = operation.kind};
      if (operation.kind == OperationKind::compute) {
        step.duration = operation.end - operation.start;
      } else {
        const Message& message = schedule.message(operation.message());
        step.partner = static_cast<std::uint32_t>(
            (operation.kind == OperationKind::send ? message.to : message.from).index());
        step.message = operation.subject;
        step.size = message.size;
      }
      replay.programs[processor.index()].push_back(step);
    }
  return replay;
}

}  // namespace takt::logp
