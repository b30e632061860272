#include "pipeline/frontend/weights/program_graph.hpp"

#include <algorithm>
#include <utility>

#include <fmt/format.h>

#include "core/error.hpp"
#include "core/system/text_file.hpp"
#include "pipeline/frontend/reading/task_graph.hpp"
#include "pipeline/frontend/weights/call_profile.hpp"
#include "pipeline/frontend/weights/costs.hpp"

namespace takt::frontend {

namespace {

/// Removes a parameter of takt's own from the program's; returns its value.
std::optional<std::string> take(ProgramName& name, std::string_view parameter) {
  const auto found =
      std::ranges::find_if(name.parameters, [&](const auto& each) { return each.first == parameter; });
  if (found == name.parameters.end()) return std::nullopt;
  std::string value = std::move(found->second);
  name.parameters.erase(found);
  return value;
}

}  // namespace

bool names_program(std::string_view text) {
  return program_name(text.substr(0, text.find(':'))).has_value();
}

WeightedName weighted_name(std::string_view text) {
  std::optional<ProgramName> name = program_name(text);
  if (!name) throw ConfigError(fmt::format("'{}' is not a C program: expected FILE.c:NAME=VALUE,...", text));
  WeightedName result{.program = std::move(*name)};
  result.costs = take(result.program, "costs");
  result.profile = take(result.program, "profile");
  if (result.costs && result.profile)
    throw ConfigError(fmt::format("{}: costs and profile exclude each other", text));
  return result;
}

WeightedProgram load_program(std::string_view text) {
  const auto [name, costs, profile] = weighted_name(text);
  WeightedProgram result{.read = read_program(name)};
  if (profile) {
    result.work = call_profile_from_yaml(read_text_file(*profile), *profile, result.read.program);
    result.origin = WorkOrigin::measured;
  } else {
    result.work = estimate_work(result.read, costs ? read_costs(*costs) : usual_costs());
    if (costs) result.origin = WorkOrigin::cost_file;
    const std::vector<OperationCounts> counts = count_procedures(result.read);
    for (std::size_t i = 0; i < counts.size(); ++i)
      for (const std::string& note : counts[i].notes)
        result.notes.push_back(
            fmt::format("{}: {}: {}", name.file, result.read.program.procedures[i].name, note));
  }
  result.graph = task_graph(result.read.program, result.work);
  return result;
}

void set_measured_work(WeightedProgram& program, std::vector<Time> work) {
  program.work = std::move(work);
  program.origin = WorkOrigin::measured;
  program.notes.clear();
  program.graph = task_graph(program.read.program, program.work);
}

}  // namespace takt::frontend
