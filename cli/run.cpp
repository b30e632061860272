#include <algorithm>
#include <cstdio>
#include <functional>
#include <iostream>
#include <memory>
#include <set>

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <unistd.h>

#include "cli/command.hpp"
#include "cli/options.hpp"
#include "cli/pipeline_options.hpp"
#include "cli/program_commands.hpp"
#include "cli/program_pipeline.hpp"
#include "cli/progress.hpp"
#include "cli/receiving_line.hpp"
#include "cli/run_streams.hpp"
#include "core/error.hpp"
#include "core/system/allowed_processors.hpp"
#include "core/system/text_file.hpp"
#include "pipeline/config/change.hpp"
#include "pipeline/config/restart_rules.hpp"
#include "pipeline/config/space.hpp"
#include "pipeline/frontend/weights/program_graph.hpp"
#include "pipeline/launch/dry_run.hpp"
#include "pipeline/launch/hosts/host_survey.hpp"
#include "pipeline/launch/jobs/ranks_command.hpp"
#include "pipeline/launch/jobs/stop_requests.hpp"
#include "pipeline/launch/launcher.hpp"
#include "pipeline/launch/start_checks.hpp"
#include "pipeline/live/run_server.hpp"
#include "pipeline/planning/adaptation.hpp"
#include "pipeline/planning/run_cache.hpp"
#include "pipeline/protocol/run_folder.hpp"
#include "pipeline/protocol/sent_schedule.hpp"
#include "pipeline/report/plan_report.hpp"
#include "pipeline/report/report.hpp"
#include "pipeline/report/run_progress.hpp"
#include "pipeline/report/trace.hpp"
#include "pipeline/runtime/rank/rank.hpp"

