#include "pipeline/planning/profile.hpp"

#include <iostream>
#include <memory>

#include <fmt/format.h>

#include "cli/command.hpp"
#include "cli/options.hpp"
#include "core/text_file.hpp"

namespace takt::cli {

namespace {

struct ProfileArguments {
  std::string pipeline, budget = "100ms", output;
  std::vector<std::string> overrides;
};

int run(const ProfileArguments& arguments) {
  expect_writable(arguments.output);
  const pipeline::Pipeline pipeline =
      pipeline::load_pipeline(arguments.pipeline, parse_overrides(arguments.overrides));
  pipeline::ProfileOptions options;
  options.budget = parse_positive_duration("--budget", arguments.budget);
  const std::vector<pipeline::StageCost> costs = pipeline::profile(pipeline, options);

  Time total{0};
  fmt::print("{:<20} {:>10} {:>10} {:>10} {:>8}   output\n", "task", "cost", "10 %", "90 %", "runs");
  for (std::size_t i = 0; i < costs.size(); ++i) {
    const pipeline::StageCost& cost = costs[i];
    total += cost.cost;
    fmt::print("{:<20} {:>10} {:>10} {:>10} {:>8}   {}\n", cost.stage, to_string(cost.cost),
               to_string(cost.low), to_string(cost.high), cost.runs, pipeline.stages[i].output.to_string());
  }
  fmt::print("one frame on one processor: {}, that is {}\n", to_string(total),
             to_string(Frequency{1e9 / static_cast<double>(std::max<Time::rep>(total.count(), 1))}));
  if (!arguments.output.empty()) write_text_file(arguments.output, pipeline::to_yaml(costs));
  return 0;
}

}  // namespace

void add_profile(Program& program) {
  CLI::App& command =
      *program.app.add_subcommand("profile", "Measure what each task of a pipeline costs on this machine");
  auto arguments = std::make_shared<ProfileArguments>();
  command.add_option("pipeline", arguments->pipeline, "The pipeline's YAML file")
      ->required()
      ->type_name("PIPELINE");
  command.add_option("--set", arguments->overrides, "Replace a value of the file: tasks.fft.channels=64")
      ->allow_extra_args(false)
      ->type_name("PATH=VALUE");
  command.add_option("--budget", arguments->budget, "Time spent on each task")
      ->type_name("TIME")
      ->capture_default_str();
  command.add_option("-o,--output", arguments->output, "Write the costs for `takt run --profile`")
      ->type_name("FILE");
  command.footer(
      "Tasks run on noise of the pipeline's real shapes, with caches as the other tasks leave them. Sources "
      "that\n"
      "make or read frames do so; all of them are charged the copying of a frame, which a run drops where it "
      "can.\n\n"
      "Example: takt profile configs/lofar-spectrometer.yaml --output costs.yaml");
  command.callback([&program, arguments] { program.exit_code = run(*arguments); });
}

}  // namespace takt::cli
