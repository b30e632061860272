#include <algorithm>
#include <filesystem>
#include <iostream>

#include <fmt/format.h>

#include "cli/options.hpp"
#include "cli/plan.hpp"
#include "core/error.hpp"
#include "logp/schedule_file.hpp"
#include "pipeline/config/pipeline.hpp"
#include "pipeline/costs/profile.hpp"
#include "pipeline/watching/hang_watch.hpp"
#include "schedulers/streams/admission.hpp"

namespace takt::cli {

namespace {

schedulers::Stream load_stream(const std::string& name, const std::optional<std::string>& frequency) {
  schedulers::Stream stream;
  std::optional<schedulers::RequiredRate> rate;
  if (frequency) rate = schedulers::parse_required_rate(*frequency);
  if (is_pipeline(name)) {
    pipeline::Pipeline pipeline = pipeline::load_pipeline(name);
    pipeline.keep_ends_on_one_rank();
    stream.name = pipeline.name;
    const pipeline::HangWatch hang_watch(pipeline.deployment.deadlines);
    const std::vector<pipeline::StageCost> costs = pipeline::profile(pipeline);
    stream.graph = pipeline::task_graph_of(pipeline, costs, true);
    stream.whole_frames = pipeline::tasks_on_whole_frames(costs);
    if (!rate) rate = pipeline.goal.rate;
    stream.margin = pipeline.goal.margin;
    stream.is_measured = true;
  } else {
    stream.graph = read_graph(name);
    stream.name = name.find(':') == std::string::npos ? std::filesystem::path(name).stem().string() : name;
  }
  if (!rate)
    throw ConfigError(fmt::format(
        "'{}' has no rate: give one --rate per graph, in their order, or a `rate` in the pipeline's file",
        name));
  stream.rate = *rate;
  return stream;
}

}  // namespace

int plan_streams(const PlanArguments& arguments) {
  const std::size_t count = arguments.graphs.size();
  if (!arguments.frequencies.empty() && arguments.frequencies.size() != count)
    throw ConfigError(fmt::format("{} times --rate for {} graphs: expected one per graph, in their order",
                                  arguments.frequencies.size(), count));
  if (!arguments.priorities.empty() && arguments.priorities.size() != count)
    throw ConfigError(fmt::format("{} times --priority for {} graphs: expected one per graph, in their order",
                                  arguments.priorities.size(), count));
  // The file of the running streams may be updated in place.
  std::vector<std::string> inputs = arguments.graphs;
  inputs.push_back(arguments.machine);
  check_output(arguments.output, inputs);
  const logp::Machine machine = read_machine(arguments.machine);

  std::optional<schedulers::CyclicTimetable> running;
  std::vector<std::string> names;
  if (!arguments.running.empty()) {
    const logp::ScheduleFile file = logp::read_schedule_file(arguments.running);
    if (file.machine != machine)
      throw ConfigError(arguments.running + " is for another machine than --machine");
    running.emplace(machine, file.graph, file.schedule, 1);
    for (const StreamRequirement& each : file.requirements) running->note(each);
    for (const auto& [name, frames] : running->streams()) names.push_back(name);
  }
  std::vector<schedulers::Stream> streams;
  for (std::size_t i = 0; i < count; ++i) {
    std::optional<std::string> frequency;
    if (!arguments.frequencies.empty()) frequency = arguments.frequencies[i];
    streams.push_back(load_stream(arguments.graphs[i], frequency));
    streams.back().graph = on_machine(arguments.graphs[i], std::move(streams.back().graph), machine);
    streams.back().name = schedulers::stream_name(streams.back().name, names);
    if (!arguments.priorities.empty()) streams.back().priority = arguments.priorities[i];
    names.push_back(streams.back().name);
  }

  const schedulers::Admission admission = schedulers::admit(streams, machine, running);
  const auto as_yaml = [&] {
    return logp::schedule_to_yaml(admission.timetable.graph(), machine, admission.timetable.schedule(), {},
                                  admission.timetable.requirements());
  };
  if (!arguments.output.empty()) write_output(arguments.output, as_yaml());
  if (arguments.format == "table") std::cout << schedulers::to_text(admission);
  if (arguments.format == "json") std::cout << schedulers::to_json(admission);
  if (arguments.format == "yaml") std::cout << as_yaml();
  return std::ranges::all_of(admission.verdicts, &schedulers::StreamVerdict::is_admitted) ? 0 : 1;
}

}  // namespace takt::cli
