#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <iostream>
#include <memory>
#include <thread>

#include <fmt/format.h>

#include "cli/command.hpp"
#include "cli/options.hpp"
#include "cli/progress.hpp"
#include "core/error.hpp"
#include "core/text_file.hpp"
#include "pipeline/config/files.hpp"
#include "pipeline/engine/rank.hpp"
#include "pipeline/launch/launcher.hpp"
#include "pipeline/launch/mpirun.hpp"
#include "pipeline/planning/profile.hpp"
#include "pipeline/report/report.hpp"

namespace takt::cli {

namespace {

struct RunArguments {
  std::string pipeline;
  std::vector<std::string> overrides;
  std::uint64_t ranks = 0, frames = 0;
  std::string duration, rate, objective, scheduler, machine, profile, report, format = "text";
  bool no_progress = false;
};

/// The command line's own options as overrides of the file, after those of --set.
std::vector<pipeline::Override> all_overrides(const RunArguments& arguments) {
  std::vector<pipeline::Override> overrides = parse_overrides(arguments.overrides);
  if (arguments.ranks > 0)
    overrides.push_back({"deployment.ranks", std::to_string(arguments.ranks), "--ranks"});
  if (!arguments.machine.empty()) overrides.push_back({"deployment.machine", arguments.machine, "--machine"});
  // Each takes the place of what the file says of both.
  if (!arguments.objective.empty()) {
    overrides.push_back({"scheduler.name", "''", "--objective"});
    overrides.push_back({"objective.name", arguments.objective, "--objective"});
  }
  if (!arguments.scheduler.empty()) {
    if (arguments.objective.empty()) overrides.push_back({"objective.name", "''", "--scheduler"});
    overrides.push_back({"scheduler.name", arguments.scheduler, "--scheduler"});
  }
  if (!arguments.rate.empty()) overrides.push_back({"rate", arguments.rate, "--rate"});
  return overrides;
}

/// Refuses to start more ranks on this computer than could ever come up. The hosts of an allocation are
/// mpirun's to fill.
void check_ranks(const pipeline::Deployment& deployment) {
  constexpr std::size_t most_a_core = 64;
  for (const char* allocation : {"SLURM_JOB_ID", "PBS_JOBID", "LSB_JOBID", "OMPI_MCA_orte_default_hostfile"})
    if (std::getenv(allocation) != nullptr) return;
  const std::size_t cores = std::max(1U, std::thread::hardware_concurrency());
  if (deployment.ranks <= most_a_core * cores) return;
  throw ConfigError(
      deployment.ranks_where,
      fmt::format("'deployment': {} ranks on the {} cores of this computer are too many, expected "
                  "at most {} ({} a core)",
                  deployment.ranks, cores, most_a_core * cores, most_a_core));
}

/// Prints and writes the report; the exit code follows from it.
int show_report(const pipeline::RunRecord& record, const RunArguments& arguments) {
  const pipeline::Report report = pipeline::make_report(record);
  if (!arguments.report.empty()) write_text_file(arguments.report, pipeline::to_json(report));
  if (arguments.format == "json")
    std::cout << pipeline::to_json(report);
  else if (record.plan)
    std::cout << pipeline::to_text(report);
  std::cout.flush();
  if (record.failure.empty()) return 0;
  fmt::print(stderr, "takt: {}\n", record.failure);
  return record.is_config_error ? 2 : 1;
}

int run(const RunArguments& arguments, const std::vector<std::string>& command_line) {
  const pipeline::Pipeline pipeline = pipeline::load_pipeline(arguments.pipeline, all_overrides(arguments));
  pipeline::RankOptions options;
  if (arguments.frames > 0) options.limits.frames = arguments.frames;
  if (!arguments.duration.empty())
    options.limits.duration = parse_positive_duration("--duration", arguments.duration);
  if (!arguments.profile.empty()) {
    options.profile = arguments.profile;
    (void)pipeline::read_profile(arguments.profile, pipeline);
  }

  const bool is_rank = pipeline::own_rank().has_value();
  // Ranks on other computers need not have all files, and takt's own ranks have been checked.
  if (!is_rank) pipeline::check_files(pipeline, arguments.profile, arguments.report);
  if (!is_rank) check_ranks(pipeline.deployment);
  if (is_rank) {
    int exit_code = 0;
    const int failed = pipeline::run_rank(pipeline, options, [&](const pipeline::RunRecord& record) {
      exit_code = show_report(record, arguments);
    });
    return failed != 0 ? failed : exit_code;
  }

  expect_writable(arguments.report);
  pipeline::LaunchOptions launch;
  launch.ranks = pipeline.deployment.ranks;
  launch.command = command_line;
  launch.command.front() = std::filesystem::read_symlink("/proc/self/exe");
  pipeline::RunRecord record;
  {
    ProgressLine progress(!arguments.no_progress);
    launch.on_progress = [&](const pipeline::RunRecord& now) { progress.show(pipeline::progress_line(now)); };
    record = pipeline::launch(launch);
  }
  return show_report(record, arguments);
}

}  // namespace

std::vector<pipeline::Override> parse_overrides(const std::vector<std::string>& texts) {
  std::vector<pipeline::Override> overrides;
  for (const std::string& text : texts) {
    const std::size_t equals = text.find('=');
    if (equals == std::string::npos || equals == 0)
      throw ConfigError(fmt::format("--set {}: expected path=value, for example deployment.ranks=4", text));
    overrides.push_back({text.substr(0, equals), text.substr(equals + 1)});
  }
  return overrides;
}

void add_run(Program& program) {
  CLI::App& command =
      *program.app.add_subcommand("run", "Run a pipeline over MPI ranks and report what it sustained");
  auto arguments = std::make_shared<RunArguments>();
  command.add_option("pipeline", arguments->pipeline, "The pipeline's YAML file")
      ->required()
      ->type_name("PIPELINE");
  command.add_option("--set", arguments->overrides, "Replace a value of the file: tasks.fft.channels=64")
      ->allow_extra_args(false)
      ->type_name("PATH=VALUE");
  command.add_option("--ranks", arguments->ranks, "Number of ranks, instead of the file's")
      ->check(CLI::Range(std::size_t{1}, pipeline::Deployment::most_ranks));
  command.add_option("--frames", arguments->frames, "End after this many frames")->check(CLI::PositiveNumber);
  command.add_option("--duration", arguments->duration, "End this long after the first frame: 10s, 5min")
      ->type_name("TIME");
  command.add_option("--rate", arguments->rate, "The rate that must be held, instead of the file's: 50Hz")
      ->type_name("FREQUENCY");
  command
      .add_option("--objective", arguments->objective,
                  "What to choose a schedule for, instead of the file's: latency (the least that holds the "
                  "rate), processors (the fewest), frequency (the highest)")
      ->type_name("WHAT");
  command.add_option("--scheduler", arguments->scheduler,
                     "Scheduler, instead of the file's (see takt list schedulers)");
  command
      .add_option("--machine", arguments->machine,
                  "Machine to plan for, instead of measuring the links at start")
      ->type_name("MACHINE");
  command
      .add_option("--profile", arguments->profile,
                  "Costs of the tasks from `takt profile`, instead of measuring")
      ->type_name("FILE");
  command.add_option("--report", arguments->report, "Write the report as JSON")->type_name("FILE");
  command.add_option("--format", arguments->format, "What to print: text or json")
      ->check(CLI::IsMember({"text", "json"}))
      ->capture_default_str();
  command.add_flag("--no-progress", arguments->no_progress, "No progress line on the terminal");
  command.footer(
      "takt starts the ranks itself; under your own mpirun or srun, each process is one rank.\n"
      "Ctrl-C ends the run in order: what was taken in is still delivered. A second one ends it at once.\n"
      "Exit code: 0 done, 1 the run failed, 2 the pipeline or an option is wrong.\n\n"
      "Example: takt run configs/first.yaml --frames 1000 --report report.json");
  command.callback([&program, arguments] { program.exit_code = run(*arguments, program.command_line); });
}

}  // namespace takt::cli
