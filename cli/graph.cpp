#include <algorithm>
#include <filesystem>
#include <memory>

#include <fmt/format.h>

#include "cli/command.hpp"
#include "cli/options.hpp"
#include "cli/pipeline_options.hpp"
#include "core/error.hpp"
#include "core/formats/graph_source.hpp"
#include "core/graphs/levels.hpp"
#include "core/pictures/graph_svg.hpp"
#include "core/pictures/text_table.hpp"
#include "pipeline/frontend/weights/costs.hpp"
#include "pipeline/frontend/weights/program_graph.hpp"

namespace takt::cli {

namespace {

struct GraphArguments {
  std::string graph, profile, format, output;
  bool info = false, costs = false;
};

std::string info(const TaskGraph& graph) {
  const auto layers = tasks_by_layer(graph);
  std::size_t width = 0;
  for (const auto& layer : layers) width = std::max(width, layer.size());
  std::uint64_t data = 0;
  for (DatumId datum : ids<DatumId>(graph.datum_count())) data += graph.datum_size(datum).count;

  TextTable table({{"figure"}, {"value", true}, {"meaning"}});
  const auto line = [&](std::string_view name, auto value, std::string_view meaning) {
    table.add({std::string(name), fmt::format("{}", value), std::string(meaning)});
  };
  line("tasks", graph.task_count(), "");
  line("edges", graph.edge_count(), "");
  line("data", graph.datum_count(), "outputs of tasks for other tasks, each counted once");
  line("size", data, "units in all data");
  line("layers", layers.size(), "tasks on the longest path");
  line("width", width, "tasks in the largest layer");
  line("work", graph.total_work().count(), "W, of all tasks");
  line("largest_work", graph.largest_work().count(), "of one task");
  line("critical_path", computation_critical_path(graph).count(), "CP, tasks only");
  line("with_data", critical_path(graph).count(), "critical path: tasks and edges (delay model)");
  return table.to_text();
}

/// Returns the format of the output; by default YAML, the first of all graph formats.
std::string format_of(const GraphArguments& arguments) {
  std::vector<std::string_view> known;
  for (const GraphFormat& format : all_graph_formats()) known.push_back(format.name);
  known.emplace_back("svg");
  return choose_format("graph format", arguments.format, arguments.output, known);
}

std::string convert(const TaskGraph& graph, std::string_view format) {
  if (format == "svg") return graph_to_svg(graph);
  const bool is_yaml = format == "yaml";
  if (!is_yaml && !graph.core_types().empty())
    throw ConfigError(fmt::format("{} has no work by type of core: expected yaml as the format", format));
  if (!is_yaml && format != "dot" && graph.is_undirected())
    throw ConfigError(
        fmt::format("{} has no edges without a direction: expected yaml, dot or svg as the format", format));
  return find_graph_format(format).write(graph);
}

std::string costs_of(const std::string& name) {
  if (!frontend::names_program(name))
    throw UsageError(fmt::format("--costs needs a C program: '{}' is not one", name));
  return frontend::costs_text(frontend::load_program(name).read);
}

void run(const GraphArguments& arguments) {
  if (arguments.costs) {
    print_or_write(costs_of(arguments.graph), arguments.output);
    return;
  }
  check_output(arguments.output, {arguments.graph, arguments.profile});
  const std::string format = arguments.info ? "" : format_of(arguments);
  const TaskGraph graph = load_graph_or_pipeline(arguments.graph, arguments.profile);
  const std::string text = arguments.info ? info(graph) : convert(graph, format);
  print_or_write(text, arguments.output);
}

}  // namespace

void declare_graph(Command& command) {
  auto arguments = std::make_shared<GraphArguments>();
  command.add("graph", arguments->graph, "Task graph: a file, a generator, or a pipeline")
      .value("GRAPH")
      .required();
  command.add("--profile", arguments->profile, "Costs of a pipeline's tasks, from takt profile; default: 0")
      .value("FILE");
  command
      .add("--format", arguments->format,
           "yaml, dot, stg, json (WfFormat), dax (Pegasus) or svg; default: by the output's ending, or yaml")
      .value("FORMAT")
      .suggest({"yaml", "dot", "stg", "json", "dax", "svg"});
  add_output_option(command, arguments->output, "Write to a file instead of the terminal");
  command.flag("--info", arguments->info, "Print figures only: tasks, edges, layers, width, work, paths")
      .excludes({"--format"});
  command
      .flag("--costs", arguments->costs,
            "Print the operations of each procedure of a C program, as formulas of its parameters")
      .excludes({"--format", "--info"});
  add_graph_note(command);
  command.example("takt graph diamond:depth=3 --info");
  command.example("takt graph fft:depth=3,cost=1..9 --output fft.svg");
  command.example("takt graph workflow.json --format dot");
  command.example("takt graph configs/first.yaml --output first.svg");
  command.does([arguments] {
    run(*arguments);
    return 0;
  });
}

}  // namespace takt::cli
