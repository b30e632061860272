#pragma once
/// Reads a pipeline from the command line: its file, and options that override it.

#include <string>
#include <vector>

#include "cli/arguments.hpp"
#include "core/formats/file_kind.hpp"
#include "pipeline/config/pipeline.hpp"

namespace takt::cli {

/// The given options; empty texts are unset.
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

/// Loads and checks the pipeline, with the options as overrides. Throws ConfigError.
[[nodiscard]] pipeline::Pipeline load(const PipelineArguments& arguments);

/// Returns the command line of `takt run` for the same pipeline and options, without those for
/// planning.
[[nodiscard]] std::vector<std::string> words_of_run(const PipelineArguments& arguments);
/// Returns the options for planning.
[[nodiscard]] std::vector<std::string> words_of_goal(const PipelineArguments& arguments);

/// Returns true if GRAPH names a pipeline's file.
[[nodiscard]] bool is_pipeline(const std::string& name);

/// Loads GRAPH: a task graph's file or generator, or a pipeline with the costs of a profile, if any.
[[nodiscard]] TaskGraph load_graph_or_pipeline(const std::string& name, const std::string& profile);

}  // namespace takt::cli
