#include "logp/machine_yaml.hpp"

#include <array>
#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include <fmt/format.h>

#include "core/error.hpp"
#include "core/formats/file_kind.hpp"
#include "core/formats/yaml_parser.hpp"
#include "logp/machine_yaml_cost_reader.hpp"
#include "logp/machine_yaml_costs.hpp"
#include "logp/machine_yaml_names.hpp"
#include "logp/machine_yaml_node.hpp"
#include "logp/machine_yaml_platform.hpp"
#include "logp/machine_yaml_values.hpp"

namespace takt::logp {

namespace {

/// Reads one file and collects its errors.
class MachineReader : MachineValues {
 public:
  explicit MachineReader(ErrorList& errors) : MachineValues(errors) {}

  std::optional<Machine> read(const YamlNode& root, std::string_view profile) {
    const std::size_t errors_before = errors_.size();
    if (!root.is_mapping()) {
      add(root, "expected a machine: a mapping with 'processors' and 'costs'");
      return std::nullopt;
    }
    expect_keys(root, "a machine",
                {"processors", "core_types", "speeds", "nodes", "clusters", "cluster_names", "costs",
                 "network", "profile", "profiles", "calibration"});
    const Platform platform = read_platform(root, errors_);
    const FileCosts costs = read_costs(root, platform, profile, errors_);
    if (errors_.size() != errors_before) return std::nullopt;
    std::optional<Machine> machine;
    attempt(root, [&] { machine = machine_of(platform, costs); });
    if (machine) expect_levels(costs, platform);
    return errors_.size() == errors_before ? std::move(machine) : std::nullopt;
  }

 private:
  /// A missing level would make its messages free by mistake.
  void expect_levels(const FileCosts& costs, const Platform& platform) {
    const std::array<double, level_count> pairs = platform.pairs_by_level();
    for (const LevelName& level : costs.missing)
      if (pairs[static_cast<std::size_t>(level.level)] > 0)
        add(costs.node, fmt::format("the costs lack '{0}', which the machine needs: add it, or 'all' for "
                                    "every level ('{0}: {{}}' makes messages free)",
                                    level.name));
  }
};

}  // namespace

std::optional<Machine> read_machine(const YamlNode& node, ErrorList& errors, std::string_view profile) {
  return MachineReader(errors).read(node, profile);
}

Machine machine_from_yaml(const std::string& text, const std::string& file, std::string_view profile) {
  ErrorList errors;
  const YamlTree tree = parse_yaml(text, file, errors);
  expect_kind(tree.root(), FileKind::machine);
  std::optional<Machine> machine = read_machine(tree.root(), errors, profile);
  errors.throw_if_any();
  return std::move(machine).value();
}

}  // namespace takt::logp
