#include "cli/pipeline_options.hpp"

#include <algorithm>
#include <string_view>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "cli/options.hpp"
#include "core/error.hpp"
#include "logp/machine.hpp"
#include "pipeline/costs/profile_file.hpp"

namespace takt::cli {

namespace {

/// Returns a YAML list of any texts.
std::string list_of(const std::vector<std::string>& texts) {
  std::string list;
  for (const std::string& text : texts) {
    list += list.empty() ? "['" : ", '";
    for (const char c : text) list += c == '\'' ? std::string("''") : std::string(1, c);
    list += "'";
  }
  return list + "]";
}

/// Returns the options as overrides of the file, after those of --set.
std::vector<pipeline::Override> overrides_of(const PipelineArguments& arguments) {
  std::vector<pipeline::Override> overrides;
  for (const std::string& text : arguments.overrides) {
    const std::size_t equals = text.find('=');
    if (equals == std::string::npos || equals == 0)
      throw ConfigError(fmt::format("--set {}: expected path=value, for example deployment.ranks=4", text));
    overrides.push_back({text.substr(0, equals), text.substr(equals + 1)});
  }
  const auto set = [&](const char* path, const std::string& value, const char* option) {
    if (!value.empty()) overrides.push_back({path, value, option});
  };
  const auto set_number = [&](const char* path, const std::optional<std::uint64_t>& value,
                              const char* option) {
    if (value) overrides.push_back({path, fmt::format("{}", *value), option});
  };
  std::optional<std::uint64_t> ranks = arguments.ranks;
  const bool are_set = std::ranges::any_of(
      overrides, [](const pipeline::Override& each) { return each.path == "deployment.ranks"; });
  // One rank for each processor of the given machine, unless the user sets the number of ranks.
  if (!ranks && !are_set && !arguments.machine.empty())
    ranks = logp::parse_machine(arguments.machine).processor_count();
  set_number("deployment.ranks", ranks, arguments.ranks ? "--ranks" : "--machine");
  set("deployment.machine", arguments.machine, "--machine");
  if (!arguments.hosts.empty()) set("deployment.hosts", list_of(arguments.hosts), "--hosts");
  // Each option replaces both settings of the file.
  if (!arguments.objective.empty()) overrides.push_back({"scheduler.name", "''", "--objective"});
  if (!arguments.scheduler.empty()) overrides.push_back({"objective.name", "''", "--scheduler"});
  set("objective.name", arguments.objective, "--objective");
  set("scheduler.name", arguments.scheduler, "--scheduler");
  set_number("scheduler.seed", arguments.seed, "--seed");
  set_number("scheduler.effort", arguments.effort, "--effort");
  set("rate", arguments.rate, "--rate");
  return overrides;
}

}  // namespace

void add_pipeline_argument(Command& command, PipelineArguments& arguments) {
  command.add("pipeline", arguments.file, "The pipeline's YAML file").value("PIPELINE").required();
  command.add("--set", arguments.overrides, "Replace a value of the file: tasks.fft.channels=64")
      .value("PATH=VALUE");
}

void add_goal_options(Command& command, PipelineArguments& arguments) {
  const char* const group = goal_group;
  command
      .number("--ranks", arguments.ranks, "Number of ranks",
              {1, static_cast<double>(pipeline::Deployment::most_ranks)})
      .group(group);
  command.add("--rate", arguments.rate, "Required rate: 50Hz").value("FREQUENCY").group(group);
  command
      .add("--objective", arguments.objective,
           "Criterion for the schedule: latency (least that holds the rate), processors (fewest), frequency "
           "(highest)")
      .value("WHAT")
      .suggest({"latency", "processors", "frequency"})
      .group(group);
  command.add("--scheduler", arguments.scheduler, "Scheduler (see takt list schedulers)")
      .value("NAME")
      .suggest(scheduler_names())
      .group(group);
  add_machine_option(command, arguments.machine, "Machine to plan for; default: measure the links at start")
      .group(group);
}

Argument& add_hosts_option(Command& command, std::vector<std::string>& hosts, std::string help) {
  return command.add("--hosts", hosts, std::move(help)).value("HOSTS").with_commas();
}

pipeline::Pipeline load(const PipelineArguments& arguments) {
  return pipeline::load_pipeline(arguments.file, overrides_of(arguments));
}

namespace {

/// Appends an option and its value, if set.
void add_words(std::vector<std::string>& words, const char* option, const std::string& value) {
  if (value.empty()) return;
  words.emplace_back(option);
  words.push_back(value);
}

std::string text_of(const std::optional<std::uint64_t>& number) {
  return number ? fmt::format("{}", *number) : "";
}

}  // namespace

std::vector<std::string> words_of_run(const PipelineArguments& arguments) {
  std::vector<std::string> words{"run", arguments.file};
  for (const std::string& text : arguments.overrides) add_words(words, "--set", text);
  add_words(words, "--ranks", text_of(arguments.ranks));
  add_words(words, "--rate", arguments.rate);
  add_words(words, "--machine", arguments.machine);
  if (!arguments.hosts.empty())
    add_words(words, "--hosts", fmt::format("{}", fmt::join(arguments.hosts, ",")));
  return words;
}

std::vector<std::string> words_of_goal(const PipelineArguments& arguments) {
  std::vector<std::string> words;
  add_words(words, "--objective", arguments.objective);
  add_words(words, "--scheduler", arguments.scheduler);
  return words;
}

bool is_pipeline(const std::string& name) {
  return kind_of_file(name) == FileKind::pipeline;
}

TaskGraph load_graph_or_pipeline(const std::string& name, const std::string& profile) {
  if (!is_pipeline(name)) {
    if (!profile.empty())
      throw UsageError(fmt::format("--profile needs a pipeline: '{}' is a task graph", name));
    return read_graph(name);
  }
  const pipeline::Pipeline pipeline = pipeline::load_pipeline(name);
  std::vector<Time> times(pipeline.stages.size(), Time{0});
  if (!profile.empty()) {
    times.clear();
    for (const pipeline::StageCost& cost : pipeline::read_profile(profile, pipeline))
      times.push_back(cost.cost);
  }
  return pipeline.task_graph(times);
}

}  // namespace takt::cli
