#include "cli/run_streams.hpp"

#include <algorithm>
#include <iostream>

#include <fmt/format.h>

#include "cli/options.hpp"
#include "core/allowed_processors.hpp"
#include "core/error.hpp"
#include "core/text_file.hpp"
#include "pipeline/launch/dry_run.hpp"
#include "pipeline/launch/mpirun.hpp"
#include "pipeline/launch/start_checks.hpp"
#include "pipeline/planning/profile.hpp"
#include "pipeline/streams/conflicts.hpp"
#include "pipeline/streams/run_streams.hpp"
#include "schedulers/streams/admission.hpp"

namespace takt::cli {

namespace {

/// What says how one pipeline is planned and run, and would have to be said of each.
void check_run_streams_options(const Command& given) {
  for (const char* option :
       {"--set", "--ranks", "--rate", "--objective", "--scheduler", "--schedule", "--profile", "--rehearsal",
        "--adapt", "--try", "--trace", "--trace-frames", "--serve"})
    if (given.has(option))
      throw UsageError(
          fmt::format("{} is for one pipeline: several are run with what their files say", option));
  if (pipeline::own_rank())
    throw UsageError("several pipelines are started by takt itself: run it without mpirun or srun");
}

/// This computer: its processors, and the links between them as a plan of the pipeline with the largest
/// frames measures them.
logp::Machine measured_machine(const std::vector<pipeline::Pipeline>& pipelines, ProgressLine& progress) {
  const std::size_t cores = allowed_processors().size();
  if (cores == 1) return logp::Machine::constant(1, Time{0}, Time{0}, Time{0});
  const auto largest = [](const pipeline::Pipeline& each) {
    std::uint64_t bytes = 0;
    for (const pipeline::Stage& stage : each.stages) bytes = std::max(bytes, stage.output.size().count);
    return bytes;
  };
  pipeline::Pipeline pipeline = *std::ranges::max_element(pipelines, {}, largest);
  pipeline.deployment.ranks = cores;
  pipeline.deployment.machine.clear();
  progress.show("measuring the links");
  const std::string file = pipeline.file.string();
  return pipeline::dry_run(pipeline, {.profile = {},
                                      .schedule = {},
                                      .arguments = {"plan", file, "--set", "deployment.machine=''", "--set",
                                                    "deployment.pin=none", "--set", "deployment.share=none",
                                                    "--ranks", fmt::format("{}", cores)},
                                      .on_progress = {}})
      .machine;
}

std::vector<schedulers::Stream> measured_streams(const std::vector<pipeline::Pipeline>& pipelines,
                                                 const std::vector<std::string>& names,
                                                 ProgressLine& progress) {
  std::vector<schedulers::Stream> streams;
  for (std::size_t i = 0; i < pipelines.size(); ++i) {
    progress.show(fmt::format("measuring the tasks of {}", names[i]));
    streams.push_back(
        pipeline::stream_of(pipelines[i], pipeline::measured_task_graph(pipelines[i]), names[i]));
  }
  return streams;
}

}  // namespace

int run_streams(const RunStreamsArguments& arguments, const Command& given) {
  check_run_streams_options(given);
  std::vector<pipeline::Pipeline> pipelines;
  std::vector<std::string> names;
  for (const std::string& file : arguments.files) {
    pipelines.push_back(pipeline::load_pipeline(file));
    pipeline::Pipeline& pipeline = pipelines.back();
    pipeline.overwrites = arguments.overwrites || arguments.is_dry;
    // That of all of them counts, and where each rank runs is the timetable's to say.
    pipeline.deployment.machine.clear();
    pipeline.deployment.pinning = {};
    if (!pipeline.goal.rate) (void)pipeline::stream_of(pipeline, {}, "");
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
  const logp::Machine machine =
      arguments.machine.empty() ? measured_machine(pipelines, progress) : read_machine(arguments.machine);
  const std::vector<schedulers::Stream> streams = measured_streams(pipelines, names, progress);
  progress.clear();
  const schedulers::Admission admission = schedulers::admit(streams, machine);
  const bool all_fit = std::ranges::all_of(admission.verdicts, &schedulers::StreamVerdict::is_admitted);
  if (arguments.is_dry || !all_fit) {
    std::cout << (arguments.format == "json" ? to_json(admission) : to_text(admission));
    if (!all_fit && !arguments.is_dry)
      fmt::print(stderr, "takt: not all streams are admitted: none was started\n");
    return all_fit ? 0 : 1;
  }

  std::vector<pipeline::PlacedStream> placed;
  for (std::size_t i = 0; i < streams.size(); ++i)
    placed.push_back(
        pipeline::place(streams[i], admission.verdicts[i], admission.timetable, pipelines[i].file));
  pipeline::RunStreamsOptions options{.more = arguments.more,
                                      .cores = pipeline::cores_for(machine.processor_count()),
                                      .on_progress = [&](const std::string& line) { progress.show(line); },
                                      .on_line =
                                          [&](const std::string& stream, const std::string& line) {
                                            progress.clear();
                                            fmt::print(stderr, "{}: {}\n", stream, line);
                                          }};
  std::string note;
  if (options.cores.empty())
    note = fmt::format(
        "the machine has {} processors and this computer {}: ranks share them as the system "
        "likes, and no promise is worth anything",
        machine.processor_count(), allowed_processors().size());
  pipeline::StreamsReport report = make_report(pipeline::run_streams(placed, options),
                                               machine.processor_count(), admission.timetable.cycle());
  progress.clear();
  if (!note.empty()) report.notes.push_back(note);
  if (!arguments.report.empty()) write_text_file(arguments.report, to_json(report));
  std::cout << (arguments.format == "json" ? to_json(report) : to_text(report));
  return report.exit_code();
}

}  // namespace takt::cli
