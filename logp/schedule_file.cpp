#include "logp/schedule_file.hpp"

#include <optional>
#include <utility>

#include "core/formats/file_kind.hpp"
#include "core/formats/schedule_yaml.hpp"
#include "core/formats/yaml_parser.hpp"
#include "core/system/text_file.hpp"
#include "logp/machine_yaml.hpp"
#include "logp/machine_yaml_node.hpp"

namespace takt::logp {

ScheduleFile schedule_from_yaml(const std::string& text, const std::string& file) {
  ErrorList errors;
  const YamlTree tree = parse_yaml(text, file, errors);
  expect_kind(tree.root(), FileKind::schedule);
  std::optional<ScheduledGraph> scheduled = read_schedule(tree.root(), errors);
  std::optional<Machine> machine;
  if (const YamlNode node = tree.root()["machine"])
    machine = read_machine(node, errors);
  else if (tree.root().is_mapping())
    errors.add(tree.root().where(), "a schedule needs a 'machine'");
  errors.throw_if_any();
  return {std::move(scheduled->graph), std::move(*machine), std::move(scheduled->schedule),
          std::move(scheduled->decisions), std::move(scheduled->requirements)};
}

ScheduleFile read_schedule_file(const std::filesystem::path& file) {
  return schedule_from_yaml(read_text_file(file), file.string());
}

std::string schedule_to_yaml(const TaskGraph& graph, const Machine& machine, const Schedule& schedule,
                             std::span<const Decision> decisions,
                             std::span<const StreamRequirement> requirements) {
  return takt::schedule_to_yaml(schedule, graph, to_yaml(machine), decisions, requirements);
}

void schedule_to_yaml(std::ostream& out, const TaskGraph& graph, const Machine& machine,
                      const Schedule& schedule, std::span<const Decision> decisions) {
  takt::schedule_to_yaml(out, schedule, graph, to_yaml(machine), decisions);
}

}  // namespace takt::logp
