#include "core/formats/graph_yaml.hpp"

#include <iterator>
#include <unordered_set>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "core/formats/graph_yaml_node.hpp"
#include "core/graph_limits.hpp"

namespace takt {

namespace {

void read_task(const YamlFile& file, const YAML::Node& node, GraphFileBuilder& builder) {
  file.expect_mapping(node, "a task", {"name", "work", "stateless"});
  const YAML::Node work = file.require(node, "a task", "work");
  Task task;
  task.name = file.text(file.require(node, "a task", "name"), "the name of a task");
  if (const YAML::Node stateless = node["stateless"]) task.stateless = file.boolean(stateless, "stateless");
  if (!work.IsSequence()) task.work = file.time(work, "work");
  const TaskId id = builder.add_task(std::move(task), YamlFile::place(node));
  if (!work.IsSequence()) return;
  std::vector<Time> times;
  for (const YAML::Node& time : work) times.push_back(file.time(time, "work"));
  builder.set_work_table(id, std::move(times));
}

void read_edge(const YamlFile& file, const YAML::Node& node, GraphFileBuilder& builder) {
  file.expect_mapping(node, "an edge", {"from", "to", "size"});
  const auto task = [&](const YAML::Node& name, std::string_view what) {
    return builder.task(file.text(name, what), YamlFile::place(name));
  };
  Bytes size{1};
  if (const YAML::Node written = node["size"]) size = file.bytes(written, "size");
  const DatumId datum = builder.add_datum(task(file.require(node, "an edge", "from"), "from"), size);
  const YAML::Node to = file.require(node, "an edge", "to");
  if (!to.IsSequence()) return builder.add_edge(datum, task(to, "to"), YamlFile::place(node));
  std::unordered_set<TaskId> receivers;
  for (const YAML::Node& each : to) {
    const TaskId receiver = task(each, "to");
    if (!receivers.insert(receiver).second)
      file.refuse(each, fmt::format("'{}' stands twice in 'to'", each.Scalar()));
    builder.add_edge(datum, receiver, YamlFile::place(each));
  }
}

/// Aliases make many edges of few lines: refuses too many before they take memory.
void check_edge_count(const YamlFile& file, const YAML::Node& edges) {
  std::size_t count = 0;
  for (const YAML::Node& edge : edges) {
    const YAML::Node to = edge.IsMap() ? edge["to"] : YAML::Node();
    count += to && to.IsSequence() ? to.size() : 1;
    if (count > largest_edge_count) file.refuse(edge, fmt::format("more than {} edges", largest_edge_count));
  }
}

}  // namespace

TaskGraph read_graph(const YamlFile& file, const YAML::Node& node) {
  file.expect_mapping(node, "a graph", {"tasks", "edges"});
  GraphFileBuilder builder(file.file());
  const YAML::Node tasks = file.require(node, "a graph", "tasks");
  file.expect_sequence(tasks, "tasks");
  for (const YAML::Node& task : tasks) read_task(file, task, builder);
  if (const YAML::Node edges = node["edges"]) {
    file.expect_sequence(edges, "edges");
    check_edge_count(file, edges);
    for (const YAML::Node& edge : edges) read_edge(file, edge, builder);
  }
  return std::move(builder).build();
}

TaskGraph graph_from_yaml(const std::string& text, const std::string& file) {
  const YamlFile yaml(text, file);
  return read_graph(yaml, yaml.root());
}

std::string graph_to_yaml(const TaskGraph& graph) {
  std::string text = graph.task_count() == 0 ? "tasks: []\n" : "tasks:\n";
  const auto out = std::back_inserter(text);
  for (TaskId id : graph.tasks()) {
    const Task& task = graph.task(id);
    fmt::format_to(out, "  - {{name: {}, work: ", yaml_scalar(task.name));
    if (graph.has_work_table()) {
      std::vector<Time::rep> times;
      for (ProcessorId processor : ids<ProcessorId>(graph.work_table_columns()))
        times.push_back(graph.work_on(id, processor)->count());
      fmt::format_to(out, "[{}]", fmt::join(times, ", "));
    } else {
      fmt::format_to(out, "{}", task.work.count());
    }
    text += task.stateless ? ", stateless: true}\n" : "}\n";
  }

  std::vector<std::vector<TaskId>> receivers(graph.datum_count());
  for (EdgeId id : graph.edges()) receivers[graph.edge(id).datum.index()].push_back(graph.edge(id).to);
  if (!receivers.empty()) text += "edges:\n";
  for (DatumId datum : ids<DatumId>(graph.datum_count())) {
    std::vector<std::string> names;
    for (TaskId to : receivers[datum.index()]) names.push_back(yaml_scalar(graph.task(to).name));
    const std::string to = names.size() == 1 ? names.front() : fmt::format("[{}]", fmt::join(names, ", "));
    fmt::format_to(out, "  - {{from: {}, to: {}, size: {}}}\n",
                   yaml_scalar(graph.task(graph.datum_task(datum)).name), to, graph.datum_size(datum).count);
  }
  return text;
}

}  // namespace takt
