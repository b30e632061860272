#include <array>
#include <filesystem>
#include <functional>
#include <memory>

#include <fmt/format.h>

#include "cli/command.hpp"
#include "cli/options.hpp"
#include "cli/pipeline_options.hpp"
#include "core/error.hpp"
#include "core/formats/dot.hpp"
#include "core/formats/graph_source.hpp"
#include "core/pictures/gantt_svg.hpp"
#include "core/pictures/gantt_text.hpp"
#include "core/pictures/graph_svg.hpp"
#include "core/pictures/graph_view.hpp"
#include "core/pictures/schedule_view.hpp"
#include "core/pictures/text_fill.hpp"
#include "core/text_file.hpp"
#include "logp/goal.hpp"
#include "logp/schedule_file.hpp"
#include "logp/schedule_page.hpp"
#include "pipeline/report/plan_report.hpp"
#include "pipeline/report/trace_formats.hpp"
#include "pipeline/report/trace_page.hpp"
#include "schedulers/plan/pareto.hpp"
#include "sensors/sigproc/spectrum_summary.hpp"
#include "sensors/sigproc/spectrum_view.hpp"

namespace takt::cli {

namespace {

struct ViewArguments {
  std::vector<std::string> files;
  std::string format, output;

  [[nodiscard]] const std::string& file() const { return files.front(); }
  [[nodiscard]] std::string choose(std::string_view what,
                                   std::initializer_list<std::string_view> known) const {
    return choose_format(what, format, output, {known.begin(), known.size()});
  }
};

std::string show_schedules(const ViewArguments& arguments) {
  const bool is_one = arguments.files.size() == 1;
  const std::string format =
      is_one ? arguments.choose("format of a schedule", {"text", "html", "svg", "csv", "dot", "goal"})
             : arguments.choose("format of several schedules", {"html", "text"});
  std::vector<logp::NamedScheduleFile> files;
  for (const std::string& name : arguments.files)
    files.push_back({std::filesystem::path(name).filename().string(), logp::read_schedule_file(name)});
  if (format == "html") return to_html(logp::schedule_page(files));
  if (!is_one) {
    std::string text;
    for (const logp::NamedScheduleFile& each : files)
      text += each.name + "\n" + draw_gantt(each.file.schedule, each.file.graph, text_columns);
    return text;
  }
  const logp::ScheduleFile& file = files.front().file;
  if (format == "svg") return gantt_to_svg(file.schedule, file.graph);
  if (format == "csv")
    return schedule_to_csv({"", &file.schedule, &file.graph, &file.machine.platform().network});
  if (format == "dot") return graph_to_dot(file.graph);
  if (format == "goal") return logp::to_goal(file.machine, file.schedule);
  return draw_gantt(file.schedule, file.graph, text_columns);
}

Page graph_page(const std::string& title, const TaskGraph& graph, std::string_view unit) {
  constexpr std::size_t most_interactions = 2000;
  Page page{.title = title,
            .says = "What is done to one frame.",
            .facts = {{"tasks", fmt::format("{}", graph.task_count()), ""},
                      {"edges", fmt::format("{}", graph.edge_count()), ""},
                      {"work", fmt::format("{}", graph.total_work().count()), "of all tasks, in ticks"}},
            .views = {graph_view(graph, {}, unit)}};
  if (graph.task_count() <= most_interactions) page.views.push_back(interaction_view(graph, {}, unit));
  return page;
}

std::string show_pipeline(const ViewArguments& arguments) {
  const std::string format = arguments.choose("format of a pipeline", {"text", "html", "svg", "dot"});
  const pipeline::Pipeline pipeline = pipeline::load_pipeline(arguments.file());
  if (format == "text") return pipeline::pipeline_to_text(pipeline);
  const TaskGraph graph = pipeline.task_graph(std::vector<Time>(pipeline.stages.size(), Time{0}));
  if (format == "html") return to_html(graph_page(pipeline.name, graph, "ns"));
  return format == "dot" ? graph_to_dot(graph) : graph_to_svg(graph);
}

std::string show_graph(const ViewArguments& arguments) {
  const std::string format = arguments.choose("format of a task graph", {"html", "svg", "dot"});
  const TaskGraph graph = load_graph(arguments.file());
  if (format == "html") return to_html(graph_page(arguments.file(), graph, "ticks"));
  return format == "dot" ? graph_to_dot(graph) : graph_to_svg(graph);
}

std::string show_machine(const ViewArguments& arguments) {
  (void)arguments.choose("format of a machine", {"html"});
  return to_html(logp::machine_page(arguments.file(), logp::parse_machine(arguments.file())));
}

std::string show_filterbank(const ViewArguments& arguments) {
  const std::string format = arguments.choose("format of a filterbank file", {"text", "html"});
  const sensors::SigprocFile file = sensors::read_sigproc(arguments.file());
  try {
    return format == "html" ? to_html(sensors::spectrum_page(arguments.file(), file))
                            : sensors::describe(file);
  } catch (const ConfigError& error) {
    throw ConfigError({arguments.file()}, error.message());
  }
}

std::string show_front(const ViewArguments& arguments) {
  (void)arguments.choose("format of a Pareto front", {"html"});
  return to_html(schedulers::front_page(arguments.file(), read_text_file(arguments.file())));
}

std::string show_trace(const ViewArguments& arguments, const std::string& text) {
  const std::string format = arguments.choose("format of a trace", {"html", "json", "paje", "csv", "trace"});
  const pipeline::RunTrace trace = pipeline::trace_from_text(text, arguments.file());
  if (format == "json") return pipeline::to_chrome_json(trace);
  if (format == "csv") return pipeline::to_csv(trace);
  // Files of Paje are called .trace as often as .paje.
  if (format == "paje" || format == "trace") return pipeline::to_paje(trace);
  return to_html(pipeline::trace_page(std::filesystem::path(arguments.file()).filename().string(), trace));
}

/// A file that begins as takt run --trace writes it.
bool is_trace(const std::string& text) {
  constexpr std::size_t beginning = 200;
  return text.substr(0, beginning).find("\"format\":\"takt-trace/") != std::string::npos;
}

/// The first letter of a file that is no blank.
char first_letter(const std::string& file) {
  const std::string text = read_text_file(file);
  const std::size_t at = text.find_first_not_of(" \t\r\n");
  return at == std::string::npos ? '\0' : text[at];
}

std::string show(const ViewArguments& arguments) {
  check_output(arguments.output, arguments.files);
  const std::string& file = arguments.file();
  const std::string extension = std::filesystem::path(file).extension().string();
  if (arguments.files.size() > 1) return show_schedules(arguments);
  switch (kind_of_file(file)) {
    case FileKind::pipeline:
      return show_pipeline(arguments);
    case FileKind::schedule:
      return show_schedules(arguments);
    case FileKind::machine:
      return show_machine(arguments);
    case FileKind::graph:
      return show_graph(arguments);
    case FileKind::other:
      break;
  }
  if (extension == ".fil") return show_filterbank(arguments);
  if (std::filesystem::is_regular_file(file) && extension != ".yaml" && extension != ".yml") {
    const std::string text = read_text_file(file);
    if (is_trace(text)) return show_trace(arguments, text);
  }
  if (extension == ".json" && std::filesystem::exists(file) && first_letter(file) == '[')
    return show_front(arguments);
  if (extension == ".stg" || extension == ".json" || extension == ".dot") return show_graph(arguments);
  // A generator; a file that is missing is said to be by its reader.
  if (file.find(':') != std::string::npos && !std::filesystem::exists(file)) return show_graph(arguments);
  if (extension == ".yaml" || extension == ".yml") return show_schedules(arguments);
  throw ConfigError(fmt::format(
      "{}: expected a filterbank file (.fil), a schedule or a pipeline (.yaml), a task graph (.yaml, "
      ".stg, .json, .dot), a machine (.yaml), a Pareto front or a trace (.json)",
      file));
}

int run(const ViewArguments& arguments) {
  const std::string text = show(arguments);
  print_or_write(text, arguments.output);
  return 0;
}

}  // namespace

void declare_view(Command& command) {
  auto arguments = std::make_shared<ViewArguments>();
  command
      .add("file", arguments->files,
           "A schedule, a pipeline, a task graph, a machine (.yaml), a graph in another format, a filterbank "
           "file "
           "(.fil), a Pareto front or a recorded run (.json); or several schedules, for one axis of time")
      .value("FILE")
      .required();
  command
      .add("--format", arguments->format,
           "html: a page that needs nothing else; text; svg; of schedules also csv, dot (the graph) or goal "
           "(for "
           "LogGOPSim), of graphs dot, of a recorded run json (for Perfetto and Chrome), paje, csv; by "
           "default what the output's name says")
      .value("FORMAT")
      .suggest({"text", "html", "svg", "csv", "dot", "goal", "json", "paje"});
  add_output_option(command, arguments->output, "Write to this file instead of printing");
  command.example("takt view lofar-spectrometer.fil --output spectrum.html");
  command.example("takt plan fft:depth=3 --machine logp:P=4,L=1,o=1,g=2 --output fft.yaml");
  command.example("takt view fft.yaml --output fft.html");
  command.example("takt view configs/first.yaml");
  command.does([arguments] { return run(*arguments); });
}

}  // namespace takt::cli
