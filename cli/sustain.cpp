#include <algorithm>
#include <array>
#include <iostream>
#include <memory>
#include <optional>

#include <fmt/format.h>

#include "cli/command.hpp"
#include "cli/options.hpp"
#include "cli/pipeline_options.hpp"
#include "cli/progress.hpp"
#include "core/error.hpp"
#include "pipeline/launch/dry_run.hpp"
#include "pipeline/launch/hosts/host_survey.hpp"
#include "pipeline/launch/jobs/ranks_command.hpp"
#include "pipeline/launch/jobs/stop_requests.hpp"
#include "pipeline/launch/start_checks.hpp"
#include "pipeline/pages/sustain_page.hpp"
#include "pipeline/report/run_progress.hpp"
#include "pipeline/sustain/sustained_rate.hpp"

namespace takt::cli {

namespace {

struct SustainArguments {
  PipelineArguments pipeline;
  std::string schedule, profile, trial = "3 s", emulator_host, output, format;
  double resolution = 0.02, tolerance = 0.01;
  std::uint64_t repetitions = 3, curve = 5;
  ProgressArguments progress;
};

pipeline::SustainOptions options_of(const SustainArguments& arguments) {
  pipeline::SustainOptions options;
  options.trial.duration = parse_positive_duration("--trial", arguments.trial);
  options.trial.tolerance = arguments.tolerance;
  options.search.resolution = arguments.resolution;
  options.search.repetitions = arguments.repetitions;
  options.curve_points = arguments.curve;
  if (!arguments.emulator_host.empty())
    options.trial.emulator_host = pipeline::parse_hosts({arguments.emulator_host}, 1, 1).front().name;
  return options;
}

/// Loads the pipeline; by default its goal is the highest frequency.
pipeline::Pipeline load_for_trials(SustainArguments& arguments) {
  pipeline::Pipeline pipeline = load(arguments.pipeline);
  const bool is_open = pipeline.goal.scheduler.empty() && arguments.pipeline.objective.empty();
  if (!is_open || !arguments.schedule.empty()) return pipeline;
  arguments.pipeline.objective = "frequency";
  return load(arguments.pipeline);
}

std::string trial_text(std::size_t number, const pipeline::RateTrial& trial) {
  return fmt::format("trial {}: {} {}", number,
                     trial.offered_hz > 0 ? to_string(Frequency{trial.offered_hz}) : "as fast as possible",
                     trial.holds() ? "holds" : trial.fault);
}

int sustain(SustainArguments& arguments) {
  constexpr std::array<std::string_view, 4> formats{"text", "json", "csv", "svg"};
  const std::string format =
      choose_format("format of sustained rates", arguments.format, arguments.output, formats);
  pipeline::SustainOptions options = options_of(arguments);
  pipeline::Pipeline pipeline = load_for_trials(arguments);
  options.trial.latency_limit = pipeline.latency;
  // Trials write to a directory of their own.
  pipeline.overwrites = true;
  check_output(arguments.output, {arguments.pipeline.file, arguments.schedule, arguments.profile});
  pipeline::check_start(
      pipeline, {.profile = named_file(arguments.profile), .schedule = named_file(arguments.schedule)});
  pipeline::check_rates_can_be_chosen(pipeline);
  pipeline::expect_rank_here(pipeline.deployment.site, "takt sustain");
  (void)pipeline::check_hosts(pipeline, {});

  for (const std::string& warning : pipeline::warnings_of_trials(pipeline))
    fmt::print(stderr, "takt: warning: {}\n", warning);
  ProgressLine line(arguments.progress.chosen());
  std::string last = "planning";
  std::size_t trials = 0;
  const std::size_t expected = 1 + pipeline::usual_trials(options.search) + options.curve_points;
  const auto show = [&](const pipeline::RunRecord& now) {
    // A disturbed search takes an unknown time.
    const bool is_usual = trials > 0 && trials < expected;
    line.show(
        fmt::format("{}; now {}", last, pipeline::progress_line(now)),
        is_usual ? std::optional(static_cast<double>(trials) / static_cast<double>(expected)) : std::nullopt);
  };
  const std::vector<std::string> run = words_of_run(arguments.pipeline);
  std::vector<std::string> planning = run;
  const std::vector<std::string> goal = words_of_goal(arguments.pipeline);
  planning.insert(planning.end(), goal.begin(), goal.end());
  if (!arguments.profile.empty()) planning.insert(planning.end(), {"--profile", arguments.profile});
  // Sources of trials set the times of their frames, so one rank runs each of them.
  const auto may_be_shared = [&](std::size_t source) { return pipeline.stages[source].stateless; };
  if (std::ranges::any_of(pipeline.sources(), may_be_shared)) {
    constexpr double any_hz = 1000;
    for (std::string& word : pipeline::words_of_rate(pipeline, any_hz)) planning.push_back(std::move(word));
    for (const std::size_t source : pipeline.sources()) pipeline.stages[source].stateless = false;
  }
  planning.emplace_back("--dry-run");
  const pipeline::StopRequests stop_requests;
  const pipeline::PipelinePlan plan =
      pipeline::dry_run(pipeline, {.profile = named_file(arguments.profile),
                                   .schedule = named_file(arguments.schedule),
                                   .arguments = planning,
                                   .on_progress = [&](const auto& now) { show(now); }});
  if (stop_requests.count() > 0) throw WorkError("the planning was interrupted");

  options.trial.on_progress = show;
  options.on_trial = [&](const pipeline::RateTrial& trial) {
    last = trial_text(++trials, trial);
    return stop_requests.count() == 0;
  };
  const pipeline::TrialBed bed(pipeline, run, plan, options.trial);
  const pipeline::SustainedRate found = pipeline::find_sustained_rate(bed, plan.summary, options);
  line.clear();
  if (!found.failure.empty() && trials == 0) throw WorkError(found.failure);
  const auto as_text = format == "json"  ? pipeline::to_json(found)
                       : format == "csv" ? pipeline::to_csv(found)
                       : format == "svg" ? pipeline::latency_curve_picture(found)
                                         : pipeline::to_text(found);
  // The result is printed even if writing the file fails.
  if (!arguments.output.empty() && format != "text") std::cout << pipeline::to_text(found) << std::flush;
  print_or_write(as_text, arguments.output);
  if (!found.failure.empty()) throw WorkError(found.failure);
  if (stop_requests.count() > 0) throw WorkError("the search was interrupted");
  return found.rate.is_complete && found.holds_required().value_or(true) ? 0 : 1;
}

}  // namespace

void declare_sustain(Command& command) {
  auto arguments = std::make_shared<SustainArguments>();
  add_pipeline_argument(command, arguments->pipeline);
  command
      .add("--schedule", arguments->schedule,
           "Schedule written by takt plan PIPELINE --output, instead of planning")
      .value("FILE")
      .excludes({"--profile", "--objective", "--scheduler"});
  command.add("--profile", arguments->profile, "Costs of the tasks, from takt profile; default: measure them")
      .value("FILE");
  command.add("--trial", arguments->trial, "Length of a trial; extended until it has 50 frames")
      .value("TIME")
      .fallback("3 s");
  command
      .number("--resolution", arguments->resolution,
              "End the search when the failing rate exceeds the held one by at most this share", {0.001, 0.5})
      .fallback("0.02");
  command
      .number("--repetitions", arguments->repetitions,
              "Number of successive trials in which the rate must hold", {1, 100})
      .fallback("3");
  command
      .number("--tolerance", arguments->tolerance,
              "Largest accepted shortfall of the rate at the sinks, relative to the offered rate", {0, 0.5})
      .fallback("0.01");
  command.number("--curve", arguments->curve, "Number of trials for the curve of latency over rate", {0, 100})
      .fallback("5");
  command
      .add("--emulator-host", arguments->emulator_host,
           "Host on which takt send runs for live sources; default: this computer")
      .value("HOST");
  add_output_option(command, arguments->output, "File of the result; its ending chooses the format");
  command.add("--format", arguments->format, "text, json, csv or svg")
      .value("FORMAT")
      .suggest({"text", "json", "csv", "svg"});
  add_progress_options(command, arguments->progress);
  add_goal_options(command, arguments->pipeline);
  add_hosts_option(command, arguments->pipeline.hosts).group(goal_group);
  command.note(
      "takt sustain runs one plan (by default the one of the highest throughput) again and again at "
      "different rates: first as fast as possible, then by bisection (RFC 2544, section 26.1). A rate holds "
      "when no frame is lost, dropped or incomplete, the sinks receive frames at the offered rate, and a "
      "required latency (`latency: 20 ms` in the file, or --set latency='20 ms') is held: the highest rate "
      "is "
      "the capacity of these ranks. A rate fails after two failed trials. There is no warm-up: the first "
      "frames count.");
  command.note(
      "Sources with a rate get a new one, recordings are replayed at another speed, and takt send sends to "
      "sources that receive (lofar_udp, lwa_udp, spead_udp, vdif_udp, udp, tcp, zmq): on this computer, with "
      "which it "
      "then shares the CPU, or on another one (--emulator-host, reached like the hosts of ranks). Outputs go "
      "to temporary files.");
  command.note(
      "Exit code: 0 rate found; 1 no rate found, rate below the required one, or failed run; 2 the pipeline "
      "or an option is wrong.");
  command.example("takt sustain configs/first.yaml");
  command.example("takt sustain configs/first.yaml --ranks 1 --output rate.svg");
  command.does([arguments] { return sustain(*arguments); });
}

}  // namespace takt::cli
