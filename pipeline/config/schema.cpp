#include "pipeline/config/schema.hpp"

#include <string_view>
#include <vector>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "core/formats/json_text.hpp"
#include "pipeline/config/backlog_keys.hpp"
#include "pipeline/config/settings.hpp"
#include "schedulers/registry/registry.hpp"

namespace takt::pipeline {

namespace {

using Json = nlohmann::ordered_json;

bool is_list(ParameterType type) {
  return type == ParameterType::integers || type == ParameterType::texts ||
         type == ParameterType::input_files;
}

/// YAML's plain texts may look like numbers, or like nothing.
Json text_schema() {
  return {{"type", {"string", "number", "boolean", "null"}}};
}

/// One value of a parameter; limits are checked of what is written as a number.
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
  // The fallback may be written, too.
  if (spec.fallback) choices.push_back(*spec.fallback);
  return {{"enum", std::move(choices)}};
}

Json parameter_schema(const ParameterSpec& spec) {
  Json schema = value_schema(spec);
  if (is_list(spec.type))
    schema = {{"anyOf", {{{"type", "array"}, {"items", text_schema()}}, text_schema()}}};
  schema["description"] =
      spec.fallback && !spec.fallback->empty()
          ? fmt::format("{} ({}; default: {})", spec.help, name_of(spec.type), *spec.fallback)
          : fmt::format("{} ({})", spec.help, name_of(spec.type));
  return schema;
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

/// The stages of a section: for each kind of stage its own parameters.
class SectionSchema {
 public:
  /// `type_key` is the key that names the kind: `kernel`, or `type`.
  SectionSchema(std::string type_key, Json own_keys, std::vector<std::string> required)
      : type_key_(std::move(type_key)), own_keys_(std::move(own_keys)), required_(std::move(required)) {}

  void add(std::string_view name, std::string_view summary, const std::vector<ParameterSpec>& parameters) {
    Json kind = parameters_schema(parameters);
    for (const auto& [key, schema] : own_keys_.items()) kind["properties"][key] = schema;
    kind["properties"][type_key_] = {{"const", std::string(name)}, {"description", std::string(summary)}};
    for (const std::string& key : required_) kind["required"].push_back(key);
    // A plain null is the text "null" there.
    Json names = name == "null" ? Json{"null", nullptr} : Json{std::string(name)};
    if (name == "null") kind["properties"][type_key_] = {{"enum", names}};
    for (const Json& each : names) names_.push_back(each);
    kinds_.push_back(
        {{"if", {{"properties", {{type_key_, {{"enum", std::move(names)}}}}}}}, {"then", std::move(kind)}});
  }

  [[nodiscard]] Json schema() const {
    return {{"type", "object"},
            {"propertyNames", {{"pattern", "^[A-Za-z0-9_-]+$"}}},
            {"additionalProperties",
             {{"type", "object"},
              {"properties", {{type_key_, {{"enum", names_}}}}},
              {"required", {type_key_}},
              {"allOf", kinds_}}}};
  }

 private:
  std::string type_key_;
  Json own_keys_;
  std::vector<std::string> required_;
  Json names_ = Json::array(), kinds_ = Json::array();
};

Json sources_schema(const KernelRegistry& kernels) {
  SectionSchema section("type",
                        {{"delay",
                          {{"description", "what it receives belongs to a time so much earlier: 1.25 us"},
                           {"type", {"string", "number"}}}},
                         {"backlog", parameters_schema(backlog_keys())}},
                        {});
  for (const SourceKind& kind : kernels.sources()) section.add(kind.name, kind.summary, kind.parameters);
  return section.schema();
}

Json sinks_schema(const KernelRegistry& kernels) {
  SectionSchema section("type",
                        {{"input", {{"type", "string"}, {"description", "whose output it takes"}}},
                         {"backlog", parameters_schema(backlog_keys())},
                         {"transient", parameters_schema(transient_keys())}},
                        {"input"});
  for (const SinkKind& kind : kernels.sinks()) section.add(kind.name, kind.summary, kind.parameters);
  return section.schema();
}

Json tasks_schema(const KernelRegistry& kernels) {
  const Json inputs{{"type", "array"}, {"items", {{"type", "string"}}}};
  SectionSchema section(
      "kernel",
      {{"input", {{"type", "string"}, {"description", "whose output it takes"}}}, {"inputs", inputs}}, {});
  for (const KernelKind& kind : kernels.kinds()) section.add(kind.name, kind.summary, kind.parameters);
  return section.schema();
}

Json setting_schema(const SettingKeys& setting) {
  Json schema = parameters_schema(setting.keys);
  if (setting.name == "scheduler") {
    Json names{"", std::string(schedulers::automatic)};
    for (const schedulers::Scheduler& scheduler : schedulers::all_schedulers())
      names.push_back(std::string(scheduler.name));
    schema["properties"]["name"] = {{"enum", std::move(names)}};
  }
  for (const SettingKeys& inner : setting.inner)
    schema["properties"][std::string(inner.name)] = setting_schema(inner);
  if (setting.has_short_form) schema = {{"anyOf", {schema["properties"]["name"], schema}}};
  schema["description"] = setting.summary;
  return schema;
}

}  // namespace

std::string pipeline_schema(const KernelRegistry& kernels) {
  Json properties{
      {"name", {{"description", "of the pipeline; the file's name by default"}, {"type", "string"}}},
      {"plugins",
       {{"description", "shared libraries with kernels"},
        {"type", "array"},
        {"items", {{"type", "string"}}}}},
      {"rate", {{"description", "the rate that must be held: 50 Hz"}, {"type", {"string", "number"}}}},
      {"sources", sources_schema(kernels)},
      {"tasks", tasks_schema(kernels)},
      {"sinks", sinks_schema(kernels)}};
  for (const SettingKeys& setting : all_setting_keys())
    properties[std::string(setting.name)] = setting_schema(setting);
  const Json schema{{"$schema", "http://json-schema.org/draft-07/schema#"},
                    {"title", "takt pipeline"},
                    {"type", "object"},
                    {"properties", std::move(properties)},
                    {"required", {"sources", "sinks"}},
                    {"additionalProperties", false}};
  return json_text(schema);
}

}  // namespace takt::pipeline
