#include <algorithm>
#include <cstdlib>
#include <iostream>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include <fmt/format.h>

#include "cli/command.hpp"
#include "cli/options.hpp"
#include "cli/pipeline_options.hpp"
#include "cli/progress.hpp"
#include "core/error.hpp"
#include "core/pictures/text_fill.hpp"
#include "core/units.hpp"
#include "logp/calibration/topology.hpp"
#include "pipeline/launch/calibration_job.hpp"
#include "pipeline/protocol/run_folder.hpp"

namespace takt::cli {

namespace {

struct CalibrateArguments {
  std::optional<std::size_t> ranks;
  std::vector<std::string> hosts;
  std::string output, largest = "16 MiB", duration = "30 s", data = "fresh";
  double tolerance = 0.25;
  std::uint64_t seed = 1;
  bool normal_priority = false, force = false;
  ProgressArguments progress;
};

logp::CalibrationOptions options_of(const CalibrateArguments& arguments) {
  logp::CalibrationOptions options;
  options.largest = parse_bytes_of("--largest", arguments.largest);
  constexpr Bytes least{8192}, most{256 << 20};
  if (options.largest < least || options.largest > most)
    throw ConfigError(fmt::format("--largest {}: expected a size from {} to {}", arguments.largest,
                                  to_string(least), to_string(most)));
  options.duration = parse_duration_of("--duration", arguments.duration);
  constexpr Time shortest{std::chrono::seconds{1}}, longest{std::chrono::hours{1}};
  if (options.duration < shortest || options.duration > longest)
    throw ConfigError(fmt::format("--duration {}: expected a time from 1 s to 1 h", arguments.duration));
  options.tolerance = arguments.tolerance;
  options.data = arguments.data == "reused" ? logp::Data::reused : logp::Data::fresh;
  options.seed = arguments.seed;
  options.real_time = !arguments.normal_priority;
  return options;
}

/// Prints and writes the result; returns the exit code.
int present(const pipeline::CalibrationOutcome& outcome, const CalibrateArguments& arguments) {
  const bool is_refused = !outcome.objections.empty(), can_be_written = !outcome.machine.empty();
  // Results go to stdout: the file, or the table if the file goes elsewhere.
  (arguments.output.empty() ? std::cerr : std::cout) << outcome.summary << std::flush;
  std::string objections;
  for (const std::string& objection : outcome.objections)
    objections += "  " + fill(objection, text_columns - 4, 4) + '\n';
  if (is_refused)
    fmt::print(stderr, "takt: calibration refused:\n{}{}", objections,
               !can_be_written   ? "no costs were measured; try a longer --duration\n"
               : arguments.force ? ""
                                 : "no file written; --force writes it nevertheless\n");
  if (can_be_written && (!is_refused || arguments.force)) print_or_write(outcome.machine, arguments.output);
  return is_refused ? 1 : 0;
}

int calibrate(const CalibrateArguments& arguments, const std::vector<std::string>& words) {
  const logp::CalibrationOptions options = options_of(arguments);
  ProgressLine line(arguments.progress.chosen());
  // The text begins with the percentage done.
  const auto show = [&](const std::string& text) {
    line.show(text, std::strtod(text.c_str(), nullptr) / 100);
  };
  if (pipeline::own_rank()) {
    const auto outcome = pipeline::calibrate_as_rank(options, show);
    line.clear();
    return outcome ? present(*outcome, arguments) : 0;
  }
  check_output(arguments.output);
  if (arguments.ranks && *arguments.ranks < 2)
    throw ConfigError(fmt::format("--ranks {}: a calibration needs two ranks at least", *arguments.ranks));
  const pipeline::Site site{.hosts = pipeline::parse_hosts(arguments.hosts, 0, arguments.ranks)};
  std::size_t slots = site.hosts.empty() ? std::max<std::size_t>(logp::usable_cores(), 2) : 0;
  for (const pipeline::HostSlots& host : site.hosts) slots += host.slots;
  const std::size_t ranks = arguments.ranks.value_or(slots);
  if (ranks < 2) throw ConfigError("--hosts: a calibration needs two ranks at least");
  const auto outcome = pipeline::launch_calibration({ranks, site, words, show}, options);
  line.clear();
  return present(outcome, arguments);
}

}  // namespace

void declare_calibrate(Command& command) {
  auto arguments = std::make_shared<CalibrateArguments>();
  command.number("--ranks", arguments->ranks,
                 "Number of ranks; default: one per core of this host, or per slot of --hosts", {1, 4096});
  add_hosts_option(command, arguments->hosts);
  add_output_option(command, arguments->output, "The machine file; default: stdout");
  command.add("--largest", arguments->largest, "Largest message").value("SIZE");
  command
      .add("--duration", arguments->duration,
           "Length of the measurement; up to three times as long on a busy machine")
      .value("TIME");
  command
      .number("--tolerance", arguments->tolerance, "Largest accepted relative error of the predictions",
              {0.01, 10})
      .fallback("0.25");
  command
      .add("--data", arguments->data,
           "Data of messages: fresh bytes, as in pipelines, or reused ones, as in network benchmarks")
      .value("KIND")
      .one_of({"fresh", "reused"});
  command.number("--seed", arguments->seed, "Seed of the order of measurements and trials").fallback("1");
  command.flag("--normal-priority", arguments->normal_priority, "Do not use real-time priority");
  command.flag("--force", arguments->force, "Write the file even when the calibration is refused");
  add_progress_options(command, arguments->progress);
  command.note(
      "takt starts the ranks itself, on this host or on --hosts; under your own mpirun or srun each process "
      "is one rank. takt measures one pair of ranks of each kind: on one node, between nodes, between "
      "clusters (hosts of different domains). With up to eight hosts it checks every pair, and writes "
      "separate costs for pairs that differ (`pairs`).");
  command.note("The file holds two profiles: medians, and 95th percentiles as --machine m.yaml:verify.");
  command.note("Exit code: 0 done, 1 refused (with reasons) or failed, 2 an option is wrong.");
  command.example("takt calibrate --output m.yaml && takt plan fft:depth=4 --machine m.yaml");
  command.does([arguments](const Command& given) { return calibrate(*arguments, given.words()); });
}

}  // namespace takt::cli
