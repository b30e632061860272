#include "pipeline/config/change.hpp"

#include <algorithm>
#include <cmath>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "core/formats/json.hpp"
#include "core/pictures/figure_text.hpp"

namespace takt::pipeline {

NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE(Change, number, stage, task, key, texts, is_list, value, old_value)

namespace {

std::string_view without_blanks(std::string_view text) {
  constexpr std::string_view blanks = " \t";
  const std::size_t first = text.find_first_not_of(blanks);
  if (first == std::string_view::npos) return {};
  return text.substr(first, text.find_last_not_of(blanks) - first + 1);
}

/// Parses `5`, `12 ms` or `[a, b]`.
void read_value(std::string_view text, Change& change) {
  const auto plain = [](std::string_view part) {
    part = without_blanks(part);
    if (part.size() >= 2 && (part.front() == '"' || part.front() == '\'') && part.back() == part.front())
      part = part.substr(1, part.size() - 2);
    return std::string(part);
  };
  text = without_blanks(text);
  change.value = text;
  change.is_list = text.starts_with('[') && text.ends_with(']');
  if (!change.is_list) {
    change.texts = {plain(text)};
    return;
  }
  text = without_blanks(text.substr(1, text.size() - 2));
  while (!text.empty()) {
    const std::string_view part = text.substr(0, text.find(','));
    change.texts.push_back(plain(part));
    text.remove_prefix(std::min(part.size() + 1, text.size()));
  }
}

/// Returns the name of an entry `name=value`; empty for other entries.
std::string_view name_of_entry(std::string_view entry) {
  const std::size_t equals = entry.find('=');
  return equals == std::string_view::npos ? std::string_view{} : without_blanks(entry.substr(0, equals));
}

/// Keeps the entries of a list of name=value that the change does not name; an empty list clears it.
void keep_other_entries(Change& change, const Parameters& now) {
  const auto is_plain = [](const std::string& entry) { return name_of_entry(entry).empty(); };
  if (!change.is_list || change.texts.empty() || std::ranges::any_of(change.texts, is_plain)) return;
  std::vector<std::string> all;
  for (const std::string& old : now.texts(change.key))
    if (std::ranges::none_of(change.texts, [&](const std::string& entry) {
          return name_of_entry(entry) == name_of_entry(old);
        }))
      all.push_back(old);
  all.insert(all.end(), change.texts.begin(), change.texts.end());
  change.texts = std::move(all);
  change.value = fmt::format("[{}]", fmt::join(change.texts, ", "));
}

std::vector<std::string_view> changeable(const KernelKind& kind) {
  std::vector<std::string_view> names;
  for (const ParameterSpec& spec : kind.parameters)
    if (spec.may_change) names.push_back(spec.name);
  return names;
}

const SourceLocation command_line{"takt set", 1, 1};

}  // namespace

Parameters::Value Change::written() const {
  return {texts, is_list, command_line, command_line};
}

std::string to_text(const Change& change) {
  return json_line(change);
}
Change change_from_text(std::string_view text) {
  return value_from_json<Change>(text);
}

Parameters with_change(const Pipeline& pipeline, const Parameters& parameters, const Change& change) {
  const Stage& stage = pipeline.stages.at(change.stage);
  ErrorList errors;
  Parameters changed =
      parameters.changed(pipeline.kernels.find(stage.type)->parameters, change.key, change.written(), errors);
  errors.throw_if_any();
  return changed;
}

std::vector<std::string> Changes::names() const {
  std::vector<std::string> names;
  for (const Stage& stage : pipeline_.stages) {
    const KernelKind* const kind =
        stage.kind == StageKind::kernel ? pipeline_.kernels.find(stage.type) : nullptr;
    if (kind == nullptr || stage.distribution) continue;
    for (const std::string_view key : changeable(*kind))
      names.push_back(fmt::format("{}.{}", stage.name, key));
  }
  return names;
}

std::size_t Changes::find_task(std::string_view name) const {
  std::vector<std::string_view> tasks;
  for (std::size_t i = 0; i < pipeline_.stages.size(); ++i) {
    const Stage& stage = pipeline_.stages[i];
    if (stage.name == name && stage.kind != StageKind::kernel)
      throw ConfigError(
          fmt::format("'{}' is a {}: only parameters of tasks may change", name, name_of(stage.kind)));
    if (stage.kind != StageKind::kernel || stage.port) continue;
    if (stage.name == name) return i;
    tasks.push_back(stage.name);
  }
  throw ConfigError(unknown_name("task", name, std::move(tasks)));
}

void Changes::check_parameter(std::size_t stage, const std::string& key) const {
  const Stage& task = pipeline_.stages[stage];
  const KernelKind& kind = *pipeline_.kernels.find(task.type);
  const std::vector<std::string_view> may = changeable(kind);
  const auto spec = std::ranges::find(kind.parameters, key, &ParameterSpec::name);
  if (spec == kind.parameters.end()) {
    std::vector<std::string_view> all;
    for (const ParameterSpec& each : kind.parameters) all.push_back(each.name);
    throw ConfigError(fmt::format(
        "task '{}': {}; {} may change during a run", task.name, unknown_name("parameter", key, all),
        may.empty() || task.distribution ? std::string("none") : fmt::format("{}", fmt::join(may, " "))));
  }
  if (may.empty() || task.distribution)
    throw ConfigError(
        fmt::format("task '{}': no parameter of {} may change during a run", task.name, kind.name));
  if (!spec->may_change)
    throw ConfigError(
        fmt::format("task '{}': parameter '{}' of {} must not change during a run (may change: {})",
                    task.name, key, kind.name, fmt::join(may, " ")));
}

void Changes::check_kernel(std::size_t stage, const Parameters& parameters) const {
  const Stage& task = pipeline_.stages[stage];
  const KernelKind& kind = *pipeline_.kernels.find(task.type);
  std::vector<FrameType> inputs;
  for (const std::size_t input : task.inputs) inputs.push_back(pipeline_.stages[input].output);
  const FrameType output = kind.make(parameters)->configure(inputs);
  const FrameType& now = task.outputs.empty() ? task.output : task.outputs.front();
  if (output.element == now.element && output.axes == now.axes && output.parts == now.parts &&
      output.side == now.side && std::abs(output.start_s - now.start_s) < 1e-12) {
    // The same call as in the ranks: a change that fails there would end the run.
    const std::unique_ptr<Kernel> running = kind.make(task.parameters);
    (void)running->configure(inputs);
    (void)running->change(parameters);
    return;
  }
  std::string how = fmt::format(", {} instead of {}", output.to_string(), now.to_string());
  if (output.to_string() == now.to_string())
    how = output.axes == now.axes
              ? fmt::format(", which begin {} {} than before (UTC must not jump within an epoch)",
                            time_text(std::abs(output.start_s - now.start_s) * 1e9),
                            output.start_s < now.start_s ? "earlier" : "later")
              : ", with other coordinates";
  throw ConfigError(fmt::format("task '{}': this changes the type of its frames{}: start a new run instead",
                                task.name, how));
}

Change Changes::check(std::string_view text) {
  const std::size_t equals = text.find('=');
  const std::string_view name = without_blanks(text.substr(0, equals));
  const std::size_t dot = name.rfind('.');
  if (equals == std::string_view::npos || dot == std::string_view::npos)
    throw ConfigError(fmt::format("'{}' is not a change: expected task.parameter=value", excerpt(text)));
  Change change{.number = made_ + 1,
                .stage = find_task(name.substr(0, dot)),
                .task = std::string(name.substr(0, dot)),
                .key = std::string(name.substr(dot + 1))};
  check_parameter(change.stage, change.key);
  read_value(text.substr(equals + 1), change);
  Stage& task = pipeline_.stages[change.stage];
  const std::vector<ParameterSpec>& specs = pipeline_.kernels.find(task.type)->parameters;
  if (std::ranges::find(specs, change.key, &ParameterSpec::name)->type == ParameterType::texts)
    keep_other_entries(change, task.parameters);
  change.old_value = task.parameters.shown(change.key);
  try {
    Parameters parameters = with_change(pipeline_, task.parameters, change);
    check_kernel(change.stage, parameters);
    task.parameters = std::move(parameters);
  } catch (const ConfigError& error) {
    // The place in the file does not help here.
    throw ConfigError(error.message());
  }
  ++made_;
  return change;
}

}  // namespace takt::pipeline
