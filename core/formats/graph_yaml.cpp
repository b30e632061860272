#include "core/formats/graph_yaml.hpp"

#include <iterator>
#include <unordered_set>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "core/formats/graph_yaml_node.hpp"
#include "core/formats/yaml_text.hpp"
#include "core/graph_limits.hpp"

namespace takt {

namespace {

void read_task(const YamlFile& file, const YamlNode& node, GraphFileBuilder& builder) {
  file.expect_mapping(node, "a task", {"name", "work", "stateless"});
  const YamlNode work = file.require(node, "a task", "work");
  Task task;
  task.name = file.text(file.require(node, "a task", "name"), "the name of a task");
  if (const YamlNode stateless = node["stateless"]) task.stateless = file.boolean(stateless, "stateless");
  if (!work.is_sequence()) task.work = file.time(work, "work");
  const TaskId id = builder.add_task(std::move(task), node.place());
  if (!work.is_sequence()) return;
  std::vector<Time> times;
  for (const YamlNode& time : work) times.push_back(file.time(time, "work"));
  builder.set_work_table(id, std::move(times));
}

void read_edge(const YamlFile& file, const YamlNode& node, GraphFileBuilder& builder) {
  file.expect_mapping(node, "an edge", {"from", "to", "size"});
  const auto task = [&](const YamlNode& name, std::string_view what) {
    return builder.task(file.text(name, what), name.place());
  };
  Bytes size{1};
  if (const YamlNode written = node["size"]) size = file.bytes(written, "size");
  const DatumId datum = builder.add_datum(task(file.require(node, "an edge", "from"), "from"), size);
  const YamlNode to = file.require(node, "an edge", "to");
  if (!to.is_sequence()) return builder.add_edge(datum, task(to, "to"), node.place());
  std::unordered_set<TaskId> receivers;
  for (const YamlNode& each : to) {
    const TaskId receiver = task(each, "to");
    if (!receivers.insert(receiver).second)
      file.refuse(each, fmt::format("'{}' stands twice in 'to'", each.text()));
    builder.add_edge(datum, receiver, each.place());
  }
}

/// Aliases make many edges of few lines: refuses too many before they take memory.
void check_edge_count(const YamlFile& file, const YamlNode& edges) {
  std::size_t count = 0;
  for (const YamlNode& edge : edges) {
    const YamlNode to = edge["to"];
    count += to.is_sequence() ? to.size() : 1;
    if (count > largest_edge_count) file.refuse(edge, fmt::format("more than {} edges", largest_edge_count));
  }
}

}  // namespace

TaskGraph read_graph(const YamlFile& file, const YamlNode& node) {
  file.expect_mapping(node, "a graph", {"tasks", "edges"});
  GraphFileBuilder builder(file.file());
  const YamlNode tasks = file.require(node, "a graph", "tasks");
  file.expect_sequence(tasks, "tasks");
  for (const YamlNode& task : tasks) read_task(file, task, builder);
  if (const YamlNode edges = node["edges"]) {
    file.expect_sequence(edges, "edges");
    check_edge_count(file, edges);
    for (const YamlNode& edge : edges) read_edge(file, edge, builder);
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
