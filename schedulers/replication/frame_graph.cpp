#include "schedulers/replication/frame_graph.hpp"

#include <utility>

#include <fmt/format.h>

namespace takt::schedulers {

FrameGraph::FrameGraph(const TaskGraph& graph, std::uint32_t frames) : original_(graph), frames_(frames) {
  TaskGraphBuilder builder;
  for (std::uint32_t frame = 0; frame < frames; ++frame)
    for (TaskId task : graph.tasks()) {
      const TaskId added = builder.add_task(
          {.name = fmt::format("{}#{}", graph.task(task).name, frame), .work = graph.task(task).work});
      if (!graph.has_work_table()) continue;
      std::vector<Time> times;
      for (ProcessorId p : ids<ProcessorId>(graph.work_table_columns()))
        times.push_back(*graph.work_on(task, p));
      builder.set_work_table(added, std::move(times));
    }
  for (std::uint32_t frame = 0; frame < frames; ++frame) {
    const std::size_t first = datum_of_.size();
    for (DatumId datum : ids<DatumId>(graph.datum_count())) {
      builder.add_datum(of_frame(graph.datum_task(datum), frame), graph.datum_size(datum));
      datum_of_.push_back(datum);
    }
    for (EdgeId edge : graph.edges())
      builder.add_edge(DatumId(first + graph.edge(edge).datum.index()), of_frame(graph.edge(edge).to, frame));
  }
  for (TaskId task : graph.tasks()) {
    if (graph.task(task).stateless) continue;
    std::vector<std::uint32_t>& bundle = bundles_.emplace_back();
    for (std::uint32_t frame = 0; frame < frames; ++frame) {
      bundle.push_back(static_cast<std::uint32_t>(of_frame(task, frame).index()));
      if (frame > 0) builder.add_edge(of_frame(task, frame - 1), of_frame(task, frame), Bytes{0});
    }
  }
  graph_ = std::move(builder).build();
}

Schedule FrameGraph::replicated(const Schedule& schedule) const {
  Schedule result(schedule.scheduler, schedule.processors.size());
  result.replicas = frames_;
  result.least_repetition = schedule.least_repetition;
  std::vector<DatumId> payload;
  std::vector<std::uint32_t> frame_of_message;
  for (MessageId id : ids<MessageId>(schedule.messages.size())) {
    const Message& message = schedule.message(id);
    payload.clear();
    for (DatumId datum : schedule.payload(id)) payload.push_back(datum_of_[datum.index()]);
    (void)result.add_message(message.from, message.to, message.size, payload);
    // The messages of a task carry its own data.
    frame_of_message.push_back(frame_of(graph_.datum_task(schedule.payload(id).front())));
  }
  for (ProcessorId p : ids<ProcessorId>(schedule.processors.size()))
    for (Operation operation : schedule.processors[p.index()]) {
      if (operation.kind == OperationKind::compute) {
        operation.set_instance(frame_of(operation.task()));
        operation.subject = static_cast<std::uint32_t>(task_of(operation.task()).index());
      } else {
        operation.set_instance(frame_of_message[operation.subject]);
      }
      result.add(p, operation);
    }
  return result;
}

}  // namespace takt::schedulers
