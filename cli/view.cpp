#include <array>
#include <filesystem>
#include <memory>

#include <fmt/format.h>

#include "cli/command.hpp"
#include "cli/options.hpp"
#include "cli/pipeline_options.hpp"
#include "core/error.hpp"
#include "core/pictures/gantt_svg.hpp"
#include "core/pictures/gantt_text.hpp"
#include "core/pictures/graph_svg.hpp"
#include "core/pictures/text_fill.hpp"
#include "logp/goal.hpp"
#include "logp/schedule_file.hpp"
#include "pipeline/report/plan_report.hpp"
#include "sensors/sigproc/spectrum_summary.hpp"

namespace takt::cli {

namespace {

struct ViewArguments {
  std::string file, format, output;
};

constexpr std::array<std::string_view, 4> schedule_formats{"text", "svg", "html", "goal"};
constexpr std::array<std::string_view, 1> filterbank_formats{"text"};
constexpr std::array<std::string_view, 2> graph_formats{"text", "svg"};

std::string show_schedule(const ViewArguments& arguments) {
  const std::string format =
      choose_format("format of a schedule", arguments.format, arguments.output, schedule_formats);
  const logp::ScheduleFile file = logp::read_schedule_file(arguments.file);
  if (format == "svg") return gantt_to_svg(file.schedule, file.graph);
  if (format == "html") return gantt_to_html(file.schedule, file.graph);
  if (format == "goal") return logp::to_goal(file.machine, file.schedule);
  return draw_gantt(file.schedule, file.graph, text_columns);
}

std::string show_pipeline(const ViewArguments& arguments) {
  const std::string format =
      choose_format("format of a pipeline", arguments.format, arguments.output, graph_formats);
  const pipeline::Pipeline pipeline = pipeline::load_pipeline(arguments.file);
  if (format == "svg")
    return graph_to_svg(pipeline.task_graph(std::vector<Time>(pipeline.stages.size(), Time{0})));
  return pipeline::pipeline_to_text(pipeline);
}

std::string show(const ViewArguments& arguments) {
  check_output(arguments.output, {arguments.file});
  const std::filesystem::path extension = std::filesystem::path(arguments.file).extension();
  if (is_pipeline(arguments.file)) return show_pipeline(arguments);
  if (extension == ".yaml" || extension == ".yml") return show_schedule(arguments);
  if (extension != ".fil")
    throw ConfigError(fmt::format("{}: expected a filterbank file (.fil), a schedule or a pipeline (.yaml)",
                                  arguments.file));
  (void)choose_format("format of a filterbank file", arguments.format, arguments.output, filterbank_formats);
  const sensors::SigprocFile file = sensors::read_sigproc(arguments.file);
  try {
    return sensors::describe(file);
  } catch (const ConfigError& error) {
    throw ConfigError({arguments.file}, error.message());
  }
}

int run(const ViewArguments& arguments) {
  const std::string text = show(arguments);
  print_or_write(text, arguments.output);
  return 0;
}

}  // namespace

void declare_view(Command& command) {
  auto arguments = std::make_shared<ViewArguments>();
  command.add("file", arguments->file, "A filterbank file (.fil), a schedule or a pipeline (.yaml)")
      .value("FILE")
      .required();
  command
      .add("--format", arguments->format,
           "text; of a schedule also svg or html (a Gantt chart) or goal (for LogGOPSim); of a pipeline "
           "svg; by default what the output's name says, or text")
      .value("FORMAT")
      .suggest({"text", "svg", "html", "goal"});
  add_output_option(command, arguments->output, "Write to this file instead of printing");
  command.example("takt view lofar-spectrometer.fil");
  command.example("takt plan fft:depth=3 --machine logp:P=4,L=1,o=1,g=2 --output fft.yaml");
  command.example("takt view fft.yaml --output fft.html");
  command.example("takt view configs/first.yaml");
  command.does([arguments] { return run(*arguments); });
}

}  // namespace takt::cli
