#include <algorithm>
#include <array>
#include <cctype>
#include <chrono>
#include <functional>
#include <iostream>
#include <memory>

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <nlohmann/json.hpp>

#include "cli/command.hpp"
#include "cli/help.hpp"
#include "cli/options.hpp"
#include "core/error.hpp"
#include "core/formats/graph_source.hpp"
#include "core/formats/json_text.hpp"
#include "core/graphs/generators.hpp"
#include "core/pictures/text_fill.hpp"
#include "core/pictures/text_table.hpp"
#include "pipeline/config/schema.hpp"
#include "pipeline/kernel.hpp"
#include "pipeline/planning/run_cache.hpp"
#include "pipeline/planning/run_plan.hpp"
#include "pipeline/protocol/figures.hpp"
#include "pipeline/stages/header_tables.hpp"
#include "pipeline/stages/recordings.hpp"
#include "schedulers/registry/registry.hpp"

namespace takt::cli {

namespace {

struct Parameter {
  std::string name, type;
  /// The default value; "required" if there is none.
  std::string fallback;
  std::string help;
  bool may_change = false;

  [[nodiscard]] std::string full_help() const {
    return help + (may_change ? "; may change while it runs" : "");
  }
};

/// One line of a list.
struct ListEntry {
  std::string name;
  /// Sub-category: a scheduler's family, a format's extension.
  std::string kind;
  std::string summary;
  std::vector<Parameter> parameters = {};
};

struct Category {
  std::string_view name;
  std::string_view summary;
  /// Heading of ListEntry::kind.
  std::string_view kind;
  /// `kernels` holds the built-in kernels and those of the plug-ins on the command line.
  std::vector<ListEntry> (*entries)(const pipeline::KernelRegistry& kernels);
  /// Headings of Parameter::name and Parameter::type on a reference page.
  std::string_view parameter = "parameter", type = "type";
  /// Makes the table of a reference page, if that is not a section for each entry.
  std::string (*table)(const std::vector<ListEntry>& entries) = nullptr;
};

/// Escapes bars, which would end the cell.
std::string markdown_cell(std::string text) {
  for (std::size_t at = 0; (at = text.find('|', at)) != std::string::npos; at += 2) text.insert(at, 1, '\\');
  return text;
}

std::string markdown_row(const std::vector<std::string>& cells) {
  std::string row = "|";
  for (const std::string& cell : cells)
    row += cell.empty() ? " |" : fmt::format(" {} |", markdown_cell(cell));
  return row + '\n';
}

/// The arguments and options of each command; their type is the heading under which help shows them.
std::vector<ListEntry> commands(const pipeline::KernelRegistry&) {
  std::vector<ListEntry> entries;
  for (const Command& command : all_commands()) {
    ListEntry entry{command.name(), "", command.summary()};
    for (const Argument& each : command.arguments()) {
      if (!each.is_option())
        entry.kind += fmt::format(fmt::runtime(each.is_required() ? "{}{}" : "{}[{}]"),
                                  entry.kind.empty() ? "" : " ", synopsis(each));
      entry.parameters.push_back({synopsis(each), each.is_option() ? each.group_name() : "Arguments",
                                  each.is_required() ? "required" : each.fallback_text(), each.help()});
    }
    entries.push_back(std::move(entry));
  }
  return entries;
}

/// Returns `--output` of `-o, --output FILE`.
std::string long_name(const std::string& option) {
  const std::size_t begin = option.find("--");
  return option.substr(begin, option.find_first_of(" [", begin) - begin);
}

/// Returns `--seed` (1), ... by group, the groups in the order of help.
std::string options_of(const ListEntry& entry) {
  std::vector<std::pair<std::string, std::string>> groups;
  for (const Parameter& each : entry.parameters) {
    if (!each.name.starts_with('-')) continue;
    auto group = std::ranges::find(groups, each.type, &std::pair<std::string, std::string>::first);
    if (group == groups.end()) group = groups.insert(groups.end(), {each.type, ""});
    group->second += fmt::format("{}`{}`", group->second.empty() ? "" : ", ", long_name(each.name));
    if (!each.fallback.empty()) group->second += fmt::format(" ({})", each.fallback);
  }
  std::string text;
  for (const auto& [name, options] : groups)
    text +=
        fmt::format("{}{}{}", text.empty() ? "" : "; ", name == "Options" ? "" : "*" + name + "*: ", options);
  return text;
}

/// A row for each command: its arguments, its purpose, and its options with their defaults by group.
std::string commands_to_markdown(const std::vector<ListEntry>& entries) {
  std::string text = "| command | purpose | options |\n|---|---|---|\n";
  for (const ListEntry& entry : entries)
    text += markdown_row({fmt::format("`takt {}{}{}`", entry.name, entry.kind.empty() ? "" : " ", entry.kind),
                          entry.summary, options_of(entry)});
  return text;
}

std::vector<Parameter> parameters_of(const std::vector<pipeline::ParameterSpec>& specifications) {
  std::vector<Parameter> parameters;
  for (const pipeline::ParameterSpec& each : specifications) {
    std::string help = each.help;
    if (!each.choices.empty()) help += fmt::format(" ({})", fmt::join(each.choices, ", "));
    parameters.push_back({each.name, std::string(pipeline::name_of(each.type)),
                          each.fallback.value_or("required"), help, each.may_change});
  }
  return parameters;
}

std::vector<ListEntry> schedulers(const pipeline::KernelRegistry&) {
  std::vector<ListEntry> entries;
  for (const auto& each : takt::schedulers::all_schedulers())
    entries.push_back({std::string(each.name), std::string(each.family), std::string(each.summary)});
  return entries;
}

std::vector<ListEntry> kernels(const pipeline::KernelRegistry& kernels) {
  std::vector<ListEntry> entries;
  for (const auto& each : kernels.kinds())
    entries.push_back(
        {each.name, each.stateless ? "stateless" : "stateful", each.summary, parameters_of(each.parameters)});
  return entries;
}

/// Sources and sinks have the same table.
template <class Kinds>
std::vector<ListEntry> ends(const Kinds& kinds) {
  std::vector<ListEntry> entries;
  for (const auto& each : kinds)
    entries.push_back(
        {std::string(each.name), "", std::string(each.summary), parameters_of(each.parameters)});
  return entries;
}

std::vector<ListEntry> sources(const pipeline::KernelRegistry& registry) {
  return ends(registry.sources());
}

std::vector<ListEntry> sinks(const pipeline::KernelRegistry& registry) {
  return ends(registry.sinks());
}

std::vector<ListEntry> listed_formats(const pipeline::KernelRegistry&) {
  std::vector<ListEntry> entries;
  for (const GraphFormat& each : all_graph_formats())
    entries.push_back({std::string(each.name), std::string(each.extension), std::string(each.summary)});
  entries.push_back({"svg", ".svg", "a picture; output only"});
  return entries;
}

std::vector<ListEntry> recordings(const pipeline::KernelRegistry&) {
  std::vector<ListEntry> entries;
  for (const pipeline::RecordingFormat& each : pipeline::recording_formats())
    entries.push_back({std::string(each.name), std::string(each.extension), std::string(each.summary)});
  return entries;
}

std::vector<ListEntry> keywords(const pipeline::KernelRegistry&) {
  std::vector<ListEntry> entries;
  for (const sensors::HeaderKeywords* each : pipeline::all_header_keywords()) {
    ListEntry entry{std::string(each->format), std::string(each->page),
                    fmt::format("{} keywords", each->rows.size())};
    for (const sensors::HeaderKeyword& row : each->rows)
      entry.parameters.push_back(
          {std::string(row.name), std::string(name_of(row.use)), "", std::string(row.meaning)});
    entries.push_back(std::move(entry));
  }
  return entries;
}

std::vector<ListEntry> report_figures(const pipeline::KernelRegistry&) {
  std::vector<ListEntry> entries;
  for (const pipeline::Figure& each : pipeline::figure_table)
    if (!each.key.empty())
      entries.push_back({std::string(place_of(each.scope)) + std::string(each.key),
                         std::string(name_of(shown_unit(each))), std::string(each.help)});
  return entries;
}

std::vector<ListEntry> metrics(const pipeline::KernelRegistry&) {
  std::vector<ListEntry> entries;
  for (const pipeline::Metric& each : pipeline::all_metrics())
    entries.push_back({std::string(each.name), std::string(each.type),
                       each.help + (each.labels.empty() ? "" : fmt::format(" Labels: {}.", each.labels))});
  return entries;
}

std::vector<ListEntry> graphs(const pipeline::KernelRegistry&) {
  std::vector<ListEntry> entries;
  for (const Generator& each : all_generators()) {
    ListEntry entry{std::string(each.name), "", std::string(each.summary)};
    for (const auto& parameters : {each.parameters, weight_parameters()})
      for (const GeneratorParameter& parameter : parameters)
        entry.parameters.push_back({std::string(parameter.name), "", std::string(parameter.fallback),
                                    std::string(parameter.summary)});
    entries.push_back(std::move(entry));
  }
  return entries;
}

/// Returns `3 h`: the age in the largest unit that fits.
std::string age_text(Time age) {
  using namespace std::chrono;
  if (age >= hours{48}) return fmt::format("{} days", duration_cast<hours>(age).count() / 24);
  if (age >= hours{2}) return fmt::format("{} h", duration_cast<hours>(age).count());
  return fmt::format("{} min", duration_cast<minutes>(age).count());
}

std::string summary_of(const pipeline::RunCache::Entry& entry) try {
  if (entry.kind != pipeline::Kept::plan) return entry.pipeline;
  const pipeline::RunPlan plan = pipeline::shared_plan_from_text(entry.text).summary;
  return fmt::format("{}: {}, {} predicted", entry.pipeline, pipeline::names_of({&plan}).front(),
                     to_string(Frequency{plan.predicted_hz}));
} catch (const ConfigError&) {
  return entry.pipeline;
}

std::vector<ListEntry> kept_values(const pipeline::KernelRegistry&) {
  std::vector<ListEntry> entries;
  for (const pipeline::RunCache::Entry& entry : pipeline::RunCache().entries())
    entries.push_back(
        {pipeline::RunCache::file_name(entry.kind, entry.key), age_text(entry.age), summary_of(entry)});
  return entries;
}

constexpr std::array categories{
    Category{"commands", "of takt, with their options", "arguments", commands, "option", "group",
             commands_to_markdown},
    Category{"schedulers", "for takt plan, takt compare and a pipeline's scheduler", "family", schedulers},
    Category{"kernels", "for the tasks of a pipeline", "state", kernels},
    Category{"sources", "for the sources of a pipeline", "", sources},
    Category{"sinks", "for the sinks of a pipeline", "", sinks},
    Category{"formats", "of task graph files", "extension", listed_formats},
    Category{"recordings", "of frames in files, which takt view shows", "extension", recordings},
    Category{"keywords", "header keywords of recordings and packets, and how takt uses them", "page",
             keywords, "keyword", "use"},
    Category{"figures", "of a report, by their keys in its JSON", "unit", report_figures},
    Category{"metrics", "of a run, for Prometheus", "type", metrics},
    Category{"graphs", "generators of task graphs", "", graphs},
    Category{"cache", "costs, links and plans of earlier runs; calls and messages of C programs", "age",
             kept_values},
};

const Category& find_category(std::string_view name) {
  std::vector<std::string_view> known;
  for (const Category& category : categories) {
    if (category.name == name) return category;
    known.push_back(category.name);
  }
  throw ConfigError(unknown_name("category", name, std::move(known)));
}

std::string entries_to_text(const Category& category, const std::vector<ListEntry>& entries) {
  std::vector<TextTable::Column> columns{{"name"}};
  if (!category.kind.empty()) columns.push_back({std::string(category.kind)});
  columns.push_back({.name = "what", .is_prose = true});
  TextTable table(std::move(columns));
  for (const ListEntry& entry : entries) {
    std::vector<std::string> row{entry.name};
    if (!category.kind.empty()) row.push_back(entry.kind);
    row.push_back(entry.summary);
    table.add(std::move(row));
  }
  return fmt::format("{}: {}\n{}", category.name, category.summary, table.to_text(2));
}

std::string entry_to_text(const ListEntry& entry) {
  std::string text = fill(fmt::format("{}: {}", entry.name, entry.summary), text_columns) + '\n';
  if (entry.parameters.empty()) return text;
  const bool has_types = std::any_of(entry.parameters.begin(), entry.parameters.end(),
                                     [](const Parameter& p) { return !p.type.empty(); });
  std::vector<TextTable::Column> columns{{"parameter"}};
  if (has_types) columns.push_back({"type"});
  columns.push_back({"default"});
  columns.push_back({.name = "what", .is_prose = true});
  TextTable table(std::move(columns));
  for (const Parameter& parameter : entry.parameters) {
    std::vector<std::string> row{parameter.name};
    if (has_types) row.push_back(parameter.type);
    row.insert(row.end(), {parameter.fallback.empty() ? "-" : parameter.fallback, parameter.full_help()});
    table.add(std::move(row));
  }
  return text + table.to_text(2);
}

/// A section of a reference page: heading, summary, and a table with a row for each parameter or keyword. A
/// star marks what may change while a pipeline runs; columns that are empty throughout are left out.
std::string entry_to_markdown(const Category& category, const ListEntry& entry) {
  std::string text = fmt::format("## {}\n\n{}.\n", entry.name, entry.summary);
  if (entry.parameters.empty()) return text;
  const bool has_types =
      std::ranges::any_of(entry.parameters, [](const Parameter& p) { return !p.type.empty(); });
  const bool has_defaults =
      std::ranges::any_of(entry.parameters, [](const Parameter& p) { return !p.fallback.empty(); });
  std::vector<std::string> heading{std::string(category.parameter)};
  if (has_types) heading.emplace_back(category.type);
  if (has_defaults) heading.emplace_back("default");
  heading.emplace_back("meaning");
  text += '\n' + markdown_row(heading) + '|';
  for (std::size_t i = 0; i < heading.size(); ++i) text += "---|";
  text += '\n';
  for (const Parameter& each : entry.parameters) {
    std::vector<std::string> row{fmt::format("`{}`{}", each.name, each.may_change ? " *" : "")};
    if (has_types) row.push_back(each.type);
    if (has_defaults)
      row.push_back(each.fallback.empty() || each.fallback == "required"
                        ? each.fallback
                        : fmt::format("`{}`", each.fallback));
    row.push_back(each.help);
    text += markdown_row(row);
  }
  return text;
}

/// A table of a reference page, for entries without parameters.
std::string entries_to_markdown(const Category& category, const std::vector<ListEntry>& entries) {
  const std::string_view kind = category.kind.empty() ? "kind" : category.kind;
  std::string text = fmt::format("| name | {} | meaning |\n|---|---|---|\n", kind);
  for (const ListEntry& entry : entries)
    text += fmt::format("| `{}` | {} | {} |\n", entry.name, entry.kind, entry.summary);
  return text;
}

std::string to_markdown(const Category& category, const std::vector<ListEntry>& entries) {
  if (category.table != nullptr && entries.size() > 1) return category.table(entries);
  if (std::ranges::all_of(entries, [](const ListEntry& entry) { return entry.parameters.empty(); }))
    return entries_to_markdown(category, entries);
  std::string text;
  for (const ListEntry& entry : entries)
    text += (text.empty() ? "" : "\n") + entry_to_markdown(category, entry);
  return text;
}

nlohmann::ordered_json to_json(const Category& category, const std::vector<ListEntry>& entries) {
  auto list = nlohmann::ordered_json::array();
  for (const ListEntry& entry : entries) {
    nlohmann::ordered_json object{{"name", entry.name}};
    if (!category.kind.empty()) object[std::string(category.kind)] = entry.kind;
    object["summary"] = entry.summary;
    auto parameters = nlohmann::ordered_json::array();
    for (const Parameter& each : entry.parameters) {
      nlohmann::ordered_json parameter{{"name", each.name}};
      if (!each.type.empty()) parameter["type"] = each.type;
      parameter["default"] = each.fallback;
      parameter["help"] = each.full_help();
      parameters.push_back(std::move(parameter));
    }
    if (!parameters.empty()) object["parameters"] = std::move(parameters);
    list.push_back(std::move(object));
  }
  return list;
}

struct ListArguments {
  std::string category, name, format = "table";
  std::vector<std::string> plugins;
  bool schema = false;
};

/// Returns the entry of that name, or all entries without a name.
std::vector<ListEntry> selected(const Category& category, const std::string& name,
                                const pipeline::KernelRegistry& kernels) {
  std::vector<ListEntry> entries = category.entries(kernels);
  if (name.empty()) return entries;
  std::vector<std::string_view> known;
  for (ListEntry& entry : entries) {
    if (entry.name == name) return {std::move(entry)};
    known.push_back(entry.name);
  }
  // Formats have the case of their specification: SIGPROC.
  const auto lower = [](unsigned char letter) { return std::tolower(letter); };
  for (ListEntry& entry : entries)
    if (std::ranges::equal(entry.name, name, {}, lower, lower)) return {std::move(entry)};
  const std::string_view singular = category.name.substr(0, category.name.size() - 1);
  throw ConfigError(unknown_name(singular, name, std::move(known)));
}

void list(const ListArguments& arguments) {
  std::vector<const Category*> shown;
  for (const Category& each : categories)
    if (arguments.category.empty()) shown.push_back(&each);
  if (!arguments.category.empty()) shown.push_back(&find_category(arguments.category));
  auto registry = pipeline::KernelRegistry::with_built_in_kernels();
  for (const std::string& plugin : arguments.plugins) registry.load_plugin(plugin);

  if (arguments.schema) {
    std::cout << pipeline::pipeline_schema(registry);
    return;
  }
  if (arguments.format == "json") {
    nlohmann::ordered_json object;
    for (const Category* each : shown)
      object[std::string(each->name)] = to_json(*each, selected(*each, arguments.name, registry));
    std::cout << json_text(object);
    return;
  }
  if (arguments.format == "markdown") {
    for (const Category* each : shown)
      std::cout << (each == shown.front() ? "" : "\n")
                << to_markdown(*each, selected(*each, arguments.name, registry));
    return;
  }
  if (!arguments.name.empty()) {
    std::cout << entry_to_text(selected(*shown.front(), arguments.name, registry).front());
    return;
  }
  for (const Category* each : shown)
    std::cout << (each == shown.front() ? "" : "\n") << entries_to_text(*each, selected(*each, {}, registry));
}

}  // namespace

void declare_list(Command& command) {
  auto arguments = std::make_shared<ListArguments>();
  std::vector<std::string> names;
  for (const Category& category : categories) names.emplace_back(category.name);
  command.add("category", arguments->category, fmt::format("One of {}; default: all", fmt::join(names, ", ")))
      .value("CATEGORY")
      .suggest(std::move(names));
  Argument& name =
      command.add("name", arguments->name, "Describe this one, with its parameters").value("NAME");
  const auto kernels = pipeline::KernelRegistry::with_built_in_kernels();
  for (const Category& category : categories) {
    // The declarations of all commands include this one.
    std::vector<std::string> entries;
    if (category.name == "commands")
      entries = command_names();
    else
      for (const ListEntry& entry : category.entries(kernels)) entries.push_back(entry.name);
    name.suggest_after(std::string(category.name), std::move(entries));
  }
  add_format_option(command, arguments->format, {"table", "json", "markdown"});
  command
      .add("--plugin", arguments->plugins,
           "Shared library whose kernels, sources and sinks are listed as well")
      .value("FILE");
  command
      .flag("--schema", arguments->schema,
            "Print the JSON schema of pipeline files instead, for editors, including --plugin")
      .excludes({"--format"});
  command.example("takt list schedulers");
  command.example("takt list graphs layered");
  command.example("takt list kernels fft");
  command.example("takt list commands plan");
  command.example("takt list sinks hdf5 --format markdown");
  command.example("takt list kernels --plugin build/libgain.so");
  command.example("takt list --schema > pipeline.schema.json");
  command.does([arguments] {
    list(*arguments);
    return 0;
  });
}

}  // namespace takt::cli
