#include "cli/view.hpp"

#include <array>
#include <filesystem>
#include <fstream>
#include <functional>
#include <memory>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "cli/command.hpp"
#include "cli/options.hpp"
#include "cli/pipeline_options.hpp"
#include "core/error.hpp"
#include "core/formats/csv.hpp"
#include "core/formats/dot.hpp"
#include "core/formats/json_place.hpp"
#include "core/formats/yaml_parser.hpp"
#include "core/meshes/mesh_source.hpp"
#include "core/pictures/document_page.hpp"
#include "core/pictures/figure_text.hpp"
#include "core/pictures/gantt_text.hpp"
#include "core/pictures/graph_view.hpp"
#include "core/pictures/network_dot.hpp"
#include "core/pictures/page_svg.hpp"
#include "core/pictures/schedule_view.hpp"
#include "core/pictures/text_fill.hpp"
#include "core/system/text_file.hpp"
#include "logp/goal.hpp"
#include "logp/schedule_file.hpp"
#include "pipeline/frontend/pages/program_page.hpp"
#include "pipeline/frontend/weights/program_graph.hpp"
#include "pipeline/pages/capture_page.hpp"
#include "pipeline/pages/events_page.hpp"
#include "pipeline/pages/figures_page.hpp"
#include "pipeline/pages/graph_page.hpp"
#include "pipeline/pages/machine_page.hpp"
#include "pipeline/pages/mesh_page.hpp"
#include "pipeline/pages/pareto_page.hpp"
#include "pipeline/pages/recording_page.hpp"
#include "pipeline/pages/schedule_page.hpp"
#include "pipeline/pages/service_page.hpp"
#include "pipeline/pages/spectrum_page.hpp"
#include "pipeline/pages/trace_page.hpp"
#include "pipeline/pages/unit_timeline.hpp"
#include "pipeline/pages/unit_trace.hpp"
#include "pipeline/pages/unit_trace_page.hpp"
#include "pipeline/report/plan_report.hpp"
#include "pipeline/report/trace_formats.hpp"
#include "pipeline/stages/recordings.hpp"
#include "sensors/sigproc/spectrum_summary.hpp"

