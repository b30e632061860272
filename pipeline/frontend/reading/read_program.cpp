#include "pipeline/frontend/reading/read_program.hpp"

#include <algorithm>
#include <array>
#include <cctype>
#include <filesystem>
#include <memory>

#include <fmt/format.h>

#include "core/graphs/graph_limits.hpp"
#include "pipeline/frontend/reading/call_recorder.hpp"
#include "pipeline/frontend/reading/dependences.hpp"
#include "pipeline/frontend/reading/evaluator.hpp"

namespace takt::frontend {

namespace {

constexpr std::array<std::string_view, 4> endings{".c", ".cc", ".cpp", ".cxx"};

bool is_name(std::string_view text) {
  return !text.empty() && std::isdigit(static_cast<unsigned char>(text.front())) == 0 &&
         std::ranges::all_of(
             text, [](char c) { return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_'; });
}

/// Adds the declarations at file scope of main's variables that the generated program needs.
void add_declarations(const Memory& memory, const std::vector<std::size_t>& variables, const SyntaxTree& tree,
                      Program& program) {
  for (const std::size_t index : variables) {
    const Object& object = memory.object(index);
    const bool points_to_allocation = object.cells.any([&](const Value& value) {
      const auto* address = std::get_if<Address>(&value);
      return address != nullptr && memory.object(address->object).is_allocation &&
             memory.object(address->object).array;
    });
    if (!object.array && !points_to_allocation) continue;
    std::string text = "static " + declare(*object.type, object.name);
    if (object.is_initialised && object.array) {
      // The initialiser as written, after the declared name.
      const std::string_view source = tree.source.text();
      const std::size_t end = source.find(';', object.place.offset);
      const std::size_t equals = source.find('=', object.place.offset);
      if (equals < end) text += fmt::format(" {}", source.substr(equals, end - equals));
    }
    program.declarations.push_back(text + ";");
  }
}

}  // namespace

std::optional<ProgramName> program_name(std::string_view text) {
  std::size_t colon = text.find(':');
  const std::string_view file = text.substr(0, colon);
  if (std::ranges::none_of(endings, [&](std::string_view ending) { return file.ends_with(ending); }))
    return std::nullopt;
  ProgramName name{.file = std::string(file)};
  while (colon != std::string_view::npos && colon + 1 < text.size()) {
    const std::size_t comma = text.find(',', colon + 1);
    const std::string_view part =
        text.substr(colon + 1, comma == std::string_view::npos ? comma : comma - colon - 1);
    const std::size_t equals = part.find('=');
    if (equals == std::string_view::npos || !is_name(part.substr(0, equals)) || equals + 1 == part.size())
      throw ConfigError(fmt::format(
          "{}: expected NAME=VALUE after the file, such as {}:PN=8,SN=4; found '{}'", text, file, part));
    const std::string parameter(part.substr(0, equals));
    if (std::ranges::any_of(name.parameters, [&](const auto& each) { return each.first == parameter; }))
      throw ConfigError(fmt::format("{}: parameter {} is given twice", text, parameter));
    name.parameters.emplace_back(parameter, part.substr(equals + 1));
    colon = comma;
  }
  return name;
}

ReadProgram parse_procedures(const ProgramName& name) {
  ReadProgram result{.tree = parse_program(name)};
  if (const std::string probes = extent_probes(result.tree); !probes.empty())
    result.tree = parse_program(name, probes);
  result.program.source = result.tree.source;
  for (const auto& [parameter, value] : name.parameters)
    result.program.parameters.push_back(fmt::format("{}={}", parameter, value));
  return result;
}

void visit_calls(ReadProgram& read, bool has_texts, const OnProgramCall& on_call) {
  Program& program = read.program;
  program.procedures.clear();
  program.arrays.clear();
  program.declarations.clear();
  Memory memory;
  bool has_calls = false;
  CallRecorder recorder(read.tree, memory, program, has_texts, [&](Call call) {
    has_calls = true;
    return on_call(std::move(call));
  });
  std::unique_ptr<Evaluator> evaluator;
  evaluator = std::make_unique<Evaluator>(
      read.tree, memory, [&](const Node& node, const Node& function, std::vector<Value> arguments) {
        recorder.add(*evaluator, node, function, std::move(arguments));
      });
  std::vector<Violation> violations;
  try {
    program.exit_code = evaluator->run_main();
  } catch (EvaluationStopped& stopped) {
    if (!stopped.violation.message.empty()) violations.push_back(std::move(stopped.violation));
  }
  violations.insert(violations.begin(), recorder.violations().begin(), recorder.violations().end());
  if (!violations.empty()) throw ProgramError(program.source, std::move(violations));
  const Node& main = *read.tree.find_function("main");
  program.main = main.place;
  if (!has_calls)
    throw ProgramError(program.source,
                       {{.place = main.place,
                         .rule = "no-calls",
                         .message = "main calls no procedure, so there is nothing to schedule",
                         .rewrite = "divide the work into procedures on sections of arrays"}});
  add_declarations(memory, evaluator->variables(), read.tree, program);
  read.facts = recorder.facts();
}

ReadProgram read_program(const ProgramName& name) {
  ReadProgram result = parse_procedures(name);
  Dependences dependences(result.program);
  visit_calls(result, true, [&](Call call) {
    if (result.program.calls.size() == largest_task_count)
      throw EvaluationStopped{
          {.place = call.place,
           .rule = "endless",
           .message = fmt::format("main makes more than {} calls", largest_task_count),
           .rewrite = "give its loops smaller bounds, or plan it call by call (takt plan --lazy)"}};
    result.program.calls.push_back(std::move(call));
    return dependences.add_last_call();
  });
  return result;
}

}  // namespace takt::frontend
