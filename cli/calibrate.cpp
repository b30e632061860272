#include <cstdlib>
#include <filesystem>
#include <iostream>
#include <memory>

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <mpi.h>
#include <poll.h>
#include <sys/wait.h>
#include <unistd.h>

#include "cli/command.hpp"
#include "cli/options.hpp"
#include "cli/progress.hpp"
#include "core/error.hpp"
#include "core/text_file.hpp"
#include "core/units.hpp"
#include "logp/calibration/calibration_text.hpp"
#include "pipeline/launch/child_process.hpp"
#include "pipeline/launch/mpirun.hpp"
#include "pipeline/launch/stop_requests.hpp"

namespace takt::cli {

namespace {

namespace fs = std::filesystem;

struct CalibrateArguments {
  std::size_t ranks = 0;
  std::string output, largest = "16 MiB", duration = "30 s", data = "fresh";
  double tolerance = 0.25;
  std::uint64_t seed = 1;
  bool normal_priority = false, force = false, no_progress = false;
};

/// Environment variable that names the folder into which a launched rank 0 puts what it found.
constexpr const char* folder_variable = "TAKT_CALIBRATION_FOLDER";
/// A launched rank's lines about its progress start so.
constexpr std::string_view progress_mark = "takt-progress ";

/// What rank 0 has found, as text.
struct Outcome {
  /// Empty when there is none, for nothing could be measured.
  std::string machine;
  std::string summary;
  /// One a line; empty when the calibration is accepted.
  std::string objections;
};

logp::CalibrationOptions options_of(const CalibrateArguments& arguments) {
  logp::CalibrationOptions options;
  options.largest = parse_bytes(arguments.largest);
  constexpr Bytes least{4096}, most{256 << 20};
  if (options.largest < least || options.largest > most)
    throw ConfigError(fmt::format("--largest {}: expected a size from {} to {}", arguments.largest,
                                  to_string(least), to_string(most)));
  options.duration = parse_duration(arguments.duration);
  constexpr Time shortest{std::chrono::seconds{1}}, longest{std::chrono::hours{1}};
  if (options.duration < shortest || options.duration > longest)
    throw ConfigError(fmt::format("--duration {}: expected a time from 1 s to 1 h", arguments.duration));
  options.tolerance = arguments.tolerance;
  options.data = arguments.data == "reused" ? logp::Data::reused : logp::Data::fresh;
  options.seed = arguments.seed;
  options.real_time = !arguments.normal_priority;
  return options;
}

/// Prints and writes what was found; the exit code follows from it.
int present(const Outcome& outcome, const CalibrateArguments& arguments) {
  const bool is_refused = !outcome.objections.empty(), can_be_written = !outcome.machine.empty();
  // Results go to stdout: the file, or, when that goes elsewhere, the table.
  (arguments.output.empty() ? std::cerr : std::cout) << outcome.summary << std::flush;
  if (is_refused)
    fmt::print(stderr, "takt: the calibration is refused:\n{}{}", outcome.objections,
               !can_be_written   ? "there are no costs to write; try a longer --duration\n"
               : arguments.force ? ""
                                 : "nothing is written; --force writes it even so\n");
  if (can_be_written && (!is_refused || arguments.force)) {
    if (arguments.output.empty())
      std::cout << outcome.machine << std::flush;
    else
      write_text_file(arguments.output, outcome.machine);
  }
  return is_refused ? 1 : 0;
}

Outcome outcome_of(const logp::Calibration& calibration) {
  Outcome outcome{.machine = calibration.has_costs() ? to_yaml(calibration) : "",
                  .summary = to_text(calibration)};
  for (const std::string& objection : calibration.objections()) outcome.objections += "  " + objection + '\n';
  return outcome;
}

/// What a rank does, whoever started it.
int run_as_rank(const CalibrateArguments& arguments, logp::CalibrationOptions options) {
  const char* folder = std::getenv(folder_variable);
  ProgressLine progress(!arguments.no_progress && folder == nullptr);
  int last_percent = -1;
  options.on_progress = [&](const logp::CalibrationProgress& now) {
    const int percent = static_cast<int>(100 * now.share);
    if (percent == last_percent) return;
    last_percent = percent;
    const std::string line = fmt::format("{:3} %  {}", percent, now.phase);
    if (folder != nullptr)
      std::cout << progress_mark << line << std::endl;
    else
      progress.show(line);
  };

  MPI_Init(nullptr, nullptr);
  int exit_code = 0;
  try {
    const std::optional<logp::Calibration> calibration = logp::calibrate(MPI_COMM_WORLD, options);
    if (calibration && folder != nullptr) {
      const Outcome outcome = outcome_of(*calibration);
      write_text_file(fs::path(folder) / "machine", outcome.machine);
      write_text_file(fs::path(folder) / "objections", outcome.objections);
      write_text_file(fs::path(folder) / "summary", outcome.summary);
    } else if (calibration) {
      exit_code = present(outcome_of(*calibration), arguments);
    }
  } catch (const std::exception& error) {
    // The other ranks may wait for this one.
    fmt::print(stderr, "takt: {}\n", error.what());
    std::fflush(stderr);
    MPI_Abort(MPI_COMM_WORLD, dynamic_cast<const ConfigError*>(&error) != nullptr ? 2 : 1);
  }
  MPI_Finalize();
  return exit_code;
}

/// Shows the ranks' progress until they have ended; returns what else they said. Throws WorkError when they
/// take far too long, or when the user has asked to stop.
std::string follow(pipeline::ChildProcess& ranks, std::chrono::nanoseconds limit, bool shows_progress) {
  using Clock = std::chrono::steady_clock;
  const Clock::time_point latest = Clock::now() + limit;
  const pipeline::StopRequests stop;
  ProgressLine progress(shows_progress);
  std::string said;
  bool has_ended = false;
  while (!has_ended) {
    has_ended = ranks.ended().has_value();
    pollfd readable{.fd = ranks.output(), .events = POLLIN};
    if (!has_ended) ::poll(&readable, 1, 100);
    for (const std::string& line : ranks.read_lines()) {
      if (line.starts_with(progress_mark))
        progress.show(line.substr(progress_mark.size()));
      else
        said += line + '\n';
    }
    if (stop.count() == 0 && Clock::now() < latest) continue;
    ranks.signal(SIGTERM);
    throw WorkError(stop.count() > 0 ? "the calibration was interrupted" : "the ranks have hung; " + said);
  }
  return said;
}

/// Starts the ranks, waits for them, and presents what rank 0 has found.
int launch(const CalibrateArguments& arguments, const logp::CalibrationOptions& options,
           std::vector<std::string> command) {
  expect_writable(arguments.output);
  const std::size_t cores = logp::usable_cores();
  const std::size_t ranks = arguments.ranks > 0 ? arguments.ranks : std::max<std::size_t>(cores, 2);
  if (ranks < 2) throw ConfigError("--ranks 1: a calibration needs two ranks at least");
  command.front() = fs::read_symlink("/proc/self/exe");

  const pipeline::RunFolder folder;
  pipeline::Variables environment = mpirun_environment(folder);
  environment.emplace_back(folder_variable, folder.path());
  // Only the two ranks that are measured wait inside MPI, on cores of their own where there are two.
  environment.emplace_back("OMPI_MCA_mpi_yield_when_idle", cores > 1 ? "0" : "1");
  std::vector<std::string> mpirun_options;
  if (ranks > cores) mpirun_options.emplace_back("--oversubscribe");

  pipeline::ChildProcess child(pipeline::mpirun_command(ranks, mpirun_options, command), environment);
  const std::string said =
      follow(child, 4 * options.duration + std::chrono::minutes{1}, !arguments.no_progress);
  const int status = *child.ended();
  if (!WIFEXITED(status) || WEXITSTATUS(status) != 0 || !fs::exists(folder.path() / "summary"))
    throw WorkError("the ranks did not run to the end:\n" + said);
  fmt::print(stderr, "{}", said);
  return present({.machine = read_text_file(folder.path() / "machine"),
                  .summary = read_text_file(folder.path() / "summary"),
                  .objections = read_text_file(folder.path() / "objections")},
                 arguments);
}

}  // namespace

void add_calibrate(Program& program) {
  CLI::App& command = *program.app.add_subcommand(
      "calibrate", "Measure what messages cost on this machine, and write a machine file");
  auto arguments = std::make_shared<CalibrateArguments>();
  command.add_option("--ranks", arguments->ranks, "Number of ranks; one a core of this host when not given")
      ->check(CLI::Range(1, 4096));
  command.add_option("-o,--output", arguments->output, "The machine file; stdout when not given")
      ->type_name("FILE");
  command.add_option("--largest", arguments->largest, "Largest message")
      ->type_name("SIZE")
      ->capture_default_str();
  command
      .add_option("--duration", arguments->duration,
                  "How long to measure; a busy machine takes up to three times as long")
      ->type_name("TIME")
      ->capture_default_str();
  command
      .add_option("--tolerance", arguments->tolerance,
                  "How far predictions may be off the trials, relative to these")
      ->check(CLI::Range(0.01, 10.0))
      ->capture_default_str();
  command
      .add_option(
          "--data", arguments->data,
          "What messages carry: fresh bytes, as pipelines do, or reused ones, as network benchmarks do")
      ->check(CLI::IsMember({"fresh", "reused"}))
      ->capture_default_str();
  command.add_option("--seed", arguments->seed, "Of the order of measurements and of the trials")
      ->capture_default_str();
  command.add_flag("--normal-priority", arguments->normal_priority,
                   "Do not use real-time priority, even where the system grants it");
  command.add_flag("--force", arguments->force, "Write the file even when the calibration is refused");
  command.add_flag("--no-progress", arguments->no_progress, "Do not show progress");
  command.footer(
      "takt starts the ranks itself on this host; under your own mpirun or srun, over any hosts, each "
      "process\n"
      "is one rank. Links are measured between one pair of ranks of each kind: on one node, between nodes,\n"
      "between clusters (hosts of different domains).\n"
      "Exit code: 0 done, 1 refused with reasons or failed, 2 an option is wrong.\n\n"
      "Example: takt calibrate --output m.yaml && takt plan fft:depth=4 --machine m.yaml\n"
      "The file holds two profiles: medians, and 95th percentiles as --machine m.yaml:verify.");
  command.callback([&program, arguments] {
    const logp::CalibrationOptions options = options_of(*arguments);
    program.exit_code = pipeline::own_rank() ? run_as_rank(*arguments, options)
                                             : launch(*arguments, options, program.command_line);
  });
}

}  // namespace takt::cli
