#include "pipeline/config/stage_reader.hpp"

#include <algorithm>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "pipeline/config/backlog_keys.hpp"
#include "pipeline/config/place_keys.hpp"
#include "pipeline/config/written_parameters.hpp"

namespace takt::pipeline {

bool is_name(std::string_view name) {
  const auto is_good = [](char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_' || c == '-';
  };
  return !name.empty() && std::ranges::all_of(name, is_good);
}

namespace {

class StageReader {
 public:
  StageReader(const KernelRegistry& kernels, bool kernels_are_complete, const std::filesystem::path& folder,
              ErrorList& errors)
      : kernels_(kernels), kernels_are_complete_(kernels_are_complete), folder_(folder), errors_(errors) {}

  void read_section(const Section& section, const YamlNode& root, const SourceLocation& whole) {
    const YamlNode node = root[section.key];
    const bool is_needed = section.kind != StageKind::kernel;
    if (!node) {
      if (is_needed)
        errors_.add(whole,
                    fmt::format("the key '{}' is missing: a pipeline needs a {}", section.key, section.noun));
      return;
    }
    if (!node.is_mapping() || (is_needed && node.size() == 0))
      return errors_.add(
          node.where(),
          fmt::format("'{}' must be a mapping from names to {}s, not {}", section.key, section.noun,
                      node.is_mapping() ? "an empty one" : describe(node.kind())));
    for (const YamlNode::Pair& stage : node.pairs()) read_stage(section, stage.key, stage.value);
  }

  [[nodiscard]] std::vector<Draft> take() && { return std::move(drafts_); }

 private:
  void read_stage(const Section& section, const YamlNode& name, const YamlNode& stage) {
    const std::size_t errors_before = errors_.size();
    Draft draft{.kind = section.kind, .name = std::string(name.text()), .where = name.where()};
    if (!is_name(draft.name))
      errors_.add(draft.where,
                  fmt::format("'{}' is not a valid name: expected letters, digits, _ and -", draft.name));
    const auto twin = std::ranges::find(drafts_, draft.name, &Draft::name);
    if (twin != drafts_.end())
      errors_.add(draft.where, fmt::format("the name '{}' is taken by the {} at {}", draft.name,
                                           section_of(twin->kind).noun, twin->where.to_string()));
    if (!stage.is_mapping()) {
      errors_.add(stage.where(),
                  fmt::format("{} must be a mapping, not {}", draft.title(), describe(stage.kind())));
    } else {
      if (section.kind == StageKind::source)
        read_delay(stage, draft);
      else
        read_inputs(stage, draft);
      if (section.kind != StageKind::kernel) read_backlog(stage, folder_, draft, errors_);
      read_place(stage, folder_, draft, errors_);
      read_type(section, stage, draft);
      if (section.kind == StageKind::sink) read_transient(stage, folder_, draft, errors_);
    }
    if (errors_.size() != errors_before) draft.is_broken = true;
    if (twin == drafts_.end()) drafts_.push_back(std::move(draft));
  }

  /// Reads `input: a`, `input: [a]` and, for tasks, `inputs: [a, b]`.
  void read_inputs(const YamlNode& map, Draft& draft) {
    YamlNode input = map["input"];
    const YamlNode inputs = draft.kind == StageKind::kernel ? map["inputs"] : YamlNode();
    if (input && inputs)
      return errors_.add(
          inputs.where(),
          fmt::format("{}: 'input' and 'inputs' are given: expected one of them", draft.title()));
    if (!input) input = inputs;
    if (!input) return errors_.add(draft.where, fmt::format("{}: the key 'input' is missing", draft.title()));
    if (!input.is_list()) return read_input(input, draft);
    for (const YamlNode& name : input) read_input(name, draft);
    if (input.size() == 0)
      errors_.add(input.where(), fmt::format("{}: expected at least one input", draft.title()));
  }

  void read_input(const YamlNode& name, Draft& draft) {
    if (name.is_text())
      draft.inputs.push_back({std::string(name.text()), name.where(), {}});
    else
      errors_.add(name.where(), fmt::format("{}: an input is the name of a source or task, not {}",
                                            draft.title(), describe(name.kind())));
  }

  /// Reads `delay: 1.25 us`, or `-1.25 us`, of a source.
  void read_delay(const YamlNode& map, Draft& draft) {
    const YamlNode delay = map["delay"];
    if (!delay) return;
    draft.delay_where = delay.where();
    try {
      if (!delay.is_text()) throw ConfigError(fmt::format("expected a time, not {}", describe(delay.kind())));
      std::string_view text = delay.text();
      const bool is_negative = text.starts_with('-');
      if (is_negative) text.remove_prefix(1);
      draft.delay = is_negative ? -parse_time(text) : parse_time(text);
    } catch (const ConfigError& error) {
      errors_.add(delay.where(), fmt::format("{}: 'delay': {}", draft.title(), error.message()));
    }
  }

