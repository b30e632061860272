#include <algorithm>
#include <cmath>
#include <memory>

#include <fmt/format.h>

#include "cli/command.hpp"
#include "cli/options.hpp"
#include "cli/pipeline_options.hpp"
#include "cli/program_commands.hpp"
#include "core/pictures/text_table.hpp"
#include "pipeline/costs/profile_file.hpp"
#include "pipeline/frontend/weights/program_graph.hpp"
#include "pipeline/launch/interrupt_watch.hpp"

namespace takt::cli {

namespace {

struct ProfileArguments {
  PipelineArguments pipeline;
  std::string budget = "100ms", output;
};

int run(const ProfileArguments& arguments) {
  const pipeline::Pipeline pipeline = load(arguments.pipeline);
  check_output(arguments.output, {pipeline.file});
  pipeline::ProfileOptions options;
  options.budget = parse_positive_duration("--budget", arguments.budget);
  const std::vector<pipeline::StageCost> costs = pipeline::profile_in_this_process(pipeline, options);

  double total = 0;
  std::vector<double> calls;
  for (std::size_t i = 0; i < costs.size(); ++i) calls.push_back(pipeline.calls_a_frame(i));
  std::vector<TextTable::Column> columns{{"task"}, {"cost", true}, {"10 %", true}, {"90 %", true}};
  const bool has_infrequent_calls = std::ranges::min(calls) < 1;
  if (has_infrequent_calls) columns.push_back({"for frames", true});
  columns.push_back({"runs", true});
  columns.push_back({"output"});
  TextTable table(columns);
  for (std::size_t i = 0; i < costs.size(); ++i) {
    const pipeline::StageCost& cost = costs[i];
    total += calls[i] * static_cast<double>(cost.cost.count());
    std::vector<std::string> row{cost.stage, to_string(cost.cost), to_string(cost.low), to_string(cost.high)};
    if (has_infrequent_calls) row.push_back(calls[i] < 1 ? fmt::format("1 in {:.4g}", 1 / calls[i]) : "all");
    row.push_back(fmt::format("{}", cost.runs));
    row.push_back(pipeline.stages[i].output.to_string());
    table.add(std::move(row));
  }
  fmt::print("{}one frame on one processor: {}, a rate of {}\n", table.to_text(),
             to_string(Time(std::llround(total))), to_string(Frequency{1e9 / std::max(total, 1.0)}));
  for (const pipeline::StageCost& cost : costs)
    for (const auto& [ranks, time] : cost.groups)
      fmt::print(
          "{} on {} ranks: {}, speed-up {:.2f}\n", cost.stage, ranks, to_string(time),
          static_cast<double>(cost.cost.count()) / static_cast<double>(std::max<Time::rep>(time.count(), 1)));
  if (!arguments.output.empty()) write_output(arguments.output, pipeline::profile_to_yaml(costs, pipeline));
  return 0;
}

}  // namespace

void declare_profile(Command& command) {
  auto arguments = std::make_shared<ProfileArguments>();
  add_pipeline_argument(command, arguments->pipeline);
  command.add("--budget", arguments->budget, "Time to measure each task").value("TIME");
  add_output_option(command, arguments->output, "Write the costs for takt run --profile");
  command.note(
      "Tasks run on real frames: their predecessors process the first frames of the sources. Other tasks run "
      "in between, so that caches are as in a run. Noise replaces live sources and sources without a frame. "
      "The cost of a source includes a copy of the frame, which a run avoids where it can. Data-parallel "
      "tasks are also measured on groups of two or more ranks (emulated by threads), up to the numbers of "
      "ranks and cores.");
  command.note(
      "PIPELINE may be a C program with its parameters (fft.c:PN=8): each call is measured, and the "
      "profile=FILE of the "
      "program's parameters uses the result.");
  command.example("takt profile configs/lofar-spectrometer.yaml --output costs.yaml");
  command.does([arguments](const Command& given) {
    const std::string& file = arguments->pipeline.file;
    if (frontend::names_program(file)) return profile_program(file, arguments->output, given);
    return run(*arguments);
  });
}

}  // namespace takt::cli
