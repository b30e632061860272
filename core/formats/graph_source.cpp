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
#include "core/formats/stg.hpp"
#include "core/formats/wfcommons.hpp"
#include "core/generators.hpp"
#include "core/text_file.hpp"

namespace takt {

namespace {

/// The one table of graph formats: help, validation and tests all read it.
constexpr auto table = std::to_array<GraphFormat>({
    {"yaml", ".yaml", "takt's own format", graph_from_yaml, graph_to_yaml},
    {"dot", ".dot", "Graphviz, attribute Weight",
     [](std::string text, const std::string& file) { return graph_from_dot(text, file); }, graph_to_dot},
    {"stg", ".stg", "Standard Task Graph set; no sizes",
     [](std::string text, const std::string& file) { return graph_from_stg(text, file); }, graph_to_stg},
    {"json", ".json", "WfCommons WfFormat 1.5",
     [](std::string text, const std::string& file) { return graph_from_wfcommons(text, file); },
     graph_to_wfcommons},
});

/// What a file begins with, but for spaces and comments of all formats.
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

/// The format of a file of which nothing is known but its text.
std::string_view format_of(std::string_view text) {
  const std::string_view first = beginning(text);
  for (const char* start : {"digraph", "graph", "strict", "//", "/*"})
    if (first.starts_with(start)) return "dot";
  if (first.starts_with('{') && text.find("\"workflow\"") != std::string_view::npos) return "json";
  if (!first.empty() && std::isdigit(static_cast<unsigned char>(first.front())) != 0) return "stg";
  return "yaml";
}

TaskGraph graph_from_input() {
  std::string text(std::istreambuf_iterator<char>(std::cin), {});
  if (text.empty()) throw ConfigError("standard input, which '-' stands for, is empty");
  const GraphFormat& format = find_graph_format(format_of(text));
  return format.read(std::move(text), "standard input");
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

TaskGraph load_graph(const std::string& text) {
  if (text == "-") return graph_from_input();
  if (names_generator(text)) return generate(text);
  const std::string extension = std::filesystem::path(text).extension().string();
  for (const GraphFormat& format : table)
    if (extension == format.extension || (extension == ".yml" && format.name == "yaml"))
      return format.name == "yaml" ? graph_from_yaml_file(text) : format.read(read_text_file(text), text);
  if (text.find(':') != std::string::npos && !std::filesystem::exists(text)) return generate(text);
  std::vector<std::string_view> extensions, generators;
  for (const GraphFormat& format : table) extensions.push_back(format.extension);
  for (const Generator& generator : all_generators()) generators.push_back(generator.name);
  throw ConfigError(fmt::format("'{}' is neither a file with one of the endings {} nor a generator: {}", text,
                                fmt::join(extensions, " "),
                                unknown_name("graph generator", text, generators)));
}

}  // namespace takt
