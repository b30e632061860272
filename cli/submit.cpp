#include <algorithm>
#include <filesystem>
#include <iostream>
#include <memory>

#include <fmt/format.h>

#include "cli/command.hpp"
#include "cli/options.hpp"
#include "cli/pipeline_options.hpp"
#include "core/error.hpp"
#include "core/system/own_program.hpp"
#include "pipeline/config/files.hpp"
#include "pipeline/launch/jobs/slurm.hpp"

namespace takt::cli {

namespace {

struct SubmitArguments {
  PipelineArguments pipeline;
  std::string partition, time;
  std::optional<std::uint64_t> nodes;
  std::vector<std::string> run_options;
  bool is_dry = false;
};

/// Returns the file's request to Slurm, with the options as overrides.
pipeline::SlurmRequest request_of(const SubmitArguments& arguments, const pipeline::Pipeline& pipeline) {
  pipeline::SlurmRequest request = pipeline.deployment.slurm.value_or(pipeline::SlurmRequest{});
  if (!arguments.partition.empty()) request.partition = arguments.partition;
  if (arguments.nodes) request.nodes = *arguments.nodes;
  if (!arguments.time.empty()) request.time = parse_positive_duration("--time", arguments.time);
  return request;
}

/// Returns true if the file or the options allow the run to continue without a failed node.
bool starts_again(const SubmitArguments& arguments, const pipeline::Deployment& deployment) {
  return deployment.restart || std::ranges::any_of(arguments.run_options, [](const std::string& word) {
           return word.starts_with("--restart");
         });
}

/// Returns the `takt run` command of the job. Throws UsageError for unknown options.
std::vector<std::string> command_of_job(const SubmitArguments& arguments) {
  std::vector<std::string> words = words_of_run(arguments.pipeline);
  for (const std::string& word : words_of_goal(arguments.pipeline)) words.push_back(word);
  words.insert(words.end(), arguments.run_options.begin(), arguments.run_options.end());
  Command run = find_command("run");
  run.parse({words.begin() + 1, words.end()});
  words.insert(words.begin(), own_program());
  return words;
}

int submit(const SubmitArguments& arguments) {
  const pipeline::Pipeline pipeline = load(arguments.pipeline);
  const pipeline::Deployment& deployment = pipeline.deployment;
  pipeline::BatchJob job{.name = pipeline.name,
                         .request = request_of(arguments, pipeline),
                         .ranks = deployment.ranks,
                         .outlives_nodes = starts_again(arguments, deployment),
                         .folder = std::filesystem::current_path(),
                         .command = command_of_job(arguments)};
  if (!deployment.site.hosts.empty())
    throw ConfigError(deployment.site.hosts_where,
                      "'deployment': Slurm chooses the hosts: remove 'hosts' to submit the pipeline");
  if (job.request.nodes > job.ranks)
    throw ConfigError(arguments.nodes ? SourceLocation{"--nodes"} : job.request.where,
                      fmt::format("'deployment': {} ranks do not occupy {} nodes: expected at most {} nodes",
                                  job.ranks, job.request.nodes, job.ranks));
  ErrorList errors;
  pipeline::Pipeline checked = pipeline;
  for (const std::string& option : arguments.run_options)
    if (option == "--overwrite") checked.overwrites = true;
  pipeline::check_files(checked, {}, errors);
  errors.throw_if_any();
  const std::string script = pipeline::batch_script(job);
  if (arguments.is_dry) {
    std::cout << script;
    return 0;
  }
  const std::string number = pipeline::submit(script);
  fmt::print("job {}: squeue -j {} shows its state; its output goes to slurm-{}.out\n", number, number,
             number);
  return 0;
}

}  // namespace

void declare_submit(Command& command) {
  auto arguments = std::make_shared<SubmitArguments>();
  add_pipeline_argument(command, arguments->pipeline);
  const char* const group = "Slurm resources; override the file";
  command.add("--partition", arguments->partition, "Partition").value("NAME").group(group);
  command.number("--nodes", arguments->nodes, "Number of nodes; ranks are distributed evenly", {1, 4096})
      .group(group);
  command.add("--time", arguments->time, "Time limit of the job: 2h").value("TIME").group(group);
  command.flag("--dry-run", arguments->is_dry, "Print the batch script without submitting it");
  command.add("run-options", arguments->run_options, "Options of takt run, after --")
      .value("OPTIONS")
      .repeats();
  add_goal_options(command, arguments->pipeline);
  command.note(
      "takt checks the file and its outputs here, and the nodes when the job starts. 30 s "
      "before the time limit the run ends in order: ingested frames are still delivered.");
  command.note("Exit code: 0 submitted, 1 Slurm refused it, 2 the pipeline or an option is wrong.");
  command.example("takt submit station.yaml --nodes 3 --time 2h -- --report report.json");
  command.example("takt submit station.yaml --dry-run");
  command.does([arguments](const Command&) { return submit(*arguments); });
}

}  // namespace takt::cli
