#include "pipeline/costs/profile_file.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <iterator>
#include <limits>
#include <set>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "core/error.hpp"
#include "core/formats/file_kind.hpp"
#include "core/formats/yaml_parser.hpp"
#include "core/formats/yaml_text.hpp"
#include "core/formats/yaml_values.hpp"
#include "core/system/file_digest.hpp"
#include "core/system/host_name.hpp"
#include "core/system/text_file.hpp"

namespace takt::pipeline {

namespace {

/// Returns true for parameters that vary between runs without effect on the cost: a source's rate, queue and
/// file.
bool is_of_run(const SourceKind& kind, const Stage& source, const ParameterSpec& parameter) {
  const SourceKind::Values of_rate = kind.at_rate(0, source.own_frames);
  constexpr std::array<std::string_view, 3> names{"rate", "speed", "depth"};
  return std::ranges::find(names, parameter.name) != names.end() || is_input(parameter.type) ||
         std::ranges::any_of(of_rate, [&](const auto& value) { return value.first == parameter.name; });
}

/// Returns the parameters that determine the cost of a frame. Empty for sinks and live sources, whose
/// parameters are addresses and paths.
std::string parameters_text(const Pipeline& pipeline, const Stage& stage) {
  if (stage.kind == StageKind::sink || stage.port) return "";
  const SourceKind* const source =
      stage.kind == StageKind::source ? pipeline.kernels.find_source(stage.type) : nullptr;
  if (source != nullptr && source->is_live) return "";
  std::string text;
  for (const ParameterSpec& parameter :
       source != nullptr ? source->parameters : pipeline.kernels.find(stage.type)->parameters)
    if (source == nullptr || !is_of_run(*source, stage, parameter))
      text += fmt::format(" {}={}", parameter.name, stage.parameters.shown(parameter.name));
  return text;
}

/// Returns a stage's description: `integrate frames=8, float32[channel=64] to float32[channel=64]`.
std::string fingerprint(const Pipeline& pipeline, const Stage& stage) {
  std::vector<std::string> inputs;
  for (const std::size_t input : stage.inputs) inputs.push_back(pipeline.stages[input].output.to_string());
  return fmt::format("{}{}, {}{}{}", stage.type, parameters_text(pipeline, stage), fmt::join(inputs, " and "),
                     inputs.empty() ? "" : " to ", stage.output.to_string());
}

std::string digest_text(const std::filesystem::path& file) {
  return fmt::format("{:016x}", file_digest(file).value_or(0));
}

/// Returns `plugins:` and one line for each file with its digest.
template <class Files>
std::string digests_text(std::string_view key, const Files& files) {
  std::string text = files.empty() ? "" : fmt::format("{}:\n", key);
  for (const auto& file : files) {
    const std::filesystem::path path(file);
    text += fmt::format("  {}: \"{}\"\n", yaml_scalar(path.string()), digest_text(path));
  }
  return text;
}

std::string groups_text(const std::vector<MoldableProfile::Point>& groups) {
  if (groups.empty()) return "";
  std::vector<std::string> times;
  for (const auto& [members, time] : groups) times.push_back(fmt::format("{}: {} ns", members, time.count()));
  return fmt::format(", groups: {{{}}}", fmt::join(times, ", "));
}

}  // namespace

std::vector<std::string> files_of_kernels(const Pipeline& pipeline) {
  std::vector<std::string> files;
  for (const Stage& stage : pipeline.stages) {
    if (stage.kind != StageKind::kernel || stage.port) continue;
    for (const ParameterSpec& parameter : pipeline.kernels.find(stage.type)->parameters)
      if (parameter.type == ParameterType::input_file)
        files.push_back(stage.parameters.text(parameter.name));
      else if (parameter.type == ParameterType::input_files)
        std::ranges::copy(stage.parameters.texts(parameter.name), std::back_inserter(files));
  }
  std::erase(files, "");
  std::ranges::sort(files);
  const auto twice = std::ranges::unique(files);
  files.erase(twice.begin(), twice.end());
  return files;
}

std::string profile_to_yaml(const std::vector<StageCost>& costs, const Pipeline& pipeline) {
  std::string text = fmt::format(
      "# Time of each stage for one frame, measured by `takt profile`.\n"
      "host: {{processor: {}}}\n",
      yaml_scalar(processor_name()));
  if (!costs.empty() && costs.front().cores > 1)
    text += fmt::format("cores_per_rank: {}\n", costs.front().cores);
  text += digests_text("plugins", pipeline.plugins) + digests_text("files", files_of_kernels(pipeline));
  text += "costs:\n";
  for (std::size_t i = 0; i < costs.size(); ++i) {
    const StageCost& cost = costs[i];
    text += fmt::format(
        "  {}: {{cost: {} ns, low: {} ns, high: {} ns, runs: {}{}{}{}{}{},\n    of: {}}}\n", cost.stage,
        cost.cost.count(), cost.low.count(), cost.high.count(), cost.runs,
        cost.copy > Time{0} ? fmt::format(", copy: {} ns", cost.copy.count()) : "",
        cost.receiving > Time{0} ? fmt::format(", receiving: {} ns", cost.receiving.count()) : "",
        cost.interval > Time{0}
            ? fmt::format(", latency: {} ns, interval: {} ns", cost.latency.count(), cost.interval.count())
            : "",
        groups_text(cost.groups), cost.is_whole ? ", whole_frames: true" : "",
        yaml_scalar(fingerprint(pipeline, pipeline.stages[i])));
  }
  return text;
}

namespace {

constexpr std::array<std::string_view, 11> cost_keys{"cost", "low",          "high",      "runs",
                                                     "copy", "latency",      "receiving", "groups",
                                                     "of",   "whole_frames", "interval"};

/// Reads `{2: 1 ms, 4: 600 us}`.
void read_groups(const YamlNode& node, const std::string& what, std::vector<MoldableProfile::Point>& groups,
                 ErrorList& errors) {
  if (!node.is_mapping())
    return errors.add(node.where(), fmt::format("{}: expected 'groups' as a mapping from numbers of ranks to "
                                                "times, found {}",
                                                what, describe(node.kind())));
  for (const auto& [key, value] : node.pairs())
    errors.attempt([&] {
      const auto members = static_cast<std::uint32_t>(
          read_integer(key, "number of ranks", 2, static_cast<std::int64_t>(Deployment::most_ranks)));
      if (!groups.empty() && members <= groups.back().processors)
        refuse(key, fmt::format("{}: the numbers of ranks of 'groups' must rise: {} follows {}", what,
                                members, groups.back().processors));
      groups.push_back({members, read_time(value, "time")});
    });
}

/// Returns the remedy for costs of another pipeline.
std::string advice(const Pipeline& pipeline, const std::filesystem::path& file) {
  return fmt::format("measure again: takt profile {} --output {}", pipeline.file.string(), file.string());
}

StageCost read_cost(const Pipeline& pipeline, const Stage& stage, const YamlNode& node,
                    const std::filesystem::path& file, ErrorList& errors) {
  const std::string what = fmt::format("the cost of '{}'", stage.name);
  expect_mapping(node, what, cost_keys);
  check_keys(node, what, cost_keys, errors);
  StageCost cost{.stage = stage.name};
  const auto time = [&](std::string_view key, Time& value) {
    errors.attempt([&] { value = read_time(require(node, what, key), key); });
  };
  time("cost", cost.cost);
  time("low", cost.low);
  time("high", cost.high);
  if (const YamlNode copy = node["copy"]) {
    time("copy", cost.copy);
    if (cost.copy > cost.cost)
      errors.add(copy.where(), fmt::format("{}: 'copy' is part of 'cost': expected at most {}, found {}",
                                           what, takt::to_string(cost.cost), takt::to_string(cost.copy)));
  }
  if (node["receiving"]) time("receiving", cost.receiving);
  if (node["latency"]) time("latency", cost.latency);
  if (node["interval"]) time("interval", cost.interval);
  if (const YamlNode of = node["of"])
    errors.attempt([&] {
      const std::string measured(read_text(of, "of")), now = fingerprint(pipeline, stage);
      if (measured != now)
        refuse(of, fmt::format("{} was measured as '{}', but in {} it is '{}'; {}", what, measured,
                               pipeline.file.string(), now, advice(pipeline, file)));
    });
  if (const YamlNode groups = node["groups"]) read_groups(groups, what, cost.groups, errors);
  errors.attempt([&] {
    constexpr std::int64_t most = std::numeric_limits<std::int64_t>::max();
    cost.runs =
        static_cast<std::size_t>(read_integer(require(node, what, "runs"), "number of runs", 0, most));
  });
  if (const YamlNode whole = node["whole_frames"])
    errors.attempt([&] { cost.is_whole = read_boolean(whole, "whole_frames"); });
  return cost;
}

}  // namespace

std::vector<StageCost> read_profile(const std::filesystem::path& file, const Pipeline& pipeline) {
  static constexpr std::array<std::string_view, 5> keys{"host", "cores_per_rank", "plugins", "files",
                                                        "costs"};
  ErrorList errors;
  const YamlTree tree = parse_yaml(read_text_file(file), file.string(), errors);
  expect_kind(tree.root(), FileKind::profile);
  std::vector<StageCost> costs;
  errors.attempt([&] {
    expect_mapping(tree.root(), "a profile", keys);
    check_keys(tree.root(), "a profile", keys, errors);
    const YamlNode of_stages = require(tree.root(), "a profile", "costs");
    if (!of_stages.is_mapping())
      refuse(of_stages, fmt::format("expected the costs as a mapping from the stages' names, found {}",
                                    describe(of_stages.kind())));
    for (const Stage& stage : pipeline.stages) {
      const YamlNode cost = of_stages[stage.name];
      if (!cost)
        errors.add(of_stages.where(),
                   fmt::format("no cost for '{}': {}", stage.name, advice(pipeline, file)));
      else
        errors.attempt([&] { costs.push_back(read_cost(pipeline, stage, cost, file, errors)); });
    }
    if (const YamlNode cores = tree.root()["cores_per_rank"])
      for (StageCost& cost : costs)
        cost.cores = static_cast<std::size_t>(read_integer(cores, "number of cores", 1, 1024));
  });
  errors.throw_if_any();
  return costs;
}

std::vector<std::string> profile_warnings(const std::filesystem::path& file, const Pipeline& pipeline) {
  ErrorList errors;
  const YamlTree tree = parse_yaml(read_text_file(file), file.string(), errors);
  errors.throw_if_any();
  std::vector<std::string> warnings;
  const YamlNode host = tree.root()["host"];
  if (host && !host.is_mapping())
    refuse(host,
           fmt::format("expected 'host' as a mapping with 'processor', found {}", describe(host.kind())));
  if (host && host["processor"]) {
    const std::string measured(read_text(host["processor"], "processor")), here = processor_name();
    if (measured != here)
      warnings.push_back(
          fmt::format("the costs of {} were measured on another kind of processor: {}, here {}",
                      file.string(), measured, here));
  }
  const YamlNode cores = tree.root()["cores_per_rank"];
  const std::int64_t measured_cores = cores ? read_integer(cores, "number of cores", 1, 1024) : 1;
  if (const std::optional<std::size_t> wanted = pipeline.deployment.cores_per_rank;
      host && wanted && static_cast<std::int64_t>(*wanted) != measured_cores)
    warnings.push_back(
        fmt::format("the costs of {} were measured with {} core{} per rank, and the ranks have {}",
                    file.string(), measured_cores, measured_cores == 1 ? "" : "s", *wanted));
  const auto digests = [&](const std::string& key) {
    const YamlNode node = tree.root()[key];
    if (node && !node.is_mapping())
      refuse(node, fmt::format("expected '{}' as a mapping from files to digests, found {}", key,
                               describe(node.kind())));
    return node;
  };
  const YamlNode plugins = digests("plugins"), files = digests("files");
  if (files)
    for (const std::string& name : files_of_kernels(pipeline))
      if (const YamlNode digest = files[name]; digest && read_text(digest, "digest") != digest_text(name))
        warnings.push_back(
            fmt::format("{} has changed since the costs of {} were measured", name, file.string()));
  std::set<std::string> measured;
  if (plugins)
    for (const auto& [name, digest] : plugins.pairs()) {
      const std::string plugin(read_text(name, "plug-in"));
      measured.emplace(read_text(digest, "digest"));
      if (std::ranges::find(pipeline.plugins, std::filesystem::path(plugin)) != pipeline.plugins.end() &&
          !measured.contains(digest_text(plugin)))
        warnings.push_back(fmt::format("the plug-in {} has changed since the costs of {} were measured",
                                       plugin, file.string()));
    }
  // Hand-written files have neither.
  if (host)
    for (const std::filesystem::path& plugin : pipeline.plugins)
      if (!measured.contains(digest_text(plugin)) && !(plugins && plugins[plugin.string()]))
        warnings.push_back(fmt::format("the costs of {} were measured without the plug-in {}", file.string(),
                                       plugin.string()));
  return warnings;
}

}  // namespace takt::pipeline
