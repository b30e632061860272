#include "core/graphs/task_groups.hpp"

#include <numeric>

namespace takt {

TaskGroups::TaskGroups(const TaskGraph& graph, const Schedule& schedule)
    : task_count_(graph.task_count()), first_(task_count_ * schedule.replicas + 1, 0) {
  const auto row = [&](const Operation& operation) {
    return operation.instance * task_count_ + operation.task().index();
  };
  const auto for_each = [&](const auto& visit) {
    for (std::size_t p = 0; p < schedule.processors.size(); ++p)
      for (const Operation& operation : schedule.processors[p])
        if (operation.kind == OperationKind::compute) visit(ProcessorId(p), operation);
  };
  for_each([&](ProcessorId, const Operation& operation) { ++first_[row(operation) + 1]; });
  std::partial_sum(first_.begin(), first_.end(), first_.begin());
  runs_.resize(first_.back());
  std::vector<std::size_t> next(first_.begin(), first_.end() - 1);
  for_each([&](ProcessorId p, const Operation& operation) {
    runs_[next[row(operation)]++] = {p, &operation};
  });
}

std::vector<ProcessorId> TaskGroups::group(TaskId task, std::uint32_t instance) const {
  std::vector<ProcessorId> processors;
  for (const Run& run : runs(task, instance)) processors.push_back(run.processor);
  return processors;
}

bool runs_in_groups(const TaskGraph& graph, const Schedule& schedule) {
  if (!graph.is_moldable()) return false;
  const std::size_t tasks = graph.task_count();
  std::vector<std::uint8_t> seen;
  for (const std::vector<Operation>& operations : schedule.processors)
    for (const Operation& operation : operations) {
      if (operation.kind != OperationKind::compute || operation.subject >= tasks ||
          operation.instance >= schedule.replicas || !graph.task(operation.task()).moldable)
        continue;
      const std::size_t row = operation.instance * tasks + operation.subject;
      if (seen.size() <= row) seen.resize(row + 1, 0);
      if (seen[row]++ > 0) return true;
    }
  return false;
}

}  // namespace takt