namespace takt::cli {

namespace {

/// Returns the title of a page: a file name without its directory, which means nothing to other readers.
std::string title_of(const std::string& file) {
  return std::filesystem::is_regular_file(file) ? std::filesystem::path(file).filename().string() : file;
}

/// Returns a page (its data if the file is edited), or its pictures as SVG: the requested ones, otherwise
/// `usual`, otherwise all.
std::string show_page(const ViewArguments& arguments, std::string_view format, Page page,
                      const std::vector<std::string>& usual = {}) {
  const bool is_svg = format == "svg";
  page = only_pictures(std::move(page), is_svg && arguments.pictures.empty() ? usual : arguments.pictures);
  return arguments.is_edited ? page_json(page) : is_svg ? to_svg(page) : to_html(page);
}

bool is_page(std::string_view format) {
  return format == "html" || format == "svg";
}

std::string show_schedules(const ViewArguments& arguments) {
  const bool is_one = arguments.files.size() == 1;
  const std::string format =
      is_one ? arguments.choose("format of a schedule", {"text", "html", "svg", "csv", "dot", "goal"})
             : arguments.choose("format of several schedules", {"html", "svg", "text"});
  std::vector<pipeline::NamedScheduleFile> files;
  for (const std::string& name : arguments.files)
    files.push_back({std::filesystem::path(name).filename().string(), logp::read_schedule_file(name)});
  if (is_page(format))
    return show_page(arguments, format, pipeline::schedule_page(files), {is_one ? "Schedule" : "Schedules"});
  if (!is_one) {
    std::string text;
    for (const pipeline::NamedScheduleFile& each : files)
      text += each.name + "\n" + draw_gantt(each.file.schedule, each.file.graph, text_columns);
    return text;
  }
  const logp::ScheduleFile& file = files.front().file;
  if (format == "csv")
    return schedule_to_csv({"", &file.schedule, &file.graph, &file.machine.platform().network});
  if (format == "dot") return graph_to_dot(file.graph);
  if (format == "goal") return logp::to_goal(file.machine, file.schedule);
  return draw_gantt(file.schedule, file.graph, text_columns);
}

std::string show_pipeline(const ViewArguments& arguments) {
  const std::string format = arguments.choose("format of a pipeline", {"text", "html", "svg", "dot"});
  const pipeline::Pipeline pipeline = pipeline::load_pipeline(arguments.file());
  if (format == "text") return pipeline::pipeline_to_text(pipeline);
  const TaskGraph graph = pipeline.task_graph(std::vector<Time>(pipeline.stages.size(), Time{0}));
  if (format == "dot") return graph_to_dot(graph);
  return show_page(arguments, format, pipeline::graph_page(pipeline.name, graph, "ns"), {"Task graph"});
}

std::string show_program(const ViewArguments& arguments) {
  const std::string format = arguments.choose("format of a program", {"html", "svg", "dot"});
  const frontend::WeightedProgram program = frontend::load_program(arguments.file());
  if (format == "dot") return graph_to_dot(program.graph);
  const std::string title = std::filesystem::path(arguments.file()).filename().string();
  return show_page(arguments, format, frontend::program_page(title, program, arguments.owners()), {"Source"});
}

std::string show_mesh(const ViewArguments& arguments) {
  const std::string format = arguments.choose("format of a mesh", {"html", "svg", "csv"});
  const Mesh mesh = load_mesh(arguments.file());
  if (format == "csv") return pipeline::mesh_to_csv(mesh, arguments.owners());
  return show_page(arguments, format,
                   pipeline::mesh_page(title_of(arguments.file()), mesh, arguments.owners()), {"Mesh"});
}

std::string show_graph(const ViewArguments& arguments) {
  const std::string format = arguments.choose("format of a task graph", {"html", "svg", "dot"});
  const TaskGraph graph = read_graph(arguments.file());
  if (format == "dot") return graph_to_dot(graph);
  return show_page(arguments, format,
                   pipeline::graph_page(title_of(arguments.file()), graph, time_unit(graph)),
                   {graph.is_undirected() ? "Task interaction graph" : "Task graph"});
}

/// Makes the page of a machine; for a measured one it starts with the measurement.
Page machine_page_of(const std::string& text, const logp::Machine& machine) {
  const std::string file = file_of_machine(text), name = std::filesystem::path(text).filename().string();
  if (kind_of_file(file) != FileKind::machine || std::filesystem::path(file).extension() == ".xml")
    return pipeline::machine_page(name, machine);
  ErrorList errors;
  const YamlTree tree = parse_yaml(read_text_file(file), file, errors);
  errors.throw_if_any();
  const YamlNode calibration = tree.root()["calibration"];
  return calibration ? pipeline::measured_machine_page(name, machine, json_of(calibration))
                     : pipeline::machine_page(name, machine);
}

std::string show_machine(const ViewArguments& arguments) {
  const std::string format = arguments.choose("format of a machine", {"html", "svg", "dot"});
  const logp::Machine machine = logp::parse_machine(arguments.file());
  if (is_page(format)) return show_page(arguments, format, machine_page_of(arguments.file(), machine));
  constexpr std::size_t most_nodes = 64;
  const std::size_t nodes = machine.platform().cluster_of_node.size();
  if (machine.platform().network.empty() && nodes > most_nodes)
    throw ConfigError({arguments.file()},
                      fmt::format("has no network, and a complete graph of {} nodes is too large: expected "
                                  "at most {} nodes, or --format html or svg",
                                  nodes, most_nodes));
  return network_to_dot(pipeline::picture_of(machine));
}

std::string show_recording(const ViewArguments& arguments, const pipeline::Recording& recording) {
  const std::string format = arguments.choose("format of a recording", {"text", "html", "svg", "csv"});
  const std::string says(recording.format->summary);
  try {
    const pipeline::RecordingSummary summary = pipeline::summarise(*recording.source);
    if (is_page(format))
      return show_page(arguments, format,
                       pipeline::recording_page(title_of(arguments.file()), says, summary));
    if (format == "csv") return pipeline::recording_to_csv(summary);
    return pipeline::recording_to_text(arguments.file(), says, summary);
  } catch (const ConfigError& error) {
    // Some readers include the file's name in the message.
    if (!error.where().file.empty() || error.message().starts_with(arguments.file())) throw;
    throw ConfigError({arguments.file()}, error.message());
  }
}

std::string show_capture(const ViewArguments& arguments) {
  const std::string format = arguments.choose("format of a capture", {"text", "html", "svg", "csv"});
  const pipeline::CaptureSummary summary = pipeline::summarise_capture(arguments.file());
  if (format == "csv") return pipeline::capture_to_csv(summary);
  return is_page(format)
             ? show_page(arguments, format, pipeline::capture_page(title_of(arguments.file()), summary))
             : pipeline::capture_to_text(arguments.file(), summary);
}

std::string show_store(const ViewArguments& arguments) {
  const std::string format = arguments.choose("format of a service's store", {"html", "svg"});
  return show_page(arguments, format, pipeline::service_page(title_of(arguments.file()), arguments.file()));
}

std::string show_filterbank(const ViewArguments& arguments, const pipeline::Recording& recording) {
  const std::string format = arguments.choose("format of a filterbank file", {"text", "html", "svg", "csv"});
  // CSV holds the spectrum, as for any recording.
  if (format == "csv") return show_recording(arguments, recording);
  const sensors::SigprocFile file = sensors::read_sigproc(arguments.file());
  try {
    return is_page(format)
               ? show_page(arguments, format, pipeline::spectrum_page(title_of(arguments.file()), file))
               : sensors::describe(file);
  } catch (const ConfigError& error) {
    throw ConfigError({arguments.file()}, error.message());
  }
}

std::string show_figures(const ViewArguments& arguments, const nlohmann::ordered_json& document) {
  const std::string format = arguments.choose("format of figures", {"html", "svg"});
  return show_page(arguments, format, pipeline::figures_page(title_of(arguments.file()), document));
}

std::string show_mask(const ViewArguments& arguments) {
  const std::string format = arguments.choose("format of a mask", {"html", "svg"});
  return show_page(arguments, format, pipeline::mask_page(arguments.file()));
}

std::string show_front(const ViewArguments& arguments) {
  const std::string format = arguments.choose("format of a Pareto front", {"html", "svg"});
  Page page = pipeline::pareto_page(arguments.file(), read_text_file(arguments.file()));
  page.title = title_of(arguments.file());
  return show_page(arguments, format, std::move(page));
}

std::string show_trace(const ViewArguments& arguments, const std::string& text) {
  const std::string format =
      arguments.choose("format of a trace", {"html", "svg", "json", "paje", "csv", "trace"});
  const pipeline::RunTrace trace = pipeline::trace_from_text(text, arguments.file());
  if (format == "json") return pipeline::to_chrome_json(trace);
  if (format == "csv") return pipeline::to_csv(trace);
  // Files of Paje use both extensions, .trace and .paje.
  if (format == "paje" || format == "trace") return pipeline::to_paje(trace);
  return show_page(arguments, format, pipeline::trace_page(title_of(arguments.file()), trace));
}

/// Returns true for text like that of takt run --trace; other programs may add white space to JSON.
bool is_trace(const std::string& text) {
  constexpr std::size_t beginning = 200;
  std::string begin = text.substr(0, beginning);
  std::erase_if(
      begin, [](char letter) { return std::string_view(" \t\r\n").find(letter) != std::string_view::npos; });
  return begin.find("\"format\":\"takt-trace/") != std::string::npos;
}

/// Returns the same for a file of any name.
bool begins_as_trace(const std::string& file) {
  std::ifstream stream(file, std::ios::binary);
  std::string text(200, '\0');
  stream.read(text.data(), static_cast<std::streamsize>(text.size()));
  return is_trace(text);
}

std::string show_unit_traces(const ViewArguments& arguments) {
  const std::string format =
      arguments.choose("format of a SCHEDULE trace", {"text", "html", "svg", "json", "paje", "trace"});
  std::vector<pipeline::NamedUnitTraces> files;
  for (const std::string& file : arguments.files) {
    if (std::filesystem::is_regular_file(file) && std::filesystem::file_size(file) == 0)
      throw ConfigError({file}, "is empty");
    files.push_back({title_of(file), pipeline::read_unit_traces(read_text_file(file), file)});
    if (files.back().traces.empty())
      throw ConfigError({file}, "has no event: expected lines such as '0 1 0 1 2'");
  }
  if (format == "text") return pipeline::unit_traces_to_text(files);
  if (format == "json") return pipeline::unit_traces_to_chrome_json(files);
  if (format == "paje" || format == "trace") return pipeline::unit_traces_to_paje(files);
  return show_page(arguments, format, pipeline::unit_trace_page(title_of(arguments.file()), files));
}

/// Returns true for a list of schedules from takt plan --pareto.
bool is_front(const nlohmann::ordered_json& document) {
  return document.is_array() && !document.empty() && document.front().is_object() &&
         document.front().contains("latency") && document.front().contains("replicas") &&
         !document.front().contains("graph");
}

/// Returns true for a workflow of WfCommons, which is a task graph.
bool is_workflow(const nlohmann::ordered_json& document) {
  return document.is_object() && document.contains("workflow");
}

std::string show_events(const ViewArguments& arguments, const nlohmann::ordered_json& document) {
  const std::string format = arguments.choose("format of trace events", {"html", "svg"});
  try {
    return show_page(arguments, format, pipeline::events_page(title_of(arguments.file()), document));
  } catch (const ConfigError& error) {
    throw ConfigError({arguments.file()}, error.message());
  }
}

/// Returns the program that shows a file written for other programs only.
std::string shown_by(const std::string& extension) {
  if (extension == ".paje" || extension == ".trace") return "Paje's tools (pj_dump, ViTE)";
  if (extension == ".goal") return "LogGOPSim";
  return extension == ".html" || extension == ".svg" || extension == ".png" ? "a browser" : "";
}

std::string show_json(const ViewArguments& arguments, const std::string& text) {
  const nlohmann::ordered_json document = [&] {
    try {
      return nlohmann::ordered_json::parse(text);
    } catch (const nlohmann::json::exception& error) {
      refuse_json(text, arguments.file(), error);
    }
  }();
  if (is_workflow(document)) return show_graph(arguments);
  if (pipeline::is_trace_events(document)) return show_events(arguments, document);
  if (is_front(document)) return show_front(arguments);
  return show_figures(arguments, document);
}

/// Shows a profile, or another file without keys that identify a file of takt.
std::string show_yaml(const ViewArguments& arguments) {
  ErrorList errors;
  const YamlTree tree = parse_yaml(read_text_file(arguments.file()), arguments.file(), errors);
  errors.throw_if_any();
  // Readers of schedules and machines report missing keys.
  if (!tree.root().is_mapping()) return show_schedules(arguments);
  return show_figures(arguments, json_of(tree.root()));
}

/// Returns true for `logp:P=3,L=1,o=1,g=2` and similar.
bool is_machine_text(const std::string& text) {
  const std::string model = text.substr(0, text.find(':'));
  return model == "logp" || model == "loglinear" || model == "delay" || model == "contention";
}

}  // namespace

std::string show(const ViewArguments& arguments) {
  check_output(arguments.output, arguments.files);
  const std::string& file = arguments.file();
  const std::string extension = std::filesystem::path(file).extension().string();
  if (arguments.processors && !frontend::names_program(file) && !names_mesh(file))
    throw ConfigError(fmt::format("--processors: {} is neither a C program nor a mesh", file));
  if (is_unit_trace(file)) return show_unit_traces(arguments);
  if (arguments.files.size() > 1) return show_schedules(arguments);
  if (frontend::names_program(file)) return show_program(arguments);
  if (names_mesh(file)) return show_mesh(arguments);
  if (!arguments.pipeline.empty()) {
    const pipeline::Pipeline pipeline = pipeline::load_pipeline(arguments.pipeline);
    return show_recording(arguments, pipeline::open_described_recording(file, pipeline));
  }
  if (std::filesystem::is_regular_file(file) && std::filesystem::file_size(file) == 0)
    throw ConfigError({file}, "is empty");
  switch (kind_of_file(file)) {
    case FileKind::pipeline:
      return show_pipeline(arguments);
    case FileKind::schedule:
      return show_schedules(arguments);
    case FileKind::machine:
      return show_machine(arguments);
    case FileKind::graph:
      return show_graph(arguments);
    case FileKind::profile:
    case FileKind::other:
      break;
  }
  // A generator or a machine; the reader reports a missing file.
  if (!std::filesystem::exists(file) && file.find(':') != std::string::npos)
    return is_machine_text(file) || kind_of_file(file_of_machine(file)) == FileKind::machine
               ? show_machine(arguments)
               : show_graph(arguments);
  const bool is_yaml = extension == ".yaml" || extension == ".yml";
  if (is_yaml) return std::filesystem::exists(file) ? show_yaml(arguments) : show_schedules(arguments);
  if (extension == ".stg" || extension == ".dot" || extension == ".dax") return show_graph(arguments);
  if (extension == ".xml") return show_machine(arguments);
  if (extension == ".csv" && std::filesystem::is_regular_file(file))
    return show_figures(arguments, rows_of_csv(read_text_file(file), file));
  if (extension == ".mask") return show_mask(arguments);
  if (std::filesystem::is_regular_file(file)) {
    if (extension == ".json" || begins_as_trace(file)) {
      const std::string text = read_text_file(file);
      return is_trace(text) ? show_trace(arguments, text) : show_json(arguments, text);
    }
    if (pipeline::is_capture(file)) return show_capture(arguments);
    if (pipeline::begins_as_database(file)) return show_store(arguments);
    if (const auto recording = pipeline::open_recording(file, arguments.settings))
      return recording->format->name == "sigproc" ? show_filterbank(arguments, *recording)
                                                  : show_recording(arguments, *recording);
    if (const std::string other = shown_by(extension); !other.empty())
      throw ConfigError({file},
                        fmt::format("is a picture for {}: expected the file that it was made from", other));
    throw ConfigError({file},
                      "is of an unknown kind by its name and first bytes (takt list shows the known kinds); "
                      "for frames without a header, give the pipeline that wrote them: --pipeline P.yaml");
  }
  throw ConfigError(fmt::format(
      "{}: {}: expected a filterbank file (.fil), a schedule or a pipeline (.yaml), a task graph (.yaml, "
      ".stg, .json, .dot, .dax), a machine (.yaml), figures, a Pareto front or a trace (.json), or another "
      "file that 'takt list' names",
      file, std::filesystem::exists(file) ? "is not a file" : "no such file"));
}

void declare_view(Command& command) {
  auto arguments = std::make_shared<ViewArguments>();
  command
      .add("file", arguments->files,
           "Any file that takt reads or writes: a schedule, a pipeline, a task graph, a machine, a profile "
           "(.yaml), a graph in another format, a report, a comparison, a Pareto front or a recorded run "
           "(.json), a recording or a capture (takt list recordings), the store of a service (.db), a C "
           "program "
           "(.c), a mesh (.msh, or grid:rows=16,columns=24), or the trace of a SCHEDULE program "
           "(trace.graph). Several schedules share one time axis, several "
           "SCHEDULE traces one page")
      .value("FILE")
      .required();
  command
      .add("--format", arguments->format,
           "html: a self-contained page; svg: its pictures; text, of schedules, pipelines, recordings and "
           "SCHEDULE traces; of "
           "one schedule also csv, dot (the graph) or goal (for LogGOPSim), of graphs and machines dot, of a "
           "recorded run json (for Perfetto and Chrome), paje, csv, of SCHEDULE traces json, paje, of "
           "recordings csv (the spectrum), of meshes csv (the processor of each cell); "
           "default: by the output's name")
      .value("FORMAT")
      .suggest({"text", "html", "svg", "csv", "dot", "goal", "json", "paje"});
  command
      .add("--picture", arguments->pictures,
           "Only the picture of this name in the page, such as 'Task graph' or Network; may be repeated. "
           "Default of SVG: all, but only the Gantt chart of a schedule and the task graph of a graph")
      .value("NAME");
  command
      .add("--pipeline", arguments->pipeline,
           "The pipeline that wrote or reads this file of frames without a header (sink raw); for a "
           "capture (pcap), a pipeline that receives or reads its packets")
      .value("PIPELINE");
  command
      .add("--set", arguments->settings,
           "Parameter of the recording's source, for values that the file lacks: sample_rate=1.28MHz (takt "
           "list sources vdif_file)")
      .value("KEY=VALUE");
  command.flag("--follow", arguments->is_followed,
               "Show the trace of a SCHEDULE program while it is written: serve the page, which is drawn "
               "again when the file has grown, until interrupted");
  command
      .flag("--edit", arguments->is_edited,
            "Edit a text file in a browser: serve its page with its text, save it, and show it again, until "
            "interrupted")
      .excludes({"--follow", "--format", "--output"});
  command
      .number("-P,--processors", arguments->processors,
              "Number of processors in the partitions of a mesh, and of the arrays of a C program",
              {1, most_cells})
      .fallback("4");
  add_output_option(command, arguments->output, "Write to this file instead of stdout");
  command.example("takt view lofar-spectrometer.fil --output spectrum.html");
  command.example("takt plan fft:depth=3 --machine logp:P=4,L=1,o=1,g=2 --output fft.yaml");
  command.example("takt view fft.yaml --output fft.html");
  command.example("takt view configs/first.yaml");
  command.example("takt view power.raw --pipeline configs/first.yaml --output power.html");
  command.example("takt view report.json --output report.html");
  command.example("takt view trace.graph --output trace.html");
  command.example("takt view grid:rows=16,columns=24 --processors 6 --output grid.html");
  command.example("takt view fft.c --edit");
  command.does([arguments] {
    if (arguments->is_followed)
      follow_unit_trace(*arguments);
    else if (arguments->is_edited)
      edit_file(*arguments);
    else
      print_or_write(show(*arguments), arguments->output);
    return 0;
  });
}

}  // namespace takt::cli
