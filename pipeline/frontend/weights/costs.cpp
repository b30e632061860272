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

WorkEstimator::WorkEstimator(const ReadProgram& program, OperationCosts costs)
    : program_(program), costs_(std::move(costs)) {
  std::vector<OperationCounts> counts = count_procedures(program);
  for (std::size_t i = 0; i < counts.size(); ++i) {
    Known known{.counts = std::move(counts[i])};
    const std::vector<Parameter>& parameters = program.program.procedures[i].parameters;
    for (std::size_t j = 0; j < parameters.size(); ++j)
      if (std::ranges::any_of(known.counts.counts,
                              [&](const auto& count) { return count.second.contains(parameters[j].name); }))
        known.parameters.push_back(j);
    procedures_.push_back(std::move(known));
  }
}

Time WorkEstimator::work(const Call& call) {
  // Numbers that differ from call to call would fill the memory.
  constexpr std::size_t most_works = 1 << 16;
  Known& known = procedures_[call.procedure.index()];
  std::vector<std::optional<std::int64_t>> numbers;
  numbers.reserve(known.parameters.size());
  for (const std::size_t parameter : known.parameters)
    numbers.push_back(parameter < call.arguments.size() ? call.arguments[parameter].integer : std::nullopt);
  if (const auto found = known.works.find(numbers); found != known.works.end()) return found->second;
  const std::map<std::string, double> variables = variables_of(program_.program, call);
  double sum = 0;
  for (const auto& [kind, formula] : known.counts.counts) sum += formula.value(variables) * costs_.of(kind);
  const Time work{std::max<std::int64_t>(1, std::llround(sum))};
  if (known.works.size() == most_works) known.works.clear();
  known.works.emplace(std::move(numbers), work);
  return work;
}

std::vector<Time> estimate_work(const ReadProgram& program, const OperationCosts& costs) {
  WorkEstimator estimator(program, costs);
  std::vector<Time> work;
  for (const Call& call : program.program.calls) work.push_back(estimator.work(call));
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