  /// Reads the key `kernel` or `type`, and the parameters of that type.
  void read_type(const Section& section, const YamlNode& map, Draft& draft) {
    const std::vector<std::string_view> known = names_of(section.kind);
    const YamlNode type = map[section.type_key];
    if (!type) return report_no_type(section, map, draft, known);
    if (!type.is_text())
      return errors_.add(type.where(), fmt::format("{}: '{}' must be the name of a {}, not {} (known: {})",
                                                   draft.title(), section.type_key, section.type_noun,
                                                   describe(type.kind()), fmt::join(known, " ")));
    draft.type = type.text();
    if (std::ranges::find(known, draft.type) == known.end()) {
      draft.is_broken = true;
      if (kernels_are_complete_)
        errors_.add(type.where(),
                    fmt::format("{}: {}", draft.title(), unknown_name(section.type_noun, draft.type, known)));
      return;
    }
    draft.parameters = read_parameters(map, specification_of(draft.kind, draft.type, kernels_),
                                       section.own_keys, folder_, draft.where, draft.title(), errors_);
    check_input_count(draft);
  }

  /// Reports a missing key of a stage's type, or a misspelt one.
  void report_no_type(const Section& section, const YamlNode& map, const Draft& draft,
                      const std::vector<std::string_view>& known) {
    for (const auto& [key, value] : map.pairs()) {
      if (std::ranges::find(section.own_keys, key.text()) != section.own_keys.end()) continue;
      const std::string message = unknown_name("key", key.text(), {section.type_key});
      if (message.find("did you mean") != std::string::npos)
        return errors_.add(key.where(), fmt::format("{}: {}", draft.title(), message));
    }
    errors_.add(draft.where, fmt::format("{}: the key '{}' is missing (known: {})", draft.title(),
                                         section.type_key, fmt::join(known, " ")));
  }

  [[nodiscard]] std::vector<std::string_view> names_of(StageKind kind) const {
    std::vector<std::string_view> names;
    switch (kind) {
      case StageKind::source:
        for (const SourceKind& each : kernels_.sources()) names.push_back(each.name);
        break;
      case StageKind::kernel:
        for (const KernelKind& each : kernels_.kinds()) names.push_back(each.name);
        break;
      case StageKind::sink:
        for (const SinkKind& each : kernels_.sinks()) names.push_back(each.name);
        break;
    }
    return names;
  }

  void check_input_count(const Draft& draft) {
    const std::size_t count = draft.inputs.size();
    const KernelKind* const kernel = draft.kind == StageKind::kernel ? kernels_.find(draft.type) : nullptr;
    const std::size_t expected = kernel != nullptr ? kernel->inputs : 1;
    const bool may_be_more = kernel != nullptr && kernel->more_inputs;
    // A missing input has been reported.
    if (count == 0 || count == expected || (may_be_more && count > expected)) return;
    errors_.add(draft.inputs.back().where,
                fmt::format("{}: {} takes {} input{}{}, got {}", draft.title(), draft.type, expected,
                            expected == 1 ? "" : "s", may_be_more ? " or more" : "", count));
  }

  const KernelRegistry& kernels_;
  bool kernels_are_complete_;
  const std::filesystem::path& folder_;
  ErrorList& errors_;
  std::vector<Draft> drafts_;
};

}  // namespace

std::string Draft::title() const {
  return fmt::format("{} '{}'", section_of(kind).noun, name);
}

const std::vector<ParameterSpec>& specification_of(StageKind kind, std::string_view type,
                                                   const KernelRegistry& kernels) {
  switch (kind) {
    case StageKind::source:
      return kernels.find_source(type)->parameters;
    case StageKind::kernel: {
      static const std::vector<ParameterSpec> none;
      const KernelKind* const kind = kernels.find(type);
      // Users cannot name a port.
      return kind == nullptr ? none : kind->parameters;
    }
    case StageKind::sink:
      break;
  }
  return kernels.find_sink(type)->parameters;
}

std::vector<Draft> read_stages(const YamlNode& root, const KernelRegistry& kernels, bool kernels_are_complete,
                               const std::filesystem::path& folder, const SourceLocation& whole,
                               ErrorList& errors) {
  StageReader reader(kernels, kernels_are_complete, folder, errors);
  for (const Section& section : sections) reader.read_section(section, root, whole);
  return std::move(reader).take();
}

}  // namespace takt::pipeline