namespace takt::cli {

namespace {

struct RunArguments {
  std::vector<std::string> files;
  PipelineArguments pipeline;
  std::optional<std::uint64_t> frames;
  std::string duration, profile, schedule, trial, adapt, report, format, trace, trace_frames, serve;
  /// Accepted shortfall of the capacity below the prediction; nothing without --strict.
  std::optional<double> strict;
  ProgressArguments progress;
  std::optional<std::uint64_t> restarts;
  bool is_dry = false, checks_memory = false, is_fresh = false, is_verbose = false, overwrites = false,
       is_not_served = false;
};

pipeline::RankOptions rank_options(const RunArguments& arguments) {
  pipeline::RankOptions options;
  options.run.limits.frames = arguments.frames;
  if (!arguments.duration.empty())
    options.run.limits.duration = parse_positive_duration("--duration", arguments.duration);
  options.run.checks_memory = arguments.checks_memory;
  options.adapts = !arguments.adapt.empty();
  options.profile = named_file(arguments.profile);
  options.schedule = named_file(arguments.schedule);
  // A given schedule or given costs are used unchanged, and a dry run plans without trial runs.
  if (!arguments.schedule.empty() || !arguments.profile.empty() || arguments.is_dry ||
      arguments.checks_memory)
    options.trial = Time{0};
  if (!arguments.trial.empty()) options.trial = parse_duration_of("--trial", arguments.trial);
  options.is_dry_run = arguments.is_dry;
  options.is_fresh = arguments.is_fresh;
  if (!arguments.trace.empty())
    options.run.traced = arguments.trace_frames.empty()
                             ? pipeline::TracedFrames{}
                             : pipeline::parse_traced_frames(arguments.trace_frames);
  return options;
}

/// Returns the settings with which ranks use the cache of costs, links and plans; nothing if options control
/// planning, or for other hosts.
std::optional<pipeline::CacheSettings> cache_settings(const RunArguments& arguments,
                                                      const pipeline::Pipeline& pipeline) {
  if (!arguments.profile.empty() || !arguments.schedule.empty() || arguments.is_dry ||
      arguments.checks_memory || !pipeline::is_on_this_host(pipeline.deployment.site))
    return std::nullopt;
  pipeline::CacheSettings settings{.of_measurements = arguments.pipeline.overrides,
                                   .of_plan = words_of_run(arguments.pipeline)};
  settings.of_measurements.push_back(fmt::format("{}", pipeline.deployment.ranks));
  for (std::string& word : words_of_goal(arguments.pipeline)) settings.of_plan.push_back(std::move(word));
  settings.of_plan.insert(settings.of_plan.end(), {"--trial", arguments.trial});
  if (!arguments.adapt.empty()) settings.of_plan.emplace_back("--adapt");
  // With restarts frames stay whole, and their cost differs from that of tiles.
  if (pipeline.deployment.restart)
    for (std::vector<std::string>* words : {&settings.of_measurements, &settings.of_plan})
      words->emplace_back("--restart");
  return settings;
}

/// Removes plans from the cache whose prediction was wrong.
void forget_wrong_plan(const pipeline::RunRecord& record, const pipeline::Report& report) {
  if (!record.plan || (record.failure.empty() && !report.differs_from_prediction())) return;
  for (const std::string& file : record.plan->kept_files) pipeline::RunCache().remove(file);
}

/// Prints and writes the report; returns the exit code.
int show_report(const pipeline::RunRecord& record, const RunArguments& arguments) {
  constexpr double usual_tolerance = 0.1;
  pipeline::Report report = pipeline::make_report(record);
  forget_wrong_plan(record, report);
  const std::vector<std::string> shortcomings =
      report.shortcomings(arguments.strict.value_or(usual_tolerance));
  const bool is_refused = arguments.strict && record.failure.empty() && !shortcomings.empty();
  if (!arguments.strict && record.failure.empty())
    for (const std::string& shortcoming :
         report.further_shortcomings(arguments.strict.value_or(usual_tolerance)))
      report.notes.push_back(shortcoming + " (an error with --strict)");
  if (!arguments.report.empty()) write_output(arguments.report, pipeline::to_json(report));
  if (!arguments.trace.empty() && record.plan)
    write_output(arguments.trace, pipeline::to_text(pipeline::trace_of(record)));
  if (arguments.is_dry && record.plan)
    std::cout << pipeline::plan_to_text(*record.plan);
  else if (arguments.format == "json")
    std::cout << pipeline::to_json(report);
  else if (record.plan && arguments.format != "none")
    std::cout << pipeline::to_text(report, arguments.is_verbose);
  std::cout.flush();
  if (is_refused) fmt::print(stderr, "takt: {}\n", fmt::join(shortcomings, "; "));
  if (record.failure.empty()) return is_refused ? 1 : 0;
  fmt::print(stderr, "takt: {}\n", record.failure);
  return record.is_config_error ? 2 : 1;
}

int run_dry(const RunArguments& arguments, const pipeline::Pipeline& pipeline,
            const std::vector<std::string>& words, ProgressLine& progress) {
  const pipeline::PipelinePlan plan = pipeline::dry_run(
      pipeline, {.profile = named_file(arguments.profile),
                 .schedule = named_file(arguments.schedule),
                 .arguments = words,
                 .has_trial = rank_options(arguments).trial > Time{0},
                 .on_progress = [&](const pipeline::RunRecord& now) { progress.show(progress_line(now)); }});
  progress.clear();
  std::cout << (arguments.format == "json" ? pipeline::plan_to_json(plan) : pipeline::plan_to_text(plan));
  return plan.plan.holds_rate && pipeline::holds_latency(plan.summary).value_or(true) ? 0 : 1;
}

void check_room(const pipeline::Pipeline& pipeline, const RunArguments& arguments) {
  ErrorList errors;
  pipeline::check_space(pipeline, rank_options(arguments).run.limits, errors);
  errors.throw_if_any();
}

/// Checks that the hosts of ranks have the files of this computer.
void check_hosts_of(const pipeline::Pipeline& pipeline, const RunArguments& arguments) {
  std::vector<pipeline::WantedFile> files;
  if (!arguments.profile.empty()) files.push_back({arguments.profile, true});
  if (!arguments.schedule.empty() && !pipeline::schedule_to_send(arguments.schedule))
    files.push_back({arguments.schedule, true});
  for (const std::string& warning : pipeline::check_hosts(pipeline, files))
    fmt::print(stderr, "takt: warning: {}\n", warning);
}

/// Prints warnings of sources and sinks during the run, each once; the report lists all of them.
class Warnings {
 public:
  void show(const pipeline::RunRecord& record, ProgressLine& progress) {
    if (!record.plan) return;
    const auto show_all = [&](const auto& stages) {
      for (const auto& stage : stages)
        for (const std::string& warning : stage.warnings) {
          std::string line = fmt::format("{}: {}", record.plan->stages[stage.stage].name, warning);
          if (!shown_.insert(line).second) continue;
          progress.clear();
          fmt::print(stderr, "takt: warning: {}\n", line);
        }
    };
    for (const auto& rank : record.ranks) {
      if (!rank) continue;
      show_all(rank->sources);
      show_all(rank->sinks);
    }
  }

