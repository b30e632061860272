#include "core/formats/graph_yaml.hpp"

#include <array>
#include <iterator>
#include <string_view>
#include <unordered_set>
#include <utility>
#include <vector>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "core/formats/graph_file_builder.hpp"
#include "core/formats/graph_yaml_node.hpp"
#include "core/formats/yaml_parser.hpp"
#include "core/formats/yaml_text.hpp"
#include "core/formats/yaml_values.hpp"
#include "core/graph_limits.hpp"

namespace takt {

namespace {

class GraphReader {
 public:
  GraphReader(const YamlNode& node, ErrorList& errors)
      : node_(node), errors_(errors), builder_(node.where().file) {}

  TaskGraph read() && {
    static constexpr std::array<std::string_view, 2> keys{"tasks", "edges"};
    const std::size_t errors_before = errors_.size();
    expect_mapping(node_, "a graph", keys);
    check_keys(node_, "a graph", keys, errors_);
    read_list(require(node_, "a graph", "tasks"), "tasks", errors_,
              [&](const YamlNode& task) { read_task(task); });
    // Where tasks are missing, edges would have more errors than they have.
    if (errors_.size() != errors_before) return {};
    if (const YamlNode edges = node_["edges"]) {
      check_edge_count(edges);
      read_list(edges, "edges", errors_, [&](const YamlNode& edge) { read_edge(edge); });
    }
    return errors_.size() == errors_before ? std::move(builder_).build() : TaskGraph();
  }

 private:
  void read_task(const YamlNode& node) {
    static constexpr std::array<std::string_view, 3> keys{"name", "work", "stateless"};
    expect_mapping(node, "a task", keys);
    check_keys(node, "a task", keys, errors_);
    const YamlNode work = require(node, "a task", "work");
    Task task;
    task.name = read_text(require(node, "a task", "name"), "the name of a task");
    if (const YamlNode stateless = node["stateless"]) task.stateless = read_boolean(stateless, "stateless");
    if (!work.is_list()) task.work = read_time(work, "work");
    const TaskId id = builder_.add_task(std::move(task), node.place());
    if (!work.is_list()) return;
    std::vector<Time> times;
    for (const YamlNode& time : work) times.push_back(read_time(time, "work"));
    builder_.set_work_table(id, std::move(times));
  }

  void read_edge(const YamlNode& node) {
    static constexpr std::array<std::string_view, 3> keys{"from", "to", "size"};
    expect_mapping(node, "an edge", keys);
    check_keys(node, "an edge", keys, errors_);
    const auto task = [&](const YamlNode& name, std::string_view what) {
      return builder_.task(read_text(name, what), name.place());
    };
    Bytes size{1};
    if (const YamlNode written = node["size"]) size = read_bytes(written, "size");
    const DatumId datum = builder_.add_datum(task(require(node, "an edge", "from"), "from"), size);
    const YamlNode to = require(node, "an edge", "to");
    if (!to.is_list()) return builder_.add_edge(datum, task(to, "to"), node.place());
    std::unordered_set<TaskId> receivers;
    for (const YamlNode& each : to) {
      const TaskId receiver = task(each, "to");
      if (!receivers.insert(receiver).second)
        refuse(each, fmt::format("'{}' stands twice in 'to'", excerpt(each.text())));
      builder_.add_edge(datum, receiver, each.place());
    }
  }

  /// Aliases make many edges of few lines: refuses too many before they take memory.
  static void check_edge_count(const YamlNode& edges) {
    std::size_t count = 0;
    for (const YamlNode& edge : edges) {
      const YamlNode to = edge["to"];
      count += to.is_list() ? to.size() : 1;
      if (count > largest_edge_count) refuse(edge, fmt::format("more than {} edges", largest_edge_count));
    }
  }

  YamlNode node_;
  ErrorList& errors_;
  GraphFileBuilder builder_;
};

}  // namespace

TaskGraph read_graph(const YamlNode& node, ErrorList& errors) {
  TaskGraph graph;
  errors.attempt([&] { graph = GraphReader(node, errors).read(); });
  return graph;
}

TaskGraph graph_from_yaml(const std::string& text, const std::string& file) {
  ErrorList errors;
  const YamlTree tree = parse_yaml(text, file, errors);
  TaskGraph graph = read_graph(tree.root(), errors);
  errors.throw_if_any();
  return graph;
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
