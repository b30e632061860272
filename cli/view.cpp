#include <array>
#include <filesystem>
#include <memory>

#include <fmt/format.h>

#include "cli/command.hpp"
#include "cli/options.hpp"
#include "core/error.hpp"
#include "core/formats/schedule_yaml.hpp"
#include "core/pictures/gantt_svg.hpp"
#include "core/pictures/gantt_text.hpp"
#include "core/text_file.hpp"
#include "logp/goal.hpp"
#include "logp/machine_yaml.hpp"
#include "sensors/spectrum_summary.hpp"

namespace takt::cli {

namespace {

struct ViewArguments {
  std::string file, format, output;
};

constexpr std::array<std::string_view, 4> schedule_formats{"text", "svg", "html", "goal"};
constexpr std::array<std::string_view, 1> filterbank_formats{"text"};

std::string show_schedule(const ViewArguments& arguments) {
  const std::string format =
      choose_format("format of a schedule", arguments.format, arguments.output, schedule_formats);
  const ScheduleFile file = schedule_from_yaml(read_text_file(arguments.file), arguments.file);
  if (format == "svg") return gantt_to_svg(file.schedule, file.graph);
  if (format == "html") return gantt_to_html(file.schedule, file.graph);
  if (format == "goal")
    return logp::to_goal(logp::machine_from_yaml(file.machine, arguments.file + " (machine)"), file.schedule);
  constexpr std::size_t letters = 100;
  return draw_gantt(file.schedule, file.graph, letters);
}

std::string show(const ViewArguments& arguments) {
  const std::filesystem::path extension = std::filesystem::path(arguments.file).extension();
  if (extension == ".yaml" || extension == ".yml") return show_schedule(arguments);
  if (extension != ".fil")
    throw ConfigError(
        fmt::format("{}: expected a filterbank file (.fil) or a schedule file (.yaml)", arguments.file));
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

void add_view(Program& program) {
  CLI::App& command = *program.app.add_subcommand("view", "Show a file at a glance");
  auto arguments = std::make_shared<ViewArguments>();
  command.add_option("file", arguments->file, "A filterbank file (.fil) or a schedule file (.yaml)")
      ->required()
      ->type_name("FILE");
  command
      .add_option("--format", arguments->format,
                  "text; of a schedule also svg or html (a Gantt chart) or goal (for LogGOPSim); by default "
                  "what the output's name says, or text")
      ->type_name("FORMAT");
  command.add_option("-o,--output", arguments->output, "Write to this file instead of printing")
      ->type_name("FILE");
  command.footer(
      "Examples: takt view lofar-spectrometer.fil\n"
      "          takt plan fft:depth=3 --machine logp:P=4,L=1,o=1,g=2 --output fft.yaml\n"
      "          takt view fft.yaml --output fft.html");
  command.callback([&program, arguments] { program.exit_code = run(*arguments); });
}

}  // namespace takt::cli
