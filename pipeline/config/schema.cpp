#include "pipeline/config/schema.hpp"

#include <algorithm>
#include <string_view>
#include <vector>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "core/formats/json_text.hpp"
#include "pipeline/config/backlog_keys.hpp"
#include "pipeline/config/place_keys.hpp"
#include "pipeline/config/settings.hpp"
#include "schedulers/registry/registry.hpp"

namespace takt::pipeline {

namespace {

using Json = nlohmann::ordered_json;

bool is_list(ParameterType type) {
  return type == ParameterType::integers || type == ParameterType::texts ||
         type == ParameterType::input_files || type == ParameterType::recordings;
}

/// Adds the title and help that editors show for a key.
Json described(Json schema, std::string_view key, std::string_view description) {
  std::string title(key);
  std::ranges::replace(title, '_', ' ');
  schema["title"] = title;
  schema["description"] = description;
  return schema;
}

/// Plain texts of YAML may look like numbers, booleans or null.
Json text_schema() {
  return {{"type", {"string", "number", "boolean", "null"}}};
}

/// Schema of one value of a parameter; limits apply to values written as numbers.
Json value_schema(const ParameterSpec& spec) {
  Json schema = text_schema();
  switch (spec.type) {
    case ParameterType::boolean:
      return {{"enum", {true, false, "true", "false"}}};
    case ParameterType::integer:
    case ParameterType::number:
      schema = {{"type", spec.type == ParameterType::integer ? "integer" : "number"}};
      if (spec.minimum) schema["minimum"] = *spec.minimum;
      if (spec.maximum) schema["maximum"] = *spec.maximum;
      return schema;
    default:
      break;
  }
  if (spec.choices.empty()) return schema;
  Json choices = Json::array();
  for (const std::string& choice : spec.choices) choices.push_back(choice);
  // The fallback is valid, too.
  if (spec.fallback) choices.push_back(*spec.fallback);
  return {{"enum", std::move(choices)}};
}

Json parameter_schema(const ParameterSpec& spec) {
  Json schema = value_schema(spec);
  if (is_list(spec.type))
    schema = {{"anyOf", {{{"type", "array"}, {"items", text_schema()}}, text_schema()}}};
  return described(std::move(schema), spec.name,
                   spec.fallback && !spec.fallback->empty()
                       ? fmt::format("{} ({}; default: {})", spec.help, name_of(spec.type), *spec.fallback)
                       : fmt::format("{} ({})", spec.help, name_of(spec.type)));
}

Json parameters_schema(const std::vector<ParameterSpec>& specification) {
  Json properties = Json::object(), required = Json::array();
  for (const ParameterSpec& spec : specification) {
    properties[spec.name] = parameter_schema(spec);
    if (!spec.fallback) required.push_back(spec.name);
  }
  return {{"type", "object"},
          {"properties", std::move(properties)},
          {"required", std::move(required)},
          {"additionalProperties", false}};
}

/// A key of a stage that is not a parameter, with its help.
struct OwnKey {
  std::string name;
  Json schema;
};

/// Schema of a section of stages: each kind of stage has its own parameters.
class SectionSchema {
 public:
  /// `type_key` is the key that names the kind, `kernel` or `type`; `stage` is its noun.
  SectionSchema(std::string stage, std::string type_key, std::vector<OwnKey> own_keys,
                std::vector<std::string> required)
      : stage_(std::move(stage)),
        type_key_(std::move(type_key)),
        own_keys_(std::move(own_keys)),
        required_(std::move(required)) {}

  void add(std::string_view name, std::string_view summary, const std::vector<ParameterSpec>& parameters) {
    // In YAML a plain null means the text "null" here.
    Json names = name == "null" ? Json{"null", nullptr} : Json{std::string(name)};
    for (const Json& each : names) names_.push_back(each);
    Json kind = described(parameters_schema(parameters), name, summary);
    for (const OwnKey& key : own_keys_) kind["properties"][key.name] = key.schema;
    kind["properties"][type_key_] = described({{"enum", names}}, type_key_, summary);
    for (const std::string& key : required_) kind["required"].push_back(key);
    Json is_kind = described({{"enum", std::move(names)}}, type_key_, summary);
    kinds_.push_back(
        {{"if", {{"properties", {{type_key_, std::move(is_kind)}}}}}, {"then", std::move(kind)}});
  }

  [[nodiscard]] Json schema(std::string_view section, std::string_view description) const {
    Json kind = described({{"enum", names_}}, type_key_,
                          fmt::format("type of the {}; takt list {} explains them",
                                      type_key_ == "kernel" ? "kernel" : "kind of " + stage_,
                                      type_key_ == "kernel" ? "kernels" : std::string(section)));
    Json stage{{"type", "object"},
               {"properties", {{type_key_, std::move(kind)}}},
               {"required", {type_key_}},
               {"allOf", kinds_}};
    Json all{{"type", "object"},
             {"propertyNames", {{"pattern", "^[A-Za-z0-9_-]+$"}}},
             {"additionalProperties",
              described(std::move(stage), stage_, fmt::format("a {}, with a name of your choice", stage_))}};
    return described(std::move(all), section, description);
  }

