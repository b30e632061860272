/// Converts the text of a pipeline file into a checked Pipeline. Every step continues after an error, so
/// that all errors of a file are reported together.

#include <fmt/format.h>

#include "core/formats/file_kind.hpp"
#include "core/formats/yaml_override.hpp"
#include "core/system/text_file.hpp"
#include "pipeline/config/connections.hpp"
#include "pipeline/config/devices.hpp"
#include "pipeline/config/files.hpp"
#include "pipeline/config/pipeline.hpp"
#include "pipeline/config/restart_rules.hpp"
#include "pipeline/config/settings.hpp"
#include "pipeline/config/stage_reader.hpp"
#include "pipeline/config/types.hpp"
#include "pipeline/config/written_parameters.hpp"
#include "pipeline/watching/activity.hpp"
#include "pipeline/watching/hang_watch.hpp"

namespace takt::pipeline {

namespace {

/// Reads the file and applies the overrides.
YamlTree read_tree(const std::filesystem::path& file, const std::vector<Override>& overrides,
                   ErrorList& errors) {
  // A deeper or larger document is not a pipeline.
  constexpr YamlLimits limits{.depth = 32, .values = 20'000};
  YamlTree tree = parse_yaml(read_text_file(file), file.string(), errors, limits);
  const YamlNode root = tree.root();
  if (tree.is_empty()) throw ConfigError(root.where(), "the file is empty");
  if (!root.is_mapping())
    throw ConfigError(root.where(), fmt::format("expected a mapping with the keys {}, got {}",
                                                top_level_keys(), describe(root.kind())));
  expect_kind(root, FileKind::pipeline);
  expand_names(tree);
  for (const Override& each : overrides) {
    const std::string where = each.option.empty() ? "--set " + each.path : each.option;
    set_value(tree, each.path, each.value, where, errors, limits);
    expand_names(tree);
  }
  return tree;
}

/// Returns true if all of them were loaded.
bool load_plugins(const YamlNode& root, Pipeline& pipeline, ErrorList& errors) {
  const YamlNode plugins = root["plugins"];
  if (!plugins) return true;
  bool all_are_loaded = true;
  if (!plugins.is_list()) {
    errors.add(plugins.where(),
               fmt::format("'plugins' must be a list of files, not {}", describe(plugins.kind())));
    all_are_loaded = false;
  }
  for (const YamlNode& plugin : plugins) {
    try {
      if (!plugin.is_text())
        throw ConfigError(fmt::format("a plug-in is the name of a file, not {}", describe(plugin.kind())));
      pipeline.plugins.emplace_back(input_path(plugin, pipeline.file.parent_path()));
      pipeline.kernels.load_plugin(pipeline.plugins.back().string());
    } catch (const ConfigError& error) {
      errors.add(plugin.where(), error.message());
      all_are_loaded = false;
    }
  }
  return all_are_loaded;
}

/// Returns the files that define the pipeline, without recordings.
std::vector<OtherFile> own_files(const Pipeline& pipeline) {
  std::vector<OtherFile> files{{pipeline.file, "it is the pipeline file"},
                               {pipeline.deployment.machine, "it is the machine file"}};
  for (const std::filesystem::path& plugin : pipeline.plugins) files.push_back({plugin, "it is a plug-in"});
  return files;
}

Stage to_stage(Draft& draft) {
  Stage stage{.kind = draft.kind,
              .name = std::move(draft.name),
              .type = std::move(draft.type),
              .parameters = std::move(*draft.parameters),
              .inputs = {},
              .stateless = draft.stateless,
              .travelling = draft.travelling,
              .separable = std::move(draft.separable),
              .distribution = std::move(draft.distribution),
              .output = std::move(draft.output),
              .outputs = std::move(draft.outputs),
              .port = draft.port,
              .depth = draft.depth,
              .in_flight = draft.in_flight,
              .lag = draft.lag,
              .kernel_device = std::move(draft.kernel_device),
              .gives = draft.gives,
              .own_frames = std::move(draft.own_frames),
              .description = std::move(draft.description),
              .delay = draft.delay,
              .backlog = draft.backlog,
              .transient = draft.transient,
              .place = std::move(draft.place),
              .where = draft.where};
  for (const Draft::Input& input : draft.inputs) stage.inputs.push_back(*input.from);
  return stage;
}

}  // namespace

Pipeline load_pipeline(const std::filesystem::path& file, const std::vector<Override>& overrides) {
  set_phase(Phase::loading);
  ErrorList errors;
  const YamlTree tree = read_tree(file, overrides, errors);
  const YamlNode root = tree.root();
  Pipeline pipeline;
  pipeline.file = file;
  pipeline.kernels = KernelRegistry::with_built_in_kernels();
  read_settings(root, pipeline, errors);
  const HangWatch hang_watch(pipeline.deployment.deadlines);
  const bool kernels_are_complete = load_plugins(root, pipeline, errors);
  std::vector<Draft> drafts = read_stages(root, pipeline.kernels, kernels_are_complete, file.parent_path(),
                                          SourceLocation{file.string()}, errors);
  connect(drafts, pipeline.kernels, errors);
  check_overwriting(drafts, pipeline.kernels, own_files(pipeline), errors);
  infer_types(drafts, pipeline.kernels, pipeline.joining, errors);
  errors.throw_if_any();
  for (Draft& draft : drafts) pipeline.stages.push_back(to_stage(draft));
  assign_devices(pipeline, errors);
  errors.throw_if_any();
  const Deployment& deployment = pipeline.deployment;
  if (deployment.restart) keep_whole(pipeline);
  // The ranks that share a source communicate through shared memory.
  const bool is_on_hosts =
      !deployment.site.hosts.empty() || deployment.slurm || deployment.transport != Transport::automatic;
  if (pipeline.joins_sources() || is_on_hosts) pipeline.keep_ends_on_one_rank();
  if (is_on_hosts) pipeline.keep_states_on_one_rank();
  set_phase(Phase::none);
  return pipeline;
}

}  // namespace takt::pipeline
