#pragma once
/// A pipeline on the command line: its file, and the options that take the place of what it says.

#include <string>
#include <vector>

#include "cli/arguments.hpp"
#include "core/formats/file_kind.hpp"
#include "pipeline/config/pipeline.hpp"

namespace takt::cli {

/// What was given; empty texts were not.
struct PipelineArguments {
  std::string file;
  /// `path=value` of --set.
  std::vector<std::string> overrides;
  std::vector<std::string> hosts;
  std::string rate, objective, scheduler, machine;
  std::optional<std::uint64_t> ranks, seed, effort;
};

/// PIPELINE and --set.
void add_pipeline_argument(Command& command, PipelineArguments& arguments);
/// --ranks, --rate, --objective, --scheduler and --machine.
void add_goal_options(Command& command, PipelineArguments& arguments);
/// The heading of these options.
inline constexpr const char* goal_group = "Overrides the file";
/// --hosts.
Argument& add_hosts_option(
    Command& command, std::vector<std::string>& hosts,
    std::string help = "Hosts of the ranks, in rank order, with their numbers of ranks: node1,node2:4");

/// Reads and checks the pipeline, with the options in the place of what the file says. Throws ConfigError.
[[nodiscard]] pipeline::Pipeline load(const PipelineArguments& arguments);

/// The command line of `takt run` for the same pipeline with the same options, but those that say how it is
/// planned.
[[nodiscard]] std::vector<std::string> words_of_run(const PipelineArguments& arguments);
/// Those that say how it is planned.
[[nodiscard]] std::vector<std::string> words_of_goal(const PipelineArguments& arguments);

/// Whether GRAPH names a pipeline's file.
[[nodiscard]] bool is_pipeline(const std::string& name);

/// GRAPH: a task graph's file or generator, or a pipeline, whose tasks have the costs of a profile, or none.
[[nodiscard]] TaskGraph load_graph_or_pipeline(const std::string& name, const std::string& profile);

}  // namespace takt::cli
