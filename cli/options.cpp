#include "cli/options.hpp"

#include <algorithm>
#include <filesystem>
#include <iostream>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "core/error.hpp"
#include "core/formats/graph_source.hpp"
#include "core/graphs/core_types.hpp"
#include "core/graphs/generators.hpp"
#include "core/system/text_file.hpp"
#include "schedulers/registry/registry.hpp"

namespace takt::cli {

namespace {

/// Parses an option's text; adds the option's name to a ConfigError.
template <class Parse>
auto parse_value_of(std::string_view option, const std::string& text, Parse parse) {
  try {
    return parse(text);
  } catch (const ConfigError& error) {
    throw ConfigError(fmt::format("{} {}: {}", option, text, error.what()));
  }
}

}  // namespace

std::string choose_format(std::string_view what, const std::string& asked, const std::string& output,
                          std::span<const std::string_view> known) {
  if (!asked.empty()) {
    if (std::ranges::find(known, asked) == known.end())
      throw ConfigError(unknown_name(what, asked, {known.begin(), known.end()}));
    return asked;
  }
  const std::string extension = std::filesystem::path(output).extension().string();
  if (extension.empty() || extension == ".txt") return std::string(known.front());
  if (extension == ".yml") return "yaml";
  for (const std::string_view format : known)
    if (extension.substr(1) == format) return std::string(format);
  throw ConfigError(
      fmt::format("{}: no {} has the name '{}': expected a name that ends with .{}, or --format", output,
                  what, extension.substr(1), fmt::join(known, " .")));
}

Time parse_duration_of(std::string_view option, const std::string& text) {
  return parse_value_of(option, text, parse_duration);
}

Bytes parse_bytes_of(std::string_view option, const std::string& text) {
  return parse_value_of(option, text, parse_bytes);
}

Frequency parse_frequency_of(std::string_view option, const std::string& text) {
  return parse_value_of(option, text, parse_frequency);
}

Time parse_positive_duration(std::string_view option, const std::string& text) {
  const Time time = parse_duration_of(option, text);
  if (time == Time{0})
    throw ConfigError(fmt::format("{} {}: expected a time above 0, for example 10s", option, text));
  return time;
}

Argument& add_machine_option(Command& command, std::string& machine, std::string help) {
  return command.add("--machine", machine, std::move(help)).value("MACHINE");
}

std::optional<std::filesystem::path> named_file(const std::string& name) {
  if (name.empty()) return std::nullopt;
  return name;
}

logp::Machine read_machine(const std::string& text) {
  logp::Machine machine = logp::parse_machine(text);
  if (!text.starts_with("logp:") && !text.starts_with("loglinear:")) return machine;
  std::vector<std::string_view> missing;
  for (const std::string_view cost : {"L", "o", "g"})
    if (text.find(fmt::format(",{}=", cost)) == std::string::npos &&
        text.find(fmt::format(":{}=", cost)) == std::string::npos)
      missing.push_back(cost);
  // Without any of them messages are free, as intended.
  if (!missing.empty() && missing.size() < 3)
    fmt::print(stderr, "takt: note: '{}' does not contain {}, which {} set to 0\n", text,
               fmt::join(missing, " and "), missing.size() == 1 ? "is" : "are");
  return machine;
}

TaskGraph read_graph(const std::string& name) {
  GraphFile file = load_graph_file(name);
  for (const std::string& note : file.notes) fmt::print(stderr, "takt: note: {}\n", note);
  return std::move(file.graph);
}

TaskGraph on_machine(const std::string& name, TaskGraph graph, const logp::Machine& machine) {
  try {
    graph = with_core_types(std::move(graph), machine.platform());
  } catch (const ConfigError& error) {
    throw ConfigError(fmt::format("{}: {}", name, error.what()));
  }
  if (!graph.has_work_table() || graph.work_table_columns() == machine.processor_count()) return graph;
  throw ConfigError(
      fmt::format("{}: the table of works is for {} processors, the machine has {}: expected equal numbers",
                  name, graph.work_table_columns(), machine.processor_count()));
}

Argument& add_format_option(Command& command, std::string& format, std::vector<std::string> formats) {
  format = formats.front();
  std::string help = fmt::format("What to print: {}", fmt::join(formats, ", "));
  return command.add("--format", format, std::move(help)).value("FORMAT").one_of(std::move(formats));
}

Argument& add_output_option(Command& command, std::string& output, std::string help) {
  return command.add("-o,--output", output, std::move(help)).value("FILE");
}

namespace {

/// Adds the options of schedulers for moldable tasks.
void add_moldable_options(Command& command, schedulers::MoldableOptions& options) {
  const char* const group = "Allotment of processors to moldable tasks";
  command
      .number("--mu", options.mu,
              "mcgas: rounding threshold between 0 and 1; smaller values allot more processors per task")
      .value("MU")
      .group(group)
      .fallback("the one of the best guarantee");
  command.number("--bound", options.bound, "mcgas: largest number of processors per task", {.least = 0})
      .value("P")
      .group(group)
      .fallback("that of the best guarantee");
  command
      .number("--guarantee", options.guarantee,
              "mcgas: guarantee a makespan of at most this multiple of the least one; choose the mu with the "
              "shortest schedule",
              {.least = 1})
      .value("RATIO")
      .group(group)
      .excludes({"--mu"});
  command
      .number("--allocations", options.allocations,
              "Number of candidate processor counts per task, evenly spaced on a logarithmic scale",
              {.least = 2})
      .value("COUNT")
      .group(group)
      .fallback("all");
  command
      .add_with("--groups",
                "Placement of groups: ff (first fit), eft (earliest finish), look_ahead (also "
                "considers the successors), or the best of them",
                [&options](const std::string& kind) {
                  options.mapping = kind == "ff"           ? schedulers::GroupMapping::ff
                                    : kind == "eft"        ? schedulers::GroupMapping::eft
                                    : kind == "look_ahead" ? schedulers::GroupMapping::look_ahead
                                                           : schedulers::GroupMapping::best;
                })
      .value("KIND")
      .group(group)
      .one_of({"best", "ff", "eft", "look_ahead"})
      .fallback("best");
  command
      .add_with("--left-work",
                "mcgas: work that the guarantee allows beyond rounding: used for the critical path, or "
                "unused as in the paper",
                [&options](const std::string& kind) {
                  options.left_work =
                      kind == "unused" ? schedulers::LeftWork::stays : schedulers::LeftWork::is_used;
                })
      .value("KIND")
      .group(group)
      .one_of({"used", "unused"})
      .fallback("used");
}

}  // namespace

void add_scheduler_options(Command& command, schedulers::Options& options) {
  command.number("--seed", options.seed, "Seed of randomised schedulers")
      .fallback(fmt::format("{}", options.seed));
  command
      .number("--effort", options.effort, "Number of steps of search schedulers; default: their own",
              {.least = 0})
      .value("STEPS");
  command
      .add_with("--merging",
                "How clusters are merged onto fewer processors: by load, by communication, or the best of "
                "both",
                [&options](const std::string& kind) {
                  options.merging = kind == "load"            ? schedulers::ClusterMerging::load
                                    : kind == "communication" ? schedulers::ClusterMerging::communication
                                                              : schedulers::ClusterMerging::best;
                })
      .value("KIND")
      .one_of({"best", "load", "communication"})
      .fallback("best");
  command
      .add_with("--mapping", "How schedules are mapped onto a network; none: no mapping",
                [&options](const std::string& kind) {
                  const auto& names = schedulers::network_mapping_names;
                  options.mapping =
                      static_cast<schedulers::NetworkMapping>(std::ranges::find(names, kind) - names.begin());
                })
      .value("KIND")
      .one_of({schedulers::network_mapping_names.begin(), schedulers::network_mapping_names.end()})
      .fallback("best");
  add_moldable_options(command, options.moldable);
}

void check_output(const std::string& output, const std::vector<std::string>& inputs) {
  expect_writable(output);
  for (const std::string& input : inputs) {
    std::error_code is_no_file;
    if (std::filesystem::is_regular_file(input, is_no_file) &&
        std::filesystem::equivalent(input, output, is_no_file))
      throw ConfigError(fmt::format("--output {}: this is an input file: expected another name", output));
  }
}

void write_output(const std::string& file, std::string_view text) {
  // Devices and pipes are not replaced.
  std::error_code is_no_file;
  const bool existed = std::filesystem::is_regular_file(file, is_no_file);
  write_text_file(file, text);
  if (existed) std::cerr << fmt::format("takt: replaced the existing {}\n", file);
}

void print_or_write(const std::string& text, const std::string& file) {
  if (file.empty())
    std::cout << text;
  else
    write_output(file, text);
}

void add_graph_note(Command& command) {
  std::vector<std::string_view> extensions, generators;
  for (const GraphFormat& format : all_graph_formats()) extensions.push_back(format.extension);
  for (const Generator& generator : all_generators()) generators.push_back(generator.name);
  command.note(fmt::format(
      "GRAPH is a file ({}), - for a file on standard input, or a generator with its parameters, such as "
      "fft:depth=4,cost=1..100,seed=7,data=10. Generators (takt list graphs explains them): {}.",
      fmt::join(extensions, " "), fmt::join(generators, " ")));
}

void add_machine_note(Command& command) {
  command.note(
      "MACHINE is a file (.yaml), one of a file's profiles (FILE:PROFILE), or one of\n  logp:P=3,L=1,o=1,g=2 "
      "             latency, overhead, gap of any message\n  loglinear:P=3,L=1+1,o=1+1,g=2+2   constant + "
      "per unit of data\n  delay:P=4                         an edge costs its size between processors\n     "
      "                               and occupies no processor\n  contention:P=4                    the "
      "same, but a processor receives one\n                                   message at a time; "
      "channel=both: and\n                                   sends one at a time\nL, o and g default to 0. "
      "All accept speed=1/1/2 (speeds of the processors) and network=mesh:4x4,link=1+0.5 (links between "
      "them).");
}

std::vector<std::string> scheduler_names() {
  std::vector<std::string> names;
  for (const schedulers::Scheduler& scheduler : schedulers::all_schedulers())
    names.emplace_back(scheduler.name);
  return names;
}

}  // namespace takt::cli
