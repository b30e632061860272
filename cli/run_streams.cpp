#include "cli/run_streams.hpp"

#include <algorithm>
#include <filesystem>
#include <iostream>
#include <numeric>

#include <fmt/format.h>

#include "cli/options.hpp"
#include "cli/shared_processors.hpp"
#include "core/error.hpp"
#include "core/system/allowed_processors.hpp"
#include "core/system/text_file.hpp"
#include "pipeline/costs/profile.hpp"
#include "pipeline/launch/dry_run.hpp"
#include "pipeline/launch/interrupt_watch.hpp"
#include "pipeline/launch/start_checks.hpp"
#include "pipeline/protocol/run_folder.hpp"
#include "pipeline/streams/conflicts.hpp"
#include "pipeline/streams/run_streams.hpp"
#include "pipeline/watching/hang_watch.hpp"
#include "schedulers/streams/admission.hpp"

namespace takt::cli {

namespace {

/// Rejects options that apply to a single pipeline only.
void check_run_streams_options(const Command& given) {
  for (const char* option : {"--set", "--ranks", "--rate", "--objective", "--scheduler", "--schedule",
                             "--profile", "--trial", "--adapt", "--trace", "--trace-frames", "--serve"})
    if (given.has(option))
      throw UsageError(
          fmt::format("{} needs a single pipeline: several run with the settings of their files", option));
  if (pipeline::own_rank())
    throw UsageError("takt starts several pipelines itself: run it without mpirun or srun");
}

/// Returns the processors of these hosts, or of this computer, with the links between them as measured for a
/// plan of the pipeline with the largest frames.
logp::Machine measured_machine(const std::vector<pipeline::Pipeline>& pipelines,
                               const SharedProcessors& processors, ProgressLine& progress) {
  const std::size_t count = processors.places.size();
  if (count == 1) return logp::Machine::constant(1, Time{0}, Time{0}, Time{0});
  const auto largest = [](const pipeline::Pipeline& each) {
    std::uint64_t bytes = 0;
    for (const pipeline::Stage& stage : each.stages) bytes = std::max(bytes, stage.output.size().count);
    return bytes;
  };
  pipeline::Pipeline pipeline = *std::ranges::max_element(pipelines, {}, largest);
  pipeline.deployment.ranks = count;
  pipeline.deployment.machine.clear();
  std::vector<std::size_t> all(count);
  std::iota(all.begin(), all.end(), std::size_t{0});
  pipeline.deployment.site.hosts = hosts_of(processors.places, all);
  progress.show("measuring the links");
  const std::string file = pipeline.file.string();
  std::vector<std::string> arguments{"plan",    file,
                                     "--set",   "deployment.machine=''",
                                     "--set",   "deployment.pin=none",
                                     "--set",   "deployment.share=none",
                                     "--ranks", fmt::format("{}", count)};
  if (!processors.hosts.empty())
    arguments.insert(arguments.end(), {"--set", fmt::format("deployment.hosts=[{}]", processors.hosts)});
  return pipeline::dry_run(
             pipeline, {.profile = {}, .schedule = {}, .arguments = std::move(arguments), .on_progress = {}})
      .machine;
}

std::vector<schedulers::Stream> measured_streams(const std::vector<pipeline::Pipeline>& pipelines,
                                                 const std::vector<std::string>& names,
                                                 ProgressLine& progress) {
  std::vector<schedulers::Stream> streams;
  for (std::size_t i = 0; i < pipelines.size(); ++i) {
    progress.show(fmt::format("measuring the tasks of {}", names[i]));
    const pipeline::InterruptWatch interrupt_watch;
    const pipeline::HangWatch hang_watch(pipelines[i].deployment.deadlines);
    streams.push_back(pipeline::stream_of(pipelines[i], pipeline::profile(pipelines[i]), names[i]));
  }
  return streams;
}

}  // namespace

int run_streams(const RunStreamsArguments& arguments, const Command& given) {
  check_run_streams_options(given);
  std::vector<pipeline::Pipeline> pipelines;
  std::vector<std::string> names;
  for (const std::string& file : arguments.files)
    if (std::error_code error; !std::filesystem::exists(file, error))
      throw ConfigError(
          fmt::format("no file '{}': expected pipelines; write optional values as --adapt=5s", file));
  for (const std::string& file : arguments.files) {
    pipelines.push_back(pipeline::load_pipeline(file));
    pipeline::Pipeline& pipeline = pipelines.back();
    pipeline.overwrites = arguments.overwrites || arguments.is_dry;
    // The shared machine applies, and the timetable places the ranks.
    pipeline.deployment.machine.clear();
    pipeline.deployment.pinning = {};
    pipeline.keep_ends_on_one_rank();
    // Refuses pipelines that cannot be streams.
    (void)pipeline::stream_of(pipeline, {}, "");
    check_start(pipeline, {});
    names.push_back(schedulers::stream_name(pipeline.name, names));
  }
  std::vector<pipeline::NamedPipeline> named;
  for (std::size_t i = 0; i < pipelines.size(); ++i) named.push_back({names[i], &pipelines[i]});
  ErrorList errors;
  check_apart(named, errors);
  errors.throw_if_any();
  check_output(arguments.report, arguments.files);
  expect_writable(arguments.report);

  ProgressLine progress(arguments.progress);
  const SharedProcessors processors = shared_processors(arguments.hosts, arguments.machine);
  for (const std::string& warning : processors.warnings) fmt::print(stderr, "takt: warning: {}\n", warning);
  const logp::Machine machine =
      processors.machine ? *processors.machine : measured_machine(pipelines, processors, progress);
  const std::vector<schedulers::Stream> streams = measured_streams(pipelines, names, progress);
  progress.clear();
  const schedulers::Admission admission = schedulers::admit(streams, machine);
  const bool all_fit = std::ranges::all_of(admission.verdicts, &schedulers::StreamVerdict::is_admitted);
  if (arguments.is_dry || !all_fit) {
    std::cout << (arguments.format == "json" ? to_json(admission) : to_text(admission));
    if (!all_fit && !arguments.is_dry) fmt::print(stderr, "takt: no stream started: not all are admitted\n");
    return all_fit ? 0 : 1;
  }

  std::vector<pipeline::PlacedStream> placed;
  for (std::size_t i = 0; i < streams.size(); ++i)
    placed.push_back(
        pipeline::place(streams[i], admission.verdicts[i], admission.timetable, pipelines[i].file));
  pipeline::RunStreamsOptions options{.more = arguments.more,
                                      .places = processors.places,
                                      .on_progress = [&](const std::string& line) { progress.show(line); },
                                      .on_line =
                                          [&](const std::string& stream, const std::string& line) {
                                            progress.clear();
                                            fmt::print(stderr, "{}: {}\n", stream, line);
                                          }};
  std::string note;
  if (options.places.empty())
    note = fmt::format(
        "the machine has {} processors, this computer {}: the ranks are oversubscribed, and predictions do "
        "not hold",
        machine.processor_count(), allowed_processors().size());
  pipeline::StreamsReport report = make_report(pipeline::run_streams(placed, options),
                                               machine.processor_count(), admission.timetable.cycle());
  progress.clear();
  if (!note.empty()) report.notes.push_back(note);
  if (!arguments.report.empty()) write_output(arguments.report, to_json(report));
  std::cout << (arguments.format == "json" ? to_json(report) : to_text(report));
  return report.exit_code();
}

}  // namespace takt::cli
