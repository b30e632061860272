#include "core/formats/graph_source.hpp"

#include <algorithm>
#include <array>
#include <cctype>
#include <filesystem>
#include <iostream>
#include <iterator>
#include <utility>
#include <vector>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "core/error.hpp"
#include "core/formats/dot.hpp"
#include "core/formats/graph_yaml.hpp"
#include "core/formats/pegasus_dax.hpp"
#include "core/formats/stg.hpp"
#include "core/formats/wfcommons.hpp"
#include "core/graphs/generators.hpp"
#include "core/system/text_file.hpp"

namespace takt {

namespace {

/// The only table of graph formats, used by help, validation and tests.
constexpr auto table = std::to_array<GraphFormat>({
    {"yaml", ".yaml", "takt's own format",
     [](std::string text, const std::string& file) {
       return GraphFile{graph_from_yaml(std::move(text), file)};
     },
     graph_to_yaml},
    {"dot", ".dot", "Graphviz, attribute Weight; SimGrid, attribute size",
     [](std::string text, const std::string& file) {
       DotFile read = read_dot(text, file);
       return GraphFile{std::move(read.graph), std::move(read.notes)};
     },
     graph_to_dot},
    {"stg", ".stg", "Standard Task Graph set, with communication costs or without; written without sizes",
     [](std::string text, const std::string& file) { return GraphFile{graph_from_stg(text, file)}; },
     graph_to_stg},
    {"json", ".json", "WfCommons WfFormat 1.0 to 1.5, written as 1.5",
     [](std::string text, const std::string& file) { return read_wfcommons(text, file); },
     graph_to_wfcommons},
    {"dax", ".dax", "Pegasus DAX 2.1 to 3.6, written as 2.1",
     [](std::string text, const std::string& file) { return read_dax(text, file); }, graph_to_dax},
});

/// Returns the beginning of a file, without the spaces and comments of all formats.
std::string_view beginning(std::string_view text) {
  while (!text.empty()) {
    if (std::isspace(static_cast<unsigned char>(text.front())) != 0) {
      text.remove_prefix(1);
    } else if (text.starts_with('#')) {
      text.remove_prefix(std::min(text.find('\n'), text.size()));
    } else {
      break;
    }
  }
  return text;
}

/// Returns the format of a file from its text alone.
std::string_view format_of(std::string_view text) {
  const std::string_view first = beginning(text);
  for (const char* start : {"digraph", "graph", "strict", "//", "/*"})
    if (first.starts_with(start)) return "dot";
  if (first.starts_with('<')) return "dax";
  if (first.starts_with('{') && text.find("\"workflow\"") != std::string_view::npos) return "json";
  if (!first.empty() && std::isdigit(static_cast<unsigned char>(first.front())) != 0) return "stg";
  return "yaml";
}

GraphFile graph_from_input() {
  std::string text(std::istreambuf_iterator<char>(std::cin), {});
  if (text.empty()) throw ConfigError("standard input ('-') is empty");
  const GraphFormat& format = find_graph_format(format_of(text));
  return format.read_file(std::move(text), "standard input");
}

}  // namespace

std::span<const GraphFormat> all_graph_formats() {
  return table;
}

const GraphFormat& find_graph_format(std::string_view name) {
  std::vector<std::string_view> known;
  for (const GraphFormat& format : table) {
    if (format.name == name) return format;
    known.push_back(format.name);
  }
  throw ConfigError(unknown_name("graph format", name, std::move(known)));
}

GraphFile load_graph_file(const std::string& text) {
  if (text == "-") return graph_from_input();
  if (names_generator(text)) return {generate(text)};
  const std::string extension = std::filesystem::path(text).extension().string();
  for (const GraphFormat& format : table)
    if (extension == format.extension || (extension == ".yml" && format.name == "yaml") ||
        (extension == ".xml" && format.name == "dax"))
      return format.name == "yaml" ? GraphFile{graph_from_yaml_file(text)}
                                   : format.read_file(read_text_file(text), text);
  if (text.find(':') != std::string::npos && !std::filesystem::exists(text)) return {generate(text)};
  std::vector<std::string_view> extensions, generators;
  for (const GraphFormat& format : table) extensions.push_back(format.extension);
  for (const Generator& generator : all_generators()) generators.push_back(generator.name);
  throw ConfigError(fmt::format("'{}' is neither a file with one of the endings {} nor a generator: {}", text,
                                fmt::join(extensions, " "),
                                unknown_name("graph generator", text, generators)));
}

TaskGraph load_graph(const std::string& text) {
  return load_graph_file(text).graph;
}

}  // namespace takt
