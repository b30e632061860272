#include "pipeline/frontend/weights/costs.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <utility>

#include <fmt/format.h>

#include "core/error.hpp"
#include "core/formats/yaml_parser.hpp"
#include "core/formats/yaml_values.hpp"
#include "core/system/text_file.hpp"

namespace takt::frontend {

namespace {

/// `1.5 ns`, or a number alone in nanoseconds; whole nanoseconds are too coarse for operations.
double read_nanoseconds(const YamlNode& node, const std::string& what) {
  std::string text(read_text(node, what));
  double unit = 1;
  for (const auto& [ending, scale] : {std::pair{"ns", 1.0}, {"us", 1e3}, {"ms", 1e6}})
    if (text.ends_with(ending)) {
      unit = scale;
      text.resize(text.size() - 2);
      break;
    }
  while (text.ends_with(' ')) text.pop_back();
  std::size_t used = 0;
  double number = -1;
  try {
    number = std::stod(text, &used);
  } catch (const std::exception&) {
    used = 0;
  }
  if (used == 0 || used != text.size() || !(number >= 0) || !std::isfinite(number))
    refuse(node,
           fmt::format("{}: '{}' is not a cost: expected a time of at least 0, such as 1.5 ns", what, text));
  return number * unit;
}

/// The values of a call's integer arguments by the names of the parameters.
std::map<std::string, double> variables_of(const Program& program, const Call& call) {
  std::map<std::string, double> variables;
  const Procedure& procedure = program.procedure(call);
  for (std::size_t i = 0; i < std::min(call.arguments.size(), procedure.parameters.size()); ++i)
    if (call.arguments[i].integer)
      variables[procedure.parameters[i].name] = static_cast<double>(*call.arguments[i].integer);
  return variables;
}

}  // namespace

double OperationCosts::of(const std::string& kind) const {
  const auto found = nanoseconds.find(kind);
  return found == nanoseconds.end() ? function : found->second;
}

OperationCosts usual_costs() {
  return {.nanoseconds = {{"add", 0.5},
                          {"mul", 0.5},
                          {"div", 2},
                          {"integer", 0.3},
                          {"iteration", 0.3},
                          {"memory", 0.4},
                          {"sqrt", 4},
                          {"fabs", 0.3}},
          .function = 12};
}

OperationCosts read_costs(const std::string& file) {
  ErrorList errors;
  const YamlTree tree = parse_yaml(read_text_file(file), file, errors);
  OperationCosts costs{
      .nanoseconds = {{"add", 0}, {"mul", 0}, {"div", 0}, {"integer", 0}, {"iteration", 0}, {"memory", 0}}};
  constexpr std::array<std::string_view, 1> keys{"operations"};
  expect_mapping(tree.root(), "a cost file", keys);
  check_keys(tree.root(), "a cost file", keys, errors);
  const YamlNode operations = require(tree.root(), "a cost file", "operations");
  constexpr std::array<std::string_view, 4> kinds{"add", "mul", "div", "memory"};
  expect_mapping(operations, "operations", kinds);
  for (const auto [key, value] : operations.pairs()) {
    const std::string kind(key.text());
    errors.attempt([&, node = value] {
      const double cost = read_nanoseconds(node, "operations." + kind);
      if (kind == "function")
        costs.function = cost;
      else
        costs.nanoseconds[kind] = cost;
    });
  }
  errors.throw_if_any();
  return costs;
}

std::vector<OperationCounts> count_procedures(const ReadProgram& program) {
  std::vector<OperationCounts> counts;
  for (const ProcedureFacts& facts : program.facts)
    counts.push_back(facts.procedure.is_from_library
                         ? OperationCounts{}
                         : count_operations(program.tree, *program.tree.find_function(facts.procedure.name)));
  return counts;
}

std::map<std::string, double> operations_of(const ReadProgram& program, CallId call,
                                            const OperationCounts& counts) {
  const std::map<std::string, double> variables =
      variables_of(program.program, program.program.calls[call.index()]);
  std::map<std::string, double> operations;
  for (const auto& [kind, formula] : counts.counts) operations[kind] = formula.value(variables);
  return operations;
}

std::vector<Time> estimate_work(const ReadProgram& program, const OperationCosts& costs) {
  const std::vector<OperationCounts> counts = count_procedures(program);
  std::map<std::pair<ProcedureId, std::map<std::string, double>>, Time> known;
  std::vector<Time> work;
  for (const CallId id : ids<CallId>(program.program.calls.size())) {
    const Call& call = program.program.calls[id.index()];
    const auto [found, is_new] =
        known.try_emplace({call.procedure, variables_of(program.program, call)}, Time{1});
    if (is_new) {
      double sum = 0;
      for (const auto& [kind, count] : operations_of(program, id, counts[call.procedure.index()]))
        sum += count * costs.of(kind);
      found->second = Time{std::max<std::int64_t>(1, std::llround(sum))};
    }
    work.push_back(found->second);
  }
  return work;
}

std::string costs_text(const ReadProgram& program) {
  const std::vector<OperationCounts> counts = count_procedures(program);
  std::string text;
  for (std::size_t i = 0; i < counts.size(); ++i) {
    const Procedure& procedure = program.program.procedures[i];
    text += procedure.name + "(";
    for (const Parameter& parameter : procedure.parameters)
      text += (&parameter == &procedure.parameters.front() ? "" : ", ") + parameter.name;
    text += ")\n";
    for (const auto& [kind, formula] : counts[i].counts)
      text += fmt::format("  {:<10} {}\n", kind, formula.to_string());
    if (counts[i].counts.empty()) text += "  no operations\n";
    for (const std::string& note : counts[i].notes) text += fmt::format("  note: {}\n", note);
  }
  return text;
}

}  // namespace takt::frontend
