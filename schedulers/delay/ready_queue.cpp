#include "schedulers/delay/ready_queue.hpp"

namespace takt::schedulers {

OpenParents::OpenParents(const TaskGraph& graph) : graph_(&graph), count_(graph.task_count()) {
  for (TaskId task : graph.tasks())
    count_[task.index()] = static_cast<std::uint32_t>(graph.in_edges(task).size());
}

ReadyQueue::ReadyQueue(const TaskGraph& graph, std::vector<TaskId> order)
    : open_(graph), order_(std::move(order)), rank_of_(order_.size()) {
  for (std::uint32_t rank = 0; rank < order_.size(); ++rank) rank_of_[order_[rank].index()] = rank;
  open_.entries([this](TaskId task) { push(task); });
}

TaskId ReadyQueue::pop() {
  const TaskId task = order_[ranks_.top()];
  ranks_.pop();
  return task;
}

void ReadyQueue::place(TaskId task) {
  open_.place(task, [this](TaskId child) { push(child); });
}

}  // namespace takt::schedulers
