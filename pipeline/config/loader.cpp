/// From the text of a pipeline file to a checked Pipeline. Each step goes on after an error as far as it
/// makes sense, and a stage with an error is left out of the later steps, so that one slip gives one message.

#include <algorithm>
#include <map>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "pipeline/config/pipeline.hpp"
#include "pipeline/config/yaml_tree.hpp"
#include "pipeline/sinks.hpp"
#include "pipeline/sources.hpp"
#include "schedulers/scheduler.hpp"

namespace takt::pipeline {

namespace {

/// MPI counts bytes in an int.
constexpr double largest_frame = 2147483647.0 - sizeof(FrameHeader);

const std::vector<ParameterSpec>& scheduler_keys() {
  static const std::vector<ParameterSpec> keys{
      {.name = "name", .fallback = "basic_fo", .help = "which scheduler places the tasks"},
      {.name = "seed",
       .type = ParameterType::integer,
       .fallback = "1",
       .help = "of schedulers that draw lots",
       .minimum = 0},
      {.name = "effort",
       .type = ParameterType::integer,
       .fallback = "0",
       .help = "budget of schedulers that search, in their own steps; 0: their default",
       .minimum = 0}};
  return keys;
}

const std::vector<ParameterSpec>& deployment_keys() {
  static const std::vector<ParameterSpec> keys{
      {.name = "ranks",
       .type = ParameterType::integer,
       .fallback = "1",
       .help = "number of MPI ranks",
       .minimum = 1,
       .maximum = 100'000},
      {.name = "machine",
       .fallback = "",
       .help = "a machine file or logp:...; nothing: the links are measured"},
      {.name = "depth",
       .type = ParameterType::integer,
       .fallback = "8",
       .help = "frames that may wait between two ranks",
       .minimum = 1,
       .maximum = 4096}};
  return keys;
}

/// A section of stages, and the words for what is in it.
struct Section {
  StageKind kind;
  std::string_view key;
  /// `source`, `task`, `sink`.
  std::string_view noun;
  /// The key that names the type, and what it names.
  std::string_view type_key;
  std::string_view type_noun;
};

constexpr std::array<Section, 3> sections{{{StageKind::source, "sources", "source", "type", "source"},
                                           {StageKind::kernel, "tasks", "task", "kernel", "kernel"},
                                           {StageKind::sink, "sinks", "sink", "type", "sink"}}};

const Section& section_of(StageKind kind) {
  return sections[static_cast<std::size_t>(kind)];
}

/// A stage on its way from the text to a Stage.
struct Draft {
  struct Input {
    std::string name;
    SourceLocation where;
    /// Index of the draft of that name.
    std::optional<std::size_t> from;
  };

  StageKind kind;
  std::string name;
  SourceLocation where;
  std::string type;
  std::vector<Input> inputs;
  std::optional<Parameters> parameters;
  bool stateless = false;
  FrameType output;
  /// Whether it had an error, so that nothing more can be said about it or what depends on it.
  bool is_broken = false;

  [[nodiscard]] std::string title() const { return fmt::format("{} '{}'", section_of(kind).noun, name); }
};

bool is_name(std::string_view name) {
  const auto is_good = [](char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_' || c == '-';
  };
  return !name.empty() && std::ranges::all_of(name, is_good);
}

class Loader {
 public:
  Loader(const std::filesystem::path& file, const std::vector<Override>& overrides) {
    pipeline_.file = file;
    pipeline_.kernels = KernelRegistry::with_built_in_kernels();
    whole_.file = file.string();
    root_ = parse_yaml(read_text_file(file), whole_.file, errors_);
    if (root_.kind != YamlNode::Kind::map)
      throw ConfigError(root_.where, fmt::format("expected a mapping with the keys {}, got {}",
                                                 fmt::join(top_level_keys, ", "), describe(root_.kind)));
    name_scheduler();
    for (const Override& each : overrides) {
      set_value(root_, each.path, each.value, errors_);
      name_scheduler();
    }
  }

  Pipeline load() && {
    read_top_level();
    load_plugins();
    for (const Section& section : sections) read_section(section);
    connect();
    sort();
    check_consumers();
    check_outputs();
    for (Draft& draft : drafts_) infer_type(draft);
    errors_.throw_if_any();
    for (Draft& draft : drafts_) pipeline_.stages.push_back(to_stage(draft));
    return std::move(pipeline_);
  }

 private:
  static constexpr std::array<std::string_view, 8> top_level_keys{
      "name", "plugins", "sources", "tasks", "sinks", "rate", "scheduler", "deployment"};

  // ---- What stands at the top
  // --------------------------------------------------------------------------------

  /// `scheduler: x` is short for `scheduler: {name: x}`.
  void name_scheduler() {
    YamlNode* const scheduler = root_.find("scheduler");
    if (scheduler == nullptr || scheduler->kind != YamlNode::Kind::text) return;
    YamlNode map;
    map.kind = YamlNode::Kind::map;
    map.where = scheduler->where;
    map.entries.push_back({"name", scheduler->where, std::move(*scheduler)});
    *scheduler = std::move(map);
  }

  void read_top_level() {
    for (const YamlEntry& entry : root_.entries)
      if (std::ranges::find(top_level_keys, entry.key) == top_level_keys.end())
        errors_.add(entry.where,
                    unknown_name("key", entry.key, {top_level_keys.begin(), top_level_keys.end()}));

    pipeline_.name = text_at("name").value_or(pipeline_.file.stem().string());
    read_rate();
    read_scheduler();
    read_deployment();
  }

  /// The text of a top-level key; nothing when it is absent or (an error) no text.
  std::optional<std::string> text_at(std::string_view key) {
    const YamlNode* const node = root_.find(key);
    if (node == nullptr) return std::nullopt;
    if (node->kind == YamlNode::Kind::text) return node->text;
    errors_.add(node->where, fmt::format("'{}' must be a text, not {}", key, describe(node->kind)));
    return std::nullopt;
  }

  void read_rate() {
    const std::optional<std::string> text = text_at("rate");
    if (!text) return;
    try {
      pipeline_.required_rate = parse_frequency(*text);
      if (pipeline_.required_rate->hertz <= 0) throw ConfigError("expected more than 0 Hz");
    } catch (const ConfigError& error) {
      errors_.add(root_.find("rate")->where, fmt::format("'rate': {}", error.message()));
    }
  }

  void read_scheduler() {
    const std::optional<Parameters> keys = settings("scheduler", scheduler_keys());
    if (!keys) return;
    if (root_.find("scheduler")->find("name") != nullptr) {
      pipeline_.scheduler = keys->text("name");
      try {
        (void)schedulers::find_scheduler(pipeline_.scheduler);
      } catch (const ConfigError& error) {
        errors_.add(keys->where("name"), error.message());
      }
    }
    pipeline_.seed = static_cast<std::uint64_t>(keys->integer("seed"));
    if (keys->integer("effort") > 0) pipeline_.effort = static_cast<std::uint64_t>(keys->integer("effort"));
  }

  void read_deployment() {
    const std::optional<Parameters> keys = settings("deployment", deployment_keys());
    if (!keys) return;
    pipeline_.deployment.ranks = static_cast<std::size_t>(keys->integer("ranks"));
    pipeline_.deployment.depth = static_cast<std::size_t>(keys->integer("depth"));
    pipeline_.deployment.machine = keys->text("machine");
    // What has a colon describes the machine, everything else is a file.
    const YamlNode* const machine = root_.find("deployment")->find("machine");
    if (machine != nullptr && machine->text.find(':') == std::string::npos)
      pipeline_.deployment.machine = resolve(*machine);
  }

  /// The keys of a top-level mapping; nothing when it is absent or has errors.
  std::optional<Parameters> settings(std::string_view key, const std::vector<ParameterSpec>& specification) {
    const YamlNode* const node = root_.find(key);
    if (node == nullptr) return std::nullopt;
    if (node->kind != YamlNode::Kind::map) {
      errors_.add(node->where, fmt::format("'{}' must be a mapping, not {}", key, describe(node->kind)));
      return std::nullopt;
    }
    return parameters(*node, specification, {}, node->where, fmt::format("'{}'", key));
  }

  void load_plugins() {
    const YamlNode* const plugins = root_.find("plugins");
    if (plugins == nullptr) return;
    if (plugins->kind != YamlNode::Kind::list)
      return errors_.add(plugins->where,
                         fmt::format("'plugins' must be a list of files, not {}", describe(plugins->kind)));
    for (const YamlNode& plugin : plugins->items) {
      try {
        if (plugin.kind != YamlNode::Kind::text)
          throw ConfigError(fmt::format("a plug-in is the name of a file, not {}", describe(plugin.kind)));
        pipeline_.kernels.load_plugin(resolve(plugin));
      } catch (const ConfigError& error) {
        errors_.add(plugin.where, error.message());
      }
    }
  }

  // ---- Values and parameters
  // ---------------------------------------------------------------------------------

  /// A file name: in the file it counts from the file's folder, on the command line from the working
  /// directory.
  [[nodiscard]] std::string resolve(const YamlNode& node) const {
    if (node.is_override) return node.text;
    return (pipeline_.file.parent_path() / node.text).lexically_normal().string();
  }

  /// The entries of a mapping other than the `own_keys` of its kind, checked. Nothing when there was an
  /// error.
  std::optional<Parameters> parameters(const YamlNode& map, const std::vector<ParameterSpec>& specification,
                                       std::initializer_list<std::string_view> own_keys,
                                       const SourceLocation& where, const std::string& owner) {
    const std::size_t errors_before = errors_.messages().size();
    std::map<std::string, Parameters::Value> written;
    std::vector<ParameterSpec> readable = specification;
    for (const YamlEntry& entry : map.entries) {
      if (std::ranges::find(own_keys, entry.key) != own_keys.end()) continue;
      const auto spec = std::ranges::find(specification, entry.key, &ParameterSpec::name);
      const bool is_input = spec != specification.end() && (spec->type == ParameterType::input_file ||
                                                            spec->type == ParameterType::input_files);
      if (auto value = written_value(entry, is_input, owner))
        written.emplace(entry.key, std::move(*value));
      else
        std::erase_if(readable, [&](const ParameterSpec& each) { return each.name == entry.key; });
    }
    Parameters result(readable, std::move(written), where, errors_, owner);
    if (errors_.messages().size() != errors_before) return std::nullopt;
    return result;
  }

  std::optional<Parameters::Value> written_value(const YamlEntry& entry, bool is_input,
                                                 const std::string& owner) {
    const auto text_of = [&](const YamlNode& node) { return is_input ? resolve(node) : node.text; };
    Parameters::Value value{{}, entry.value.kind == YamlNode::Kind::list, entry.value.where, entry.where};
    if (entry.value.kind == YamlNode::Kind::text) {
      value.texts.push_back(text_of(entry.value));
      return value;
    }
    bool is_good = value.is_list;
    for (const YamlNode& item : entry.value.items) {
      is_good = is_good && item.kind == YamlNode::Kind::text;
      value.texts.push_back(text_of(item));
    }
    if (is_good) return value;
    errors_.add(
        entry.value.kind == YamlNode::Kind::nothing ? entry.where : entry.value.where,
        fmt::format("{}: parameter '{}' must be a value or a list of values, not {}", owner, entry.key,
                    value.is_list ? "a list of lists or mappings" : describe(entry.value.kind)));
    return std::nullopt;
  }

  // ---- Stages
  // ------------------------------------------------------------------------------------------------

  void read_section(const Section& section) {
    const YamlNode* const node = root_.find(section.key);
    const bool is_needed = section.kind != StageKind::kernel;
    if (node == nullptr) {
      if (is_needed)
        errors_.add(whole_,
                    fmt::format("the key '{}' is missing: a pipeline needs a {}", section.key, section.noun));
      return;
    }
    if (node->kind != YamlNode::Kind::map || (is_needed && node->entries.empty()))
      return errors_.add(
          node->kind == YamlNode::Kind::nothing ? key_location(section.key) : node->where,
          fmt::format("'{}' must be a mapping from names to {}s, not {}", section.key, section.noun,
                      node->kind == YamlNode::Kind::map ? "an empty one" : describe(node->kind)));
    for (const YamlEntry& entry : node->entries) read_stage(section, entry);
  }

  [[nodiscard]] const SourceLocation& key_location(std::string_view key) const {
    return std::ranges::find(root_.entries, key, &YamlEntry::key)->where;
  }

  void read_stage(const Section& section, const YamlEntry& entry) {
    const std::size_t errors_before = errors_.messages().size();
    Draft draft{.kind = section.kind, .name = entry.key, .where = entry.where};
    if (!is_name(draft.name))
      errors_.add(entry.where,
                  fmt::format("'{}' is no name: names consist of letters, digits, _ and -", draft.name));
    const auto twin = std::ranges::find(drafts_, draft.name, &Draft::name);
    if (twin != drafts_.end())
      errors_.add(entry.where, fmt::format("the name '{}' is taken by the {} at {}", draft.name,
                                           section_of(twin->kind).noun, twin->where.to_string()));
    if (entry.value.kind != YamlNode::Kind::map) {
      errors_.add(entry.value.kind == YamlNode::Kind::nothing ? entry.where : entry.value.where,
                  fmt::format("{} must be a mapping, not {}", draft.title(), describe(entry.value.kind)));
    } else {
      if (section.kind != StageKind::source) read_inputs(entry.value, draft);
      read_type(section, entry.value, draft);
    }
    draft.is_broken = errors_.messages().size() != errors_before;
    if (draft.inputs.empty() && draft.kind != StageKind::source) inputs_are_known_ = false;
    if (twin == drafts_.end()) drafts_.push_back(std::move(draft));
  }

  /// The key `kernel` or `type`, and the parameters that belong to it.
  void read_type(const Section& section, const YamlNode& map, Draft& draft) {
    const std::vector<std::string_view> known = names_of(section.kind);
    const YamlNode* const type = map.find(section.type_key);
    if (type == nullptr)
      return errors_.add(draft.where, fmt::format("{}: the key '{}' is missing (known: {})", draft.title(),
                                                  section.type_key, fmt::join(known, " ")));
    if (type->kind != YamlNode::Kind::text)
      return errors_.add(
          type->kind == YamlNode::Kind::nothing ? draft.where : type->where,
          fmt::format("{}: '{}' must be the name of a {}, not {} (known: {})", draft.title(),
                      section.type_key, section.type_noun, describe(type->kind), fmt::join(known, " ")));
    draft.type = type->text;
    if (std::ranges::find(known, draft.type) == known.end())
      return errors_.add(type->where, fmt::format("{}: {}", draft.title(),
                                                  unknown_name(section.type_noun, draft.type, known)));
    switch (section.kind) {
      case StageKind::source:
        draft.parameters =
            parameters(map, find_source(draft.type)->parameters, {"type"}, draft.where, draft.title());
        return;
      case StageKind::kernel: {
        const KernelKind& kernel = *pipeline_.kernels.find(draft.type);
        draft.parameters =
            parameters(map, kernel.parameters, {"kernel", "input", "inputs"}, draft.where, draft.title());
        check_input_count(kernel, draft);
        return;
      }
      case StageKind::sink:
        draft.parameters =
            parameters(map, find_sink(draft.type)->parameters, {"type", "input"}, draft.where, draft.title());
        if (draft.inputs.size() > 1)
          errors_.add(draft.inputs[1].where,
                      fmt::format("{}: takes 1 input, got {}", draft.title(), draft.inputs.size()));
        return;
    }
  }

  [[nodiscard]] std::vector<std::string_view> names_of(StageKind kind) const {
    std::vector<std::string_view> names;
    if (kind == StageKind::source)
      for (const SourceKind& each : all_sources()) names.push_back(each.name);
    if (kind == StageKind::kernel)
      for (const KernelKind& each : pipeline_.kernels.kinds()) names.push_back(each.name);
    if (kind == StageKind::sink)
      for (const SinkKind& each : all_sinks()) names.push_back(each.name);
    return names;
  }

  /// `input: a`, `input: [a]` and, of tasks, `inputs: [a, b]`.
  void read_inputs(const YamlNode& map, Draft& draft) {
    const YamlNode* input = map.find("input");
    const YamlNode* const inputs = draft.kind == StageKind::kernel ? map.find("inputs") : nullptr;
    if (input != nullptr && inputs != nullptr)
      return errors_.add(inputs->where, fmt::format("{}: has both 'input' and 'inputs': expected one of them",
                                                    draft.title()));
    if (input == nullptr) input = inputs;
    if (input == nullptr)
      return errors_.add(draft.where, fmt::format("{}: the key 'input' is missing", draft.title()));
    std::vector<const YamlNode*> names{input};
    if (input->kind == YamlNode::Kind::list) {
      names.clear();
      for (const YamlNode& item : input->items) names.push_back(&item);
    }
    for (const YamlNode* name : names) {
      if (name->kind == YamlNode::Kind::text)
        draft.inputs.push_back({name->text, name->where, {}});
      else
        errors_.add(name->kind == YamlNode::Kind::nothing ? draft.where : name->where,
                    fmt::format("{}: an input is the name of a source or task, not {}", draft.title(),
                                describe(name->kind)));
    }
    if (names.empty())
      errors_.add(input->where, fmt::format("{}: expected at least one input", draft.title()));
  }

  void check_input_count(const KernelKind& kernel, const Draft& draft) {
    const std::size_t count = draft.inputs.size();
    // None at all has been reported.
    if (count == 0 || count == kernel.inputs || (kernel.more_inputs && count > kernel.inputs)) return;
    errors_.add(
        draft.inputs.back().where,
        fmt::format("{}: kernel '{}' takes {} input{}{}, got {}", draft.title(), kernel.name, kernel.inputs,
                    kernel.inputs == 1 ? "" : "s", kernel.more_inputs ? " or more" : "", count));
  }

  // ---- Connections
  // -------------------------------------------------------------------------------------------

  void connect() {
    std::vector<std::string_view> producers;
    for (const Draft& draft : drafts_)
      if (draft.kind != StageKind::sink) producers.push_back(draft.name);
    for (Draft& draft : drafts_)
      for (Draft::Input& input : draft.inputs) {
        const auto found = std::ranges::find(drafts_, input.name, &Draft::name);
        if (found != drafts_.end() && found->kind != StageKind::sink) {
          input.from = static_cast<std::size_t>(found - drafts_.begin());
          continue;
        }
        errors_.add(input.where,
                    fmt::format("{}: {}", draft.title(),
                                found == drafts_.end()
                                    ? unknown_name("input", input.name, producers)
                                    : fmt::format("'{}' is a sink: nothing comes out of it", input.name)));
        draft.is_broken = true;
        inputs_are_known_ = false;
      }
  }

  /// Puts the drafts in topological order, as near to the file's as it can be, and reports cycles.
  void sort() {
    std::vector<std::size_t> order;
    std::vector<bool> is_done(drafts_.size());
    const auto is_open = [&](const Draft::Input& input) { return input.from && !is_done[*input.from]; };
    const auto is_next = [&](std::size_t i) {
      return !is_done[i] && std::ranges::none_of(drafts_[i].inputs, is_open);
    };
    while (order.size() < drafts_.size()) {
      std::size_t next = 0;
      while (next < drafts_.size() && !is_next(next)) ++next;
      if (next == drafts_.size()) next = break_cycle(is_done);
      is_done[next] = true;
      order.push_back(next);
    }

    std::vector<std::size_t> position(order.size());
    std::vector<Draft> sorted;
    for (std::size_t i = 0; i < order.size(); ++i) position[order[i]] = i;
    for (std::size_t i : order) {
      for (Draft::Input& input : drafts_[i].inputs)
        if (input.from) input.from = position[*input.from];
      sorted.push_back(std::move(drafts_[i]));
    }
    drafts_ = std::move(sorted);
  }

  /// Reports a cycle among the stages that are not done; the first of its stages in the file.
  std::size_t break_cycle(const std::vector<bool>& is_done) {
    // Each of them waits for another one of them, so that walking backwards must meet one again.
    std::size_t at = static_cast<std::size_t>(std::ranges::find(is_done, false) - is_done.begin());
    std::vector<std::size_t> walk;
    while (std::ranges::find(walk, at) == walk.end()) {
      walk.push_back(at);
      for (const Draft::Input& input : drafts_[at].inputs)
        if (input.from && !is_done[*input.from]) {
          at = *input.from;
          break;
        }
    }
    walk.erase(walk.begin(), std::ranges::find(walk, at));
    std::ranges::reverse(walk);
    std::ranges::rotate(walk, std::ranges::min_element(walk));
    std::string text;
    for (std::size_t i : walk) {
      text += drafts_[i].name + " -> ";
      drafts_[i].is_broken = true;
    }
    Draft& first = drafts_[walk.front()];
    errors_.add(first.where,
                fmt::format("the tasks wait for each other in a circle: {}{}", text, first.name));
    return walk.front();
  }

  /// What nobody takes costs time for nothing, and is more likely a slip than meant.
  void check_consumers() {
    if (!inputs_are_known_) return;
    std::vector<bool> is_taken(drafts_.size());
    for (const Draft& draft : drafts_)
      for (const Draft::Input& input : draft.inputs)
        if (input.from) is_taken[*input.from] = true;
    for (std::size_t i = 0; i < drafts_.size(); ++i)
      if (!is_taken[i] && drafts_[i].kind != StageKind::sink)
        errors_.add(
            drafts_[i].where,
            fmt::format("{}: nobody takes its output; name it as the input of a task or a sink (one of type "
                        "null throws it away)",
                        drafts_[i].title()));
  }

  void check_outputs() {
    std::map<std::string, const Draft*> writers;
    for (const Draft& draft : drafts_) {
      if (draft.kind != StageKind::sink || !draft.parameters) continue;
      for (const ParameterSpec& spec : find_sink(draft.type)->parameters) {
        if (spec.type != ParameterType::output_file) continue;
        const std::filesystem::path path = draft.parameters->text(spec.name);
        const auto [other, is_new] = writers.emplace(path.lexically_normal().string(), &draft);
        if (!is_new)
          errors_.add(draft.parameters->where(spec.name),
                      fmt::format("{}: {} writes the file '{}' already", draft.title(),
                                  other->second->title(), path.string()));
      }
    }
  }

  // ---- Types
  // -------------------------------------------------------------------------------------------------

  /// Makes the stage once, to see whether it takes its inputs and what it gives.
  void infer_type(Draft& draft) {
    std::vector<FrameType> inputs;
    for (const Draft::Input& input : draft.inputs) {
      if (!input.from || drafts_[*input.from].is_broken) draft.is_broken = true;
      if (!draft.is_broken) inputs.push_back(drafts_[*input.from].output);
    }
    if (draft.is_broken) return;
    draft.is_broken = true;
    try {
      draft.output = type_of(draft, inputs);
      draft.is_broken = false;
    } catch (const InputError& error) {
      const Draft::Input& input = draft.inputs.at(error.input());
      errors_.add(input.where, fmt::format("{}: {} cannot take '{}': {}", draft.title(), draft.type,
                                           input.name, error.message()));
    } catch (const ConfigError& error) {
      const bool has_place = !error.where().file.empty();
      errors_.add(has_place ? error.where() : draft.where,
                  has_place ? error.message() : fmt::format("{}: {}", draft.title(), error.message()));
    } catch (const std::exception& error) {
      errors_.add(draft.where, fmt::format("{}: {} failed: {}", draft.title(), draft.type, error.what()));
    }
  }

  FrameType type_of(Draft& draft, const std::vector<FrameType>& inputs) const {
    FrameType type;
    switch (draft.kind) {
      case StageKind::source:
        type = find_source(draft.type)->make(*draft.parameters, 0)->type();
        break;
      case StageKind::kernel: {
        const KernelKind& kind = *pipeline_.kernels.find(draft.type);
        const std::unique_ptr<Kernel> kernel = kind.make(*draft.parameters);
        type = kernel->configure(inputs);
        draft.stateless = kind.stateless || kernel->is_stateless();
        break;
      }
      case StageKind::sink:
        (void)find_sink(draft.type)->make(*draft.parameters, inputs.front());
        return inputs.front();
    }
    double bytes = static_cast<double>(size_of(type.element));
    for (const Axis& axis : type.axes) bytes *= static_cast<double>(axis.size);
    if (bytes < 1) throw ConfigError(fmt::format("its frames would be empty: {}", type.to_string()));
    if (bytes > largest_frame)
      throw ConfigError(fmt::format("its frames would exceed 2 GiB: {}", type.to_string()));
    return type;
  }

  static Stage to_stage(Draft& draft) {
    Stage stage{.kind = draft.kind,
                .name = std::move(draft.name),
                .type = std::move(draft.type),
                .parameters = std::move(*draft.parameters),
                .inputs = {},
                .stateless = draft.stateless,
                .output = std::move(draft.output),
                .where = draft.where};
    for (const Draft::Input& input : draft.inputs) stage.inputs.push_back(*input.from);
    return stage;
  }

  /// The file without a line, for what is missing in it.
  SourceLocation whole_;
  YamlNode root_;
  ErrorList errors_;
  std::vector<Draft> drafts_;
  /// Whether all stages say which inputs they take, so that who is left over is known.
  bool inputs_are_known_ = true;
  Pipeline pipeline_;
};

}  // namespace

Pipeline load_pipeline(const std::filesystem::path& file, const std::vector<Override>& overrides) {
  return Loader(file, overrides).load();
}

}  // namespace takt::pipeline
