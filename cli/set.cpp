#include <algorithm>
#include <charconv>
#include <iostream>
#include <memory>

#include <fmt/chrono.h>
#include <fmt/format.h>

#include "cli/command.hpp"
#include "cli/options.hpp"
#include "core/error.hpp"
#include "core/formats/json.hpp"
#include "pipeline/launch/parameter_updates.hpp"
#include "pipeline/launch/run_registry.hpp"

namespace takt::cli {

namespace {

struct SetArguments {
  std::string run;
  std::vector<std::string> changes;
  std::string format = "text";
};

/// Finds `4711`, or the pipeline's name if it is unique.
pipeline::RunningRun find_run(const std::string& name) {
  const std::vector<pipeline::RunningRun> runs = pipeline::running_runs();
  std::vector<std::string> names;
  std::vector<pipeline::RunningRun> found;
  for (const pipeline::RunningRun& run : runs) {
    const std::string pid = fmt::format("{}", run.pid);
    const std::string pipeline_name = run.record.plan ? run.record.plan->pipeline : "";
    if (name == pid || name == pipeline_name) found.push_back(run);
    names.push_back(pid);
    if (!pipeline_name.empty()) names.push_back(pipeline_name);
  }
  if (runs.empty()) throw WorkError("no run of this user is in progress here");
  if (found.empty()) throw WorkError(unknown_name("run", name, {names.begin(), names.end()}));
  if (found.size() > 1)
    throw UsageError(
        fmt::format("{} runs have the name '{}': expected a pid (takt top shows them)", found.size(), name));
  return found.front();
}

std::string describe(const pipeline::ChangeAnswer& answer) {
  const pipeline::MadeChange& made = answer.made;
  const std::string change = fmt::format("{} = {} (was {})", made.parameter, made.value, made.old_value);
  if (!answer.has_begun) return change + " with the next frame: none received yet\n";
  return fmt::format("{} from frame {} on{}, {:%Y-%m-%dT%H:%M:%S}.{:03}Z\n", change, made.frame,
                     made.epoch > 0 ? fmt::format(" of epoch {}", made.epoch) : "",
                     fmt::gmtime(static_cast<std::time_t>(made.utc_ns / 1'000'000'000)),
                     made.utc_ns / 1'000'000 % 1000);
}

int set(const SetArguments& arguments) {
  const pipeline::RunningRun run = find_run(arguments.run);
  for (const std::string& change : arguments.changes) {
    const pipeline::ChangeAnswer answer = pipeline::set_parameter(run.folder, change);
    std::cout << (arguments.format == "json" ? pipeline::to_text(answer) + "\n" : describe(answer));
    std::cout.flush();
  }
  return 0;
}

}  // namespace

void declare_set(Command& command) {
  auto arguments = std::make_shared<SetArguments>();
  command.add("run", arguments->run, "The run: its pid, or the name of its pipeline").value("RUN").required();
  command.add("changes", arguments->changes, "task.parameter=value, the value as in the pipeline file")
      .value("CHANGE")
      .required();
  add_format_option(command, arguments->format, {"text", "json"});
  command.note(
      "All ranks apply the value from the same frame on, which takt set prints. The run's report records the "
      "change, and so does NAME.history next to each output file NAME. docs/reference/kernels.md lists the "
      "parameters that may change during a run.");
  command.note("Exit code: 0 changed, 1 no such run or no answer from it, 2 the change is not valid.");
  command.example("takt set first spectrum.least=0.5");
  command.example("takt set 4711 clean.sigma=5");
  command.does([arguments](const Command&) { return set(*arguments); });
}

}  // namespace takt::cli
