#include "cli/options.hpp"

#include <algorithm>
#include <filesystem>
#include <iostream>
#include <vector>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "core/error.hpp"
#include "core/formats/graph_source.hpp"
#include "core/generators.hpp"
#include "core/text_file.hpp"

namespace takt::cli {

void expect_known(std::string_view what, std::string_view value,
                  std::initializer_list<std::string_view> known) {
  if (std::find(known.begin(), known.end(), value) == known.end())
    throw ConfigError(unknown_name(what, value, known));
}

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
  throw ConfigError(fmt::format("{}: no {} is called '{}', expected a name that ends with .{}, or --format",
                                output, what, extension.substr(1), fmt::join(known, " .")));
}

Time parse_positive_duration(std::string_view option, const std::string& text) {
  const Time time = parse_duration(text);
  if (time == Time{0}) throw ConfigError(fmt::format("{} {}: expected more, for example 10s", option, text));
  return time;
}

void add_graph_argument(CLI::App& command, std::string& graph) {
  command.add_option("graph", graph, "Task graph: a file or a generator")->required()->type_name("GRAPH");
}

CLI::Option* add_machine_option(CLI::App& command, std::string& machine) {
  return command.add_option("--machine", machine, "Machine to schedule for: a file or its parameters")
      ->type_name("MACHINE");
}

void add_scheduler_options(CLI::App& command, schedulers::Options& options) {
  command.add_option("--seed", options.seed, "Seed of schedulers that draw lots")
      ->type_name("NUMBER")
      ->capture_default_str();
  command
      .add_option("--effort", options.effort, "Steps of schedulers that search, instead of their own number")
      ->type_name("STEPS");
  auto set_merging = [&options](const std::string& kind) {
    expect_known("kind of merging", kind, {"best", "load", "communication"});
    options.merging = kind == "load"            ? schedulers::ClusterMerging::load
                      : kind == "communication" ? schedulers::ClusterMerging::communication
                                                : schedulers::ClusterMerging::best;
  };
  command
      .add_option_function<std::string>(
          "--merging", set_merging,
          "How clusters come to fewer processors: load, communication, or the best of both")
      ->type_name("KIND")
      ->default_str("best");
}

void print_or_write(const std::string& text, const std::string& file) {
  if (file.empty())
    std::cout << text;
  else
    write_text_file(file, text);
}

std::string graph_help() {
  std::string text = "GRAPH is a file (";
  for (const GraphFormat& format : all_graph_formats()) text += fmt::format("{} ", format.extension);
  text.back() = ')';
  text +=
      ", - for a file on standard input,\nor a generator with its parameters, such "
      "as\nfft:depth=4,cost=1..100,seed=7,data=10. Generators (see "
      "takt list graphs):\n ";
  std::size_t column = 1;
  for (const Generator& generator : all_generators()) {
    if (column + generator.name.size() > 100) {
      text += "\n ";
      column = 1;
    }
    text += fmt::format(" {}", generator.name);
    column += generator.name.size() + 1;
  }
  return text + "\n\n";
}

std::string machine_help() {
  return "MACHINE is a file (.yaml) or one of\n"
         "  logp:P=3,L=1,o=1,g=2                 latency, overhead and gap whatever a message's size\n"
         "  loglinear:P=3,L=1+1,o=1+1,g=2+2      constant + per unit of data\n"
         "  delay:P=4                            an edge costs its size between processors, occupies nobody\n"
         "each also with speed=1/1/2, the processors' speeds.\n\n";
}

}  // namespace takt::cli
