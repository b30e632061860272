#include <filesystem>
#include <iostream>
#include <memory>

#include "cli/command.hpp"
#include "cli/options.hpp"
#include "cli/pipeline_options.hpp"
#include "core/error.hpp"
#include "pipeline/launch/hosts/host_answer.hpp"
#include "pipeline/launch/hosts/host_survey.hpp"
#include "pipeline/protocol/run_folder.hpp"

namespace takt::cli {

namespace {

struct DoctorArguments {
  PipelineArguments pipeline;
  std::string network, format;
};

pipeline::SurveyOptions options_of(const DoctorArguments& arguments,
                                   const std::optional<pipeline::Pipeline>& pipeline) {
  pipeline::SurveyOptions options{
      .site = pipeline ? pipeline->deployment.site
                       : pipeline::Site{.hosts = pipeline::parse_hosts(arguments.pipeline.hosts, 0, {})},
      .question = {.folder = std::filesystem::current_path(), .files = {}, .tries_mpi = true}};
  if (!arguments.network.empty()) {
    options.site.network = arguments.network;
    options.site.network_where = {};
  }
  if (pipeline) options.question.files = files_used_by(*pipeline);
  return options;
}

int doctor(const DoctorArguments& arguments) {
  if (pipeline::is_asked_by_survey()) return pipeline::answer_survey(TAKT_VERSION);
  if (pipeline::own_rank())
    throw UsageError("takt doctor starts a rank on each host itself: run it without mpirun or srun");
  std::optional<pipeline::Pipeline> pipeline;
  if (!arguments.pipeline.file.empty()) pipeline = load(arguments.pipeline);
  if (!pipeline && !arguments.pipeline.overrides.empty())
    throw UsageError("--set needs a pipeline: give its file");
  const std::vector<pipeline::SurveyedHost> hosts = pipeline::survey(options_of(arguments, pipeline));
  const std::vector<pipeline::Finding> findings =
      pipeline::judge(hosts, pipeline ? std::optional(pipeline->deployment.ranks) : std::nullopt);
  std::cout << (arguments.format == "json" ? pipeline::to_json(hosts, findings)
                                           : pipeline::to_text(hosts, findings));
  return pipeline::faults_of(findings).empty() ? 0 : 1;
}

}  // namespace

void declare_doctor(Command& command) {
  auto arguments = std::make_shared<DoctorArguments>();
  command
      .add("pipeline", arguments->pipeline.file,
           "Pipeline whose files, plug-ins and recordings are checked on its hosts")
      .value("PIPELINE");
  command
      .add("--set", arguments->pipeline.overrides,
           "Replace a value of the file: deployment.hosts=[node1,node2]")
      .value("PATH=VALUE");
  add_hosts_option(command, arguments->pipeline.hosts);
  command
      .add("--network", arguments->network,
           "Network between the hosts: an interface, an address or a network (10.0.0.0/24)")
      .value("NETWORK");
  add_format_option(command, arguments->format, {"text", "json"});
  command.note(
      "Starts one process on each host, as takt run does. Checks the start itself, the versions of takt and "
      "Open MPI, the files of the pipeline, the clocks, MPI between all hosts, and the limits. Each finding "
      "comes with a remedy. Inside a Slurm allocation the hosts are its nodes; without hosts it checks this "
      "computer alone.");
  command.note("Exit code: 0 fit (there may be warnings), 1 not fit, 2 the pipeline or an option is wrong.");
  command.example("takt doctor");
  command.example("takt doctor station.yaml --hosts node1,node2");
  command.does([arguments](const Command&) { return doctor(*arguments); });
}

}  // namespace takt::cli
