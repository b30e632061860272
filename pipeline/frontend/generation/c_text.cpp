#include "pipeline/frontend/generation/c_text.hpp"

#include <algorithm>
#include <filesystem>
#include <set>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "pipeline/frontend/reading/dependences.hpp"

namespace takt::frontend {

namespace {

/// Adds the names of the functions that a function uses, also in tables, and of those that they use.
void reach(const SyntaxTree& tree, const std::string& name, std::set<std::string>& reached,
           std::set<int>& variables) {
  if (!reached.insert(name).second) return;
  const Node* function = tree.find_function(name);
  if (function == nullptr) return;
  const auto add = [&](const auto& self, const Node& root) -> void {
    for_each_node(root, [&](const Node& node) {
      if (!node.is("DeclRefExpr")) return;
      if (node.refers_to == "FunctionDecl") reach(tree, node.name, reached, variables);
      if (node.refers_to != "VarDecl" || !variables.insert(node.declaration).second) return;
      if (const auto global = tree.globals.find(node.declaration); global != tree.globals.end())
        self(self, global->second);
    });
  };
  add(add, *function);
}

struct Reached {
  std::set<std::string> functions;
  std::set<int> variables;
};

Reached reached_by_calls(const ReadProgram& program) {
  Reached reached;
  for (const Procedure& procedure : program.program.procedures)
    reach(program.tree, procedure.name, reached.functions, reached.variables);
  return reached;
}

/// Returns the begin of the comment that ends directly above a position, or the position.
std::size_t with_comment(std::string_view text, std::size_t begin) {
  std::size_t end = begin;
  std::size_t newlines = 0;
  while (end > 0 && (text[end - 1] == ' ' || text[end - 1] == '\t' || text[end - 1] == '\n'))
    newlines += text[--end] == '\n' ? 1 : 0;
  if (newlines > 1) return begin;
  if (end >= 2 && text.substr(end - 2, 2) == "*/") return std::min(text.rfind("/*", end), begin);
  const std::size_t line = end == 0 ? 0 : text.rfind('\n', end - 1) + 1;
  if (text.substr(line, end - line).starts_with("//")) return with_comment(text, line);
  return begin;
}

/// Returns the element at an offset of an array as C.
std::string element_text(const Array& array, std::uint64_t offset) {
  std::string text = array.name;
  std::uint64_t bytes = array.bytes;
  for (const std::uint64_t extent : array.extents) {
    bytes = extent == 0 ? array.element_bytes : bytes / extent;
    text += fmt::format("[{}]", offset / bytes);
    offset %= bytes;
  }
  return text;
}

}  // namespace

std::string base_name(const Program& program) {
  return std::filesystem::path(program.source.name()).stem().string();
}

std::string ending_of(const Program& program) {
  return std::filesystem::path(program.source.name()).extension().string();
}

std::string procedures_text(const ReadProgram& program) {
  const std::string_view text = program.program.source.text();
  const Reached reached = reached_by_calls(program);
  std::vector<std::pair<std::size_t, std::size_t>> cuts;
  for (const auto& [name, function] : program.tree.functions) {
    if (body_of(function) == nullptr || function.begin.length == 0 || function.begin.offset >= text.size())
      continue;
    if (reached.functions.contains(name)) continue;
    std::size_t end = function.end;
    while (end < text.size() && text[end] == '\n') ++end;
    cuts.emplace_back(with_comment(text, function.begin.offset), end);
  }
  std::ranges::sort(cuts);
  std::string result;
  std::size_t at = 0;
  for (const auto& [begin, end] : cuts) {
    if (begin > at) result += text.substr(at, begin - at);
    at = std::max(at, end);
  }
  result += text.substr(at);
  while (result.ends_with("\n\n")) result.pop_back();
  return result;
}

std::string parameters_text(const ReadProgram& program) {
  std::string text;
  for (const std::string& parameter : program.program.parameters) {
    const std::size_t equals = parameter.find('=');
    const std::string name = parameter.substr(0, equals);
    // Those that the text defines have their value there.
    if (program.program.source.text().find("#define " + name + " ") == std::string::npos)
      text += fmt::format("#define {} {}\n", name, parameter.substr(equals + 1));
  }
  return text;
}

std::string variables_text(const ReadProgram& program) {
  std::string text;
  for (const std::string& declaration : program.program.declarations) text += declaration + "\n";
  return text.empty() ? text : "\n/* Variables of main. */\n" + text;
}

std::string preparations_text(const ReadProgram& program) {
  std::string text;
  const bool is_c = ending_of(program.program) == ".c";
  for (const Array& array : program.program.arrays)
    if (!array.allocation.empty())
      text += is_c ? fmt::format("  {} = {};\n", array.name, array.allocation)
                   : fmt::format("  {0} = static_cast<std::remove_reference_t<decltype({0})>>({1});\n",
                                 array.name, array.allocation);
  const Reached reached = reached_by_calls(program);
  for (const auto& [declaration, variable] : program.tree.globals) {
    const bool is_used = reached.variables.contains(declaration) ||
                         std::ranges::any_of(program.program.arrays, [&](const Array& array) {
                           return array.name == variable.name || array.name.starts_with(variable.name + "[");
                         });
    if (variable.is_static && variable.place.length > 0 && !is_used)
      text += fmt::format("  (void)sizeof {}; /* of main's loops only */\n", variable.name);
  }
  return text;
}

std::string section_text(const Program& program, const Section& section, const std::string& prefix) {
  const Array& array = program.arrays[section.array.index()];
  const bool is_whole_allocation = !array.allocation.empty() && section.bytes == array.bytes;
  if (const std::optional<std::string> text = sub_array(array, section); text && !is_whole_allocation)
    return fmt::format("{}SECTION({})", prefix, *text);
  const std::uint64_t unit = array.element_bytes;
  const bool has_elements = !array.extents.empty() && section.offset % unit == 0 &&
                            section.bytes % unit == 0 && section.pitch % unit == 0;
  if (!has_elements)
    return fmt::format("{}BYTES((char *)&{} + {}, {}, {}, {})", prefix,
                       array.allocation.empty() ? array.name : array.name + "[0]", section.offset,
                       section.rows, section.bytes, section.pitch);
  const std::string element = element_text(array, section.offset);
  if (section.rows == 1) return fmt::format("{}RUN({}, {})", prefix, element, section.bytes / unit);
  return fmt::format("{}TILE({}, {}, {}, {})", prefix, element, section.rows, section.bytes / unit,
                     section.pitch / unit);
}

std::string with_prefix(std::string_view text, std::span<const std::string_view> words,
                        std::string_view prefix) {
  std::string result;
  for (std::size_t i = 0; i < text.size();) {
    std::size_t end = i;
    while (end < text.size() && is_word_character(text[end])) ++end;
    const std::string_view word = text.substr(i, std::max<std::size_t>(end - i, 1));
    if (std::ranges::find(words, word) != words.end()) result += prefix;
    result += word;
    i += word.size();
  }
  return result;
}

}  // namespace takt::frontend