 private:
  std::set<std::string> shown_;
};

/// Serves the live page if configured (Deployment::serve), and prints its address to a terminal or on
/// request; returns null without a page. Throws WorkError if a requested address is in use.
std::unique_ptr<pipeline::RunServer> serve(const std::string& where, bool is_asked_for) {
  if (where == "off") return nullptr;
  std::unique_ptr<pipeline::RunServer> server;
  pipeline::HttpAddress address;
  if (where == "auto") {
    // Several runs may be active, and some computers forbid listening: a failure must not stop the run.
    for (const std::uint16_t port : {pipeline::usual_live_port, std::uint16_t{0}}) try {
        if (!server) server = std::make_unique<pipeline::RunServer>(pipeline::HttpAddress{.port = port});
      } catch (const WorkError&) {
      }
    if (!server) return nullptr;
  } else {
    address = pipeline::parse_http_address(where);
    server = std::make_unique<pipeline::RunServer>(address);
  }
  const bool is_v6 = address.host.find(':') != std::string::npos;
  if (is_asked_for || ::isatty(STDERR_FILENO) == 1)
    fmt::print(stderr, "takt: live at http://{}:{}/#{}\n", is_v6 ? '[' + address.host + ']' : address.host,
               server->port(), server->token());
  return server;
}

/// Returns the words of a run without trial runs; empty if it has none.
std::vector<std::string> words_without_trial(const std::vector<std::string>& words,
                                             const RunArguments& arguments) {
  if (rank_options(arguments).trial == Time{0}) return {};
  std::vector<std::string> kept;
  for (std::size_t i = 0; i < words.size(); ++i) {
    if (words[i] == "--trial")
      ++i;
    else if (!words[i].starts_with("--trial="))
      kept.push_back(words[i]);
  }
  kept.insert(kept.end(), {"--trial", "0s"});
  return kept;
}

pipeline::RunRecord launch(const pipeline::Pipeline& pipeline, const std::vector<std::string>& words,
                           const RunArguments& arguments, ProgressLine& progress) {
  const pipeline::StreamLimits limits = rank_options(arguments).run.limits;
  pipeline::Replan replan;
  if (!arguments.adapt.empty())
    replan = [&](const pipeline::SharedPlan& current, const pipeline::Observed& observed,
                 const std::stop_token& stop) {
      const std::size_t cores_per_rank = current.summary.cores_per_rank;
      const std::size_t cores = std::max<std::size_t>(1, allowed_processors().size() / cores_per_rank);
      std::optional<pipeline::PipelinePlan> plan =
          pipeline::adapted_plan(pipeline, current, observed, cores, stop);
      if (plan) plan->summary.cores_per_rank = cores_per_rank;
      return plan;
    };
  Warnings warnings;
  ReceivingLine receiving(pipeline);
  const std::unique_ptr<pipeline::RunServer> server =
      serve(pipeline.deployment.serve, pipeline.deployment.serve != "auto" || !arguments.serve.empty());
  pipeline::LaunchOptions options{.ranks = pipeline.deployment.ranks,
                                  .site = pipeline.deployment.site,
                                  .stages = pipeline.stages.size(),
                                  .arguments = words,
                                  .without_trial = words_without_trial(words, arguments),
                                  .restart = pipeline.deployment.restart,
                                  // Later than a rank detects that a kernel hangs.
                                  .standstill = 2 * pipeline.deployment.deadlines.frame};
  if (server) {
    options.on_update = [&](const auto& now) { server->show(now); };
    options.commands = [&] { return server->take_commands(); };
  }
  const auto changes = std::make_shared<pipeline::Changes>(pipeline);
  options.check_change = [changes](const std::string& text) { return changes->check(text); };
  if (server) {
    std::vector<std::string> transients;
    for (const pipeline::Stage& stage : pipeline.stages)
      if (stage.transient) transients.push_back(stage.name);
    server->offer(changes->names(), std::move(transients));
  }
  if (!arguments.schedule.empty() && !pipeline::is_on_this_host(pipeline.deployment.site))
    options.sent_schedule = pipeline::schedule_to_send(arguments.schedule);
  options.window =
      arguments.adapt.empty() ? pipeline::usual_window : parse_positive_duration("--adapt", arguments.adapt);
  options.replan = replan;
  options.on_progress = [&](const auto& now) {
    receiving.show(now, progress);
    warnings.show(now, progress);
    const bool has_table = progress.wants_table();
    progress.show(has_table ? pipeline::progress_counts(now) : pipeline::progress_line(now),
                  pipeline::share_done(now, limits),
                  has_table ? pipeline::progress_table(now, ProgressLine::width()) : "");
  };
  options.on_warning = [&](const std::string& warning) {
    progress.clear();
    fmt::print(stderr, "takt: warning: {}\n", warning);
  };
  const pipeline::RunRecord record = pipeline::launch(options);
  progress.clear();
  return record;
}

/// Runs several pipelines, with the options that apply to all of them.
int run_several(const RunArguments& arguments, const Command& given) {
  (void)rank_options(arguments);
  std::vector<std::string> more;
  if (arguments.frames) more.insert(more.end(), {"--frames", fmt::format("{}", *arguments.frames)});
  if (!arguments.duration.empty()) more.insert(more.end(), {"--duration", arguments.duration});
  if (arguments.strict) more.push_back(fmt::format("--strict={}", *arguments.strict));
  if (arguments.checks_memory) more.emplace_back("--check-memory");
  if (arguments.overwrites) more.emplace_back("--overwrite");
  return run_streams({.files = arguments.files,
                      .hosts = arguments.pipeline.hosts,
                      .machine = arguments.pipeline.machine,
                      .report = arguments.report,
                      .format = arguments.format,
                      .progress = arguments.progress.chosen(),
                      .is_dry = arguments.is_dry,
                      .overwrites = arguments.overwrites,
                      .more = std::move(more)},
                     given);
}

/// Runs one pipeline. `words` are those of the command, which its ranks get, too; `before_report` is called
/// when the run has ended.
int run_pipeline(
    RunArguments& arguments, const std::vector<std::string>& words,
    const std::function<void()>& before_report = [] {}) {
  arguments.pipeline.file = arguments.files.front();
  if (arguments.trace.empty() && !arguments.trace_frames.empty())
    throw UsageError("--trace-frames needs --trace FILE");
  pipeline::Pipeline pipeline = load(arguments.pipeline);
  std::string& where = pipeline.deployment.serve;
  if (!arguments.serve.empty()) where = arguments.serve;
  if (arguments.is_not_served || where == "none") where = "off";
  if (where != "auto" && where != "off") (void)pipeline::parse_http_address(where);
  // A dry run writes nothing.
  pipeline.overwrites = arguments.overwrites || arguments.is_dry;
  if (arguments.restarts) {
    std::optional<pipeline::Restart>& restart = pipeline.deployment.restart;
    if (!restart) restart = pipeline::Restart{.where = {"--restart"}};
    restart->attempts = *arguments.restarts;
    pipeline::keep_whole(pipeline);
  }
  if (pipeline.deployment.restart && !arguments.trace.empty())
    throw UsageError("--trace does not support restarts: expected no 'restart'");
  if (!arguments.adapt.empty() && pipeline.joins_sources())
    throw UsageError("--adapt needs a pipeline with one source: this one has several");
  if (!arguments.adapt.empty()) {
    pipeline.keep_ends_on_one_rank();
    pipeline.keep_states_on_one_rank();
  }
  // Ranks on other computers need not have all files, and the launcher has checked its own.
  if (pipeline::own_rank()) {
    int exit_code = 0;
    pipeline::RankOptions options = rank_options(arguments);
    options.cache_settings = cache_settings(arguments, pipeline);
    const int failed = pipeline::run_rank(pipeline, options, [&](const pipeline::RunRecord& record) {
      exit_code = show_report(record, arguments);
    });
    return failed != 0 ? failed : exit_code;
  }
  (void)rank_options(arguments);
  (void)arguments.progress.chosen();
  pipeline::check_start(pipeline,
                        {.profile = named_file(arguments.profile),
                         .schedule = named_file(arguments.schedule),
                         .report = named_file(arguments.report)},
                        !arguments.is_dry);
  pipeline::check_rate(pipeline);
  expect_writable(arguments.report);
  expect_writable(arguments.trace);
  check_room(pipeline, arguments);
  // A dry run for a machine in the file needs no hosts.
  if (!arguments.is_dry || pipeline.deployment.machine.empty()) check_hosts_of(pipeline, arguments);
  ProgressLine progress(arguments.progress.chosen());
  if (arguments.is_dry) return run_dry(arguments, pipeline, words, progress);
  const pipeline::RunRecord record = launch(pipeline, words, arguments, progress);
  before_report();
  return show_report(record, arguments);
}

/// Runs a C program on successive inputs, as a pipeline.
int run_inputs(RunArguments& arguments, std::vector<std::string> words) {
  const ProgramPipeline program(arguments.files.front());
  std::ranges::replace(words, arguments.files.front(), program.file());
  arguments.files = {program.file()};
  return run_pipeline(arguments, words, [&] { program.print_output(); });
}

int run(RunArguments& arguments, const Command& given) {
  if (arguments.files.size() > 1) return run_several(arguments, given);
  if (!frontend::names_program(arguments.files.front())) return run_pipeline(arguments, given.words());
  if (arguments.frames) return run_inputs(arguments, given.words());
  return run_program({.program = arguments.files.front(),
                      .scheduler = arguments.pipeline.scheduler,
                      .machine = arguments.pipeline.machine,
                      .ranks = arguments.pipeline.ranks,
                      .is_fresh = arguments.is_fresh},
                     given);
}

}  // namespace

void declare_run(Command& command) {
  auto arguments = std::make_shared<RunArguments>();
  command
      .add("pipeline", arguments->files,
           "The pipeline's YAML file; several files run as streams that share the processors of --machine or "
           "of this computer")
      .value("PIPELINE")
      .required();
  command.add("--set", arguments->pipeline.overrides, "Replace a value of the file: tasks.fft.channels=64")
      .value("PATH=VALUE");
  command.number("--frames", arguments->frames, "End after this many frames", {.least = 1});
  command.add("--duration", arguments->duration, "End this long after the first frame: 10s, 5min")
      .value("TIME");
  command
      .add("--schedule", arguments->schedule,
           "Run this schedule, written by takt plan PIPELINE --output, instead of planning")
      .value("FILE")
      .excludes({"--profile", "--objective", "--scheduler"});
  command.add("--profile", arguments->profile, "Costs of the tasks, from takt profile; default: measure them")
      .value("FILE");
  command
      .add("--trial", arguments->trial,
           "Longest duration of the trial runs that choose among plans, at most a tenth of the run; 0s skips "
           "them (default 1s; with --schedule or --profile 0s)")
      .value("TIME");
  command.flag("--fresh", arguments->is_fresh,
               "Measure and plan anew, ignoring the kept plan of an earlier run (see takt list cache)");
  command.flag("--dry-run", arguments->is_dry,
               "Print the plan and end: stages, costs, schedule, prediction, memory");
  command
      .add(
          "--adapt", arguments->adapt,
          "Re-plan from measured times when the run deviates from the plan for TIME (default 5s), and switch "
          "at a frame boundary without losing a frame")
      .value("TIME")
      .value_without("5s")
      .excludes({"--schedule", "--dry-run", "--trace"});
  command.number("--restart", arguments->restarts,
                 "Restart up to N times when a rank dies, after the last frame saved by all ranks "
                 "(docs/how-to/restart.md)",
                 {.least = 1});
  command.add("--report", arguments->report, "Write the report as JSON")
      .value("FILE")
      .excludes({"--dry-run"});
  command
      .add("--trace", arguments->trace,
           "Record the activities of every rank for some frames; takt view replays or converts them for "
           "Perfetto")
      .value("FILE")
      .excludes({"--dry-run"});
  command
      .add("--trace-frames", arguments->trace_frames,
           "Which frames: 1000, 0-199 (the default), 0-99999/100 (every hundredth)")
      .value("FRAMES");
  add_format_option(command, arguments->format, {"text", "json", "none"});
  command
      .number("--strict", arguments->strict,
              "Exit with 1 when frames are dropped or miscounted, the required rate is not held, or the "
              "sustained rate is below the predicted one by more than SHARE (default 0.1)",
              {0, 1})
      .value("SHARE")
      .value_without("0.1");
  command.flag("--verbose", arguments->is_verbose,
               "Add each task and rank, all counters, and the origin of the predictions to the report");
  command.flag("--check-memory", arguments->checks_memory,
               "Find kernels that write past their output or into their inputs, during the run and its "
               "measurements; slow");
  command.flag("--overwrite", arguments->overwrites,
               "Let all sinks replace existing files; default: takt refuses to run");
  command
      .add("--serve", arguments->serve,
           "Port (on loopback) or address:port of the live page and Prometheus metrics; default: 9464, or "
           "any free port")
      .value("PORT");
  command.flag("--no-serve", arguments->is_not_served, "Do not serve the live page and metrics")
      .excludes({"--serve"});
  add_progress_options(command, arguments->progress);
  add_goal_options(command, arguments->pipeline);
  add_hosts_option(command, arguments->pipeline.hosts).group(goal_group);
  command.note(
      "takt starts the ranks itself; under your own mpirun or srun, each process is one rank. Ctrl-C ends "
      "the "
      "run in order: ingested frames are still delivered. A second Ctrl-C ends it at once.");
  command.note(
      "Exit code: 0 done, 1 the run failed (--dry-run: the plan does not hold the rate; --strict: see "
      "above), 2 the pipeline or an option is wrong.");
  command.note(
      "A C program (FILE.c or FILE.c:NAME=VALUE,...) is compiled and run on its ranks; with --frames N it "
      "runs "
      "on N successive inputs as a pipeline (docs/how-to/parallelise.md).");
  command.example("takt run configs/first.yaml --frames 1000 --report report.json");
  command.note(
      "Several pipelines run in separate processes, each at the rate of its file: takt admits all of them to "
      "the machine, or starts none. A stream that ends or fails does not affect the others "
      "(docs/how-to/streams.md).");
  command.example("takt run configs/survey.yaml configs/watch.yaml");
  command.example("takt plan configs/first.yaml --output plan.yaml");
  command.example("takt run configs/first.yaml --schedule plan.yaml");
  command.does([arguments](const Command& given) { return run(*arguments, given); });
}

}  // namespace takt::cli