 private:
  std::string stage_, type_key_;
  std::vector<OwnKey> own_keys_;
  std::vector<std::string> required_;
  Json names_ = Json::array(), kinds_ = Json::array();
};

Json text_key(std::string_view key, std::string_view description) {
  return described({{"type", "string"}}, key, description);
}

Json backlog_schema() {
  return described(parameters_schema(backlog_keys()), "backlog",
                   "memory and disk in which frames wait for a slow sink or pipeline");
}

Json place_schema() {
  return described(parameters_schema(place_keys()), "place",
                   "where it must run: rank, host, core or NUMA node");
}

Json sources_schema(const KernelRegistry& kernels) {
  Json delay = described({{"type", {"string", "number"}}}, "delay",
                         "delay of this source: its samples are earlier by this time: 1.25 us");
  SectionSchema section(
      "source", "type",
      {{"delay", std::move(delay)}, {"backlog", backlog_schema()}, {"place", place_schema()}}, {});
  for (const SourceKind& kind : kernels.sources()) section.add(kind.name, kind.summary, kind.parameters);
  return section.schema("sources", "sources of frames: name, type and parameters of each");
}

Json sinks_schema(const KernelRegistry& kernels) {
  Json transient = described(parameters_schema(transient_keys()), "transient",
                             "transient buffer: keeps the last frames in memory, and writes them when a "
                             "trigger fires or a user asks");
  SectionSchema section("sink", "type",
                        {{"input", text_key("input", "source or task whose output it writes")},
                         {"backlog", backlog_schema()},
                         {"transient", std::move(transient)},
                         {"place", place_schema()}},
                        {"input"});
  for (const SinkKind& kind : kernels.sinks()) section.add(kind.name, kind.summary, kind.parameters);
  return section.schema("sinks", "sinks of frames: name, type, input and parameters of each");
}

Json tasks_schema(const KernelRegistry& kernels) {
  Json inputs = described({{"type", "array"}, {"items", {{"type", "string"}}}}, "inputs",
                          "sources or tasks whose outputs it combines, in this order");
  SectionSchema section("task", "kernel",
                        {{"input", text_key("input", "source or task whose output it processes")},
                         {"inputs", std::move(inputs)},
                         {"place", place_schema()}},
                        {});
  for (const KernelKind& kind : kernels.kinds()) section.add(kind.name, kind.summary, kind.parameters);
  return section.schema("tasks", "processing of frames: name, kernel, inputs and parameters of each task");
}

Json latency_schema() {
  const Json time{{"type", {"string", "number"}}};
  Json quantiles = Json::object();
  for (const NamedQuantile& quantile : all_quantiles)
    quantiles[std::string(quantile.name)] =
        described(time, quantile.name, "largest latency at this quantile: 20 ms");
  const Json of_quantile{{"type", "object"},
                         {"properties", std::move(quantiles)},
                         {"minProperties", 1},
                         {"maxProperties", 1},
                         {"additionalProperties", false}};
  return described({{"anyOf", {time, of_quantile}}}, "latency",
                   "required latency, of 99 % of the frames (20 ms) or at another quantile ({p50: 20 ms})");
}

Json setting_schema(const SettingKeys& setting) {
  Json schema = parameters_schema(setting.keys);
  if (setting.name == "scheduler") {
    Json names{"", std::string(schedulers::automatic)};
    for (const schedulers::Scheduler& scheduler : schedulers::all_schedulers())
      names.push_back(std::string(scheduler.name));
    Json& name = schema["properties"]["name"];
    const std::string help = name["description"];
    name = described({{"enum", std::move(names)}}, "name", help);
  }
  for (const SettingKeys& inner : setting.inner)
    schema["properties"][std::string(inner.name)] = setting_schema(inner);
  if (setting.is_by_name) schema = {{"type", "object"}, {"additionalProperties", schema}};
  if (setting.has_short_form) schema = {{"anyOf", {schema["properties"]["name"], schema}}};
  return described(std::move(schema), setting.name, setting.summary);
}

}  // namespace

std::string pipeline_schema(const KernelRegistry& kernels) {
  Json properties{{"name", text_key("name", "name of the pipeline; default: the name of the file")},
                  {"plugins", described({{"type", "array"}, {"items", {{"type", "string"}}}}, "plugins",
                                        "shared libraries with further kernels, sources and sinks")},
                  {"rate", described({{"type", {"string", "number"}}}, "rate", "required rate: 50 Hz")},
                  {"latency", latency_schema()},
                  {"sources", sources_schema(kernels)},
                  {"tasks", tasks_schema(kernels)},
                  {"sinks", sinks_schema(kernels)}};
  for (const SettingKeys& setting : all_setting_keys())
    properties[std::string(setting.name)] = setting_schema(setting);
  const Json schema{{"$schema", "http://json-schema.org/draft-07/schema#"},
                    {"title", "takt pipeline"},
                    {"description", "sources, tasks and sinks of a stream, and settings of its run"},
                    {"type", "object"},
                    {"properties", std::move(properties)},
                    {"required", {"sources", "sinks"}},
                    {"additionalProperties", false}};
  return json_text(schema);
}

}  // namespace takt::pipeline
