#include "core/formats/workflow.hpp"

#include <algorithm>
#include <map>

namespace takt {

bool Workflow::add_dependency(TaskId parent, TaskId child) {
  WorkflowTask& task = tasks[parent.index()];
  if (!task.known_children.insert(child).second) return false;
  task.children.push_back(child);
  return true;
}

bool Workflow::set_file_size(const std::string& file, std::uint64_t bytes) {
  const auto [entry, is_new] = file_sizes.try_emplace(file, bytes);
  return is_new || entry->second == bytes;
}

std::vector<std::vector<TaskId>> Workflow::file_parents() const {
  std::unordered_map<std::string_view, std::vector<TaskId>> writers;
  for (const TaskId id : ids<TaskId>(tasks.size()))
    for (const std::string& file : tasks[id.index()].outputs) writers[file].push_back(id);
  std::vector<std::vector<TaskId>> result(tasks.size());
  for (const TaskId id : ids<TaskId>(tasks.size())) {
    std::vector<TaskId>& parents = result[id.index()];
    for (const std::string& file : tasks[id.index()].inputs)
      if (const auto found = writers.find(file); found != writers.end())
        parents.insert(parents.end(), found->second.begin(), found->second.end());
    std::ranges::sort(parents);
    const auto [first, last] = std::ranges::unique(parents);
    parents.erase(first, last);
    std::erase(parents, id);
  }
  return result;
}

std::pair<TaskId, std::size_t> Workflow::dependency(EdgeId edge) const {
  std::size_t before = edge.index(), parent = 0;
  for (; before >= tasks[parent].children.size(); ++parent) before -= tasks[parent].children.size();
  return {TaskId(parent), before};
}

TaskGraph workflow_graph(const Workflow& workflow) {
  TaskGraphBuilder builder;
  for (const WorkflowTask& task : workflow.tasks) builder.add_task({task.id, task.runtime, false});
  for (const TaskId parent : ids<TaskId>(workflow.tasks.size())) {
    const WorkflowTask& task = workflow.tasks[parent.index()];
    std::map<std::vector<std::size_t>, DatumId> datum_of_files;
    for (const TaskId child : task.children) {
      std::vector<std::size_t> read;
      Bytes size;
      for (std::size_t k = 0; k < task.outputs.size(); ++k) {
        if (!workflow.tasks[child.index()].inputs.contains(task.outputs[k])) continue;
        read.push_back(k);
        const auto known = workflow.file_sizes.find(task.outputs[k]);
        if (known != workflow.file_sizes.end()) size += Bytes{known->second};
      }
      auto shared = datum_of_files.find(read);
      if (shared == datum_of_files.end())
        shared = datum_of_files.emplace(std::move(read), builder.add_datum(parent, size)).first;
      builder.add_edge(shared->second, child);
    }
  }
  return std::move(builder).build();
}

}  // namespace takt
