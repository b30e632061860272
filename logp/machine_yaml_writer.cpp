/// Writer of machine files.

#include <algorithm>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "core/formats/yaml_text.hpp"
#include "logp/cost_text.hpp"
#include "logp/machine_yaml.hpp"
#include "logp/machine_yaml_names.hpp"

namespace takt::logp {

std::vector<std::uint32_t> in_one_cluster(const std::vector<std::uint32_t>& node_of) {
  const auto last = std::max_element(node_of.begin(), node_of.end());
  return std::vector<std::uint32_t>(last == node_of.end() ? 0 : *last + 1, 0);
}

namespace {

/// Writes lines that start with `indent` spaces.
void write(std::string& out, std::size_t indent, std::string_view name, const Cost& cost) {
  if (cost.segments().size() == 1) {
    out += fmt::format("{:{}}{}: {}\n", "", indent, name, to_string(cost.segments().front()));
    return;
  }
  out += fmt::format("{:{}}{}:\n", "", indent, name);
  for (const Cost::Segment& segment : cost.segments())
    out += fmt::format("{:{}}- {{from: {}, cost: {}}}\n", "", indent + 2, segment.from.count,
                       to_string(segment));
}

/// Writes the costs that differ from those that a reader assumes.
void write_differences(std::string& out, std::size_t indent, const LinkCosts& costs,
                       const LinkCosts& assumed) {
  if (costs.latency != assumed.latency) write(out, indent, "latency", costs.latency);
  for (const auto& [name, send, receive] : shared_cost_fields) {
    const bool send_differs = costs.*send != assumed.*send,
               receive_differs = costs.*receive != assumed.*receive;
    if ((send_differs || receive_differs) && costs.*send == costs.*receive) {
      write(out, indent, name, costs.*send);
    } else {
      if (send_differs) write(out, indent, fmt::format("send_{}", name), costs.*send);
      if (receive_differs) write(out, indent, fmt::format("receive_{}", name), costs.*receive);
    }
  }
  if (costs.backbone != assumed.backbone) write(out, indent, "backbone", costs.backbone);
}

void write(std::string& out, std::size_t indent, std::string_view level, const LinkCosts& costs) {
  if (costs == LinkCosts{}) {
    out += fmt::format("{:{}}{}: {{}}\n", "", indent, level);
    return;
  }
  out += fmt::format("{:{}}{}:\n", "", indent, level);
  write_differences(out, indent + 2, costs, {});
}

void write(std::string& out, const Network& network) {
  out += fmt::format("network:\n  nodes: {}\n", network.node_count);
  if (network.switch_count > 0) out += fmt::format("  switches: {}\n", network.switch_count);
  if (network.has_circuits) out += "  circuits: true\n";
  out += "  links:\n";
  for (const Link& link : network.links)
    out += fmt::format("    - {{from: {}, to: {}, cost: {} + {}}}\n", link.from.index(), link.to.index(),
                       link.latency, link.per_byte);
}

void write(std::string& out, std::size_t indent, const std::array<LinkCosts, level_count>& costs) {
  auto of = [&](Level level) { return costs[static_cast<std::size_t>(level)]; };
  if (of(Level::node) == of(Level::cluster) && of(Level::node) == of(Level::wide)) {
    write(out, indent, "all", of(Level::node));
  } else {
    for (const LevelName& level : level_names) write(out, indent, level.name, of(level.level));
  }
}

/// Pairs of equal costs in both directions are written together.
void write_pairs(std::string& out, std::size_t indent, const Machine& machine) {
  const std::vector<PairCosts> pairs = machine.pair_costs();
  if (pairs.empty()) return;
  out += fmt::format("{:{}}pairs:\n", "", indent);
  for (const auto& [from, to, costs] : pairs) {
    const bool both_ways = machine.kind(from, to) == machine.kind(to, from);
    if (both_ways && to < from) continue;
    out += both_ways ? fmt::format("{:{}}- between: [{}, {}]\n", "", indent + 2, from.index(), to.index())
                     : fmt::format("{0:{1}}- from: {2}\n{0:{1}}  to: {3}\n", "", indent + 2, from.index(),
                                   to.index());
    write_differences(out, indent + 4, costs, machine.costs(machine.platform().level(from, to)));
  }
}

/// Pairs of equal costs in both directions are written together here, too.
void write_cluster_pairs(std::string& out, const Machine& machine) {
  const std::vector<ClusterCosts> pairs = machine.cluster_costs();
  if (pairs.empty()) return;
  const std::vector<std::string>& names = machine.platform().cluster_names;
  const auto name = [&](std::uint32_t cluster) {
    return names.empty() ? std::to_string(cluster) : yaml_scalar(names[cluster]);
  };
  const auto is_there = [&](std::uint32_t from, std::uint32_t to, const LinkCosts& costs) {
    return std::ranges::any_of(pairs, [&](const ClusterCosts& pair) {
      return pair.from == from && pair.to == to && pair.costs == costs;
    });
  };
  out += "  cluster_pairs:\n";
  for (const auto& [from, to, costs] : pairs) {
    const bool both_ways = is_there(to, from, costs);
    if (both_ways && to < from) continue;
    out += both_ways ? fmt::format("    - between: [{}, {}]\n", name(from), name(to))
                     : fmt::format("    - from: {}\n      to: {}\n", name(from), name(to));
    write_differences(out, 6, costs, machine.costs(from == to ? Level::cluster : Level::wide));
  }
}

/// Writes the clusters one by one, if each has a name and equal processors, one per node, in its order.
bool write_clusters(std::string& out, const Platform& platform) {
  if (platform.cluster_names.empty() ||
      platform.node_of != Platform::uniform(platform.processor_count()).node_of)
    return false;
  std::string text = "clusters:\n";
  std::size_t p = 0;
  for (std::uint32_t cluster = 0; cluster < platform.cluster_names.size(); ++cluster) {
    const std::size_t first = p;
    while (p < platform.processor_count() && platform.cluster(ProcessorId(p)) == cluster &&
           platform.speeds[p] == platform.speeds[first])
      ++p;
    if (p == first) return false;
    text += fmt::format("  - {{name: {}, processors: {}, speed: {}}}\n",
                        yaml_scalar(platform.cluster_names[cluster]), p - first, platform.speeds[first]);
  }
  if (p != platform.processor_count() || platform.cluster_of_node.size() != p) return false;
  out += text;
  return true;
}

/// Writes the number of processors of each type if types follow each other, otherwise the type of each
/// processor.
void write_core_types(std::string& out, const Platform& platform) {
  std::vector<std::string> names, counts;
  for (const std::string& name : platform.core_types) names.push_back(yaml_scalar(name));
  if (std::ranges::is_sorted(platform.type_of)) {
    for (std::uint32_t type = 0; type < names.size(); ++type)
      counts.push_back(fmt::format("{}: {}", names[type], std::ranges::count(platform.type_of, type)));
    out += fmt::format("core_types: {{{}}}\n", fmt::join(counts, ", "));
    return;
  }
  std::vector<std::string> types;
  for (const std::uint32_t type : platform.type_of) types.push_back(names[type]);
  out += fmt::format("processors: {}\ncore_types: [{}]\n", types.size(), fmt::join(types, ", "));
}

void write_processors(std::string& out, const Platform& platform) {
  const Platform uniform = Platform::uniform(platform.processor_count());
  if (platform.type_of.empty())
    out += fmt::format("processors: {}\n", platform.processor_count());
  else
    write_core_types(out, platform);
  if (platform.speeds != uniform.speeds)
    out += fmt::format("speeds: [{}]\n", fmt::join(platform.speeds, ", "));
  if (platform.node_of != uniform.node_of)
    out += fmt::format("nodes: [{}]\n", fmt::join(platform.node_of, ", "));
  if (platform.cluster_of_node != in_one_cluster(platform.node_of))
    out += fmt::format("clusters: [{}]\n", fmt::join(platform.cluster_of_node, ", "));
  std::vector<std::string> names;
  for (const std::string& name : platform.cluster_names) names.push_back(yaml_scalar(name));
  if (!names.empty()) out += fmt::format("cluster_names: [{}]\n", fmt::join(names, ", "));
}

void write(std::string& out, const Platform& platform) {
  if (!write_clusters(out, platform)) write_processors(out, platform);
  if (!platform.network.empty()) write(out, platform.network);
}

}  // namespace

std::string to_yaml(const Machine& machine) {
  std::string out;
  write(out, machine.platform());
  out += "costs:\n";
  write(out, 2, machine.level_costs());
  write_cluster_pairs(out, machine);
  write_pairs(out, 2, machine);
  return out;
}

std::string to_yaml(const Platform& platform, std::span<const CostProfile> profiles) {
  std::string out;
  write(out, platform);
  out += fmt::format("profile: {}\nprofiles:\n", profiles.front().name);
  for (const CostProfile& profile : profiles) {
    out += fmt::format("  {}:\n", profile.name);
    write(out, 4, profile.costs);
    if (!profile.pairs.empty()) write_pairs(out, 4, Machine(platform, profile.costs, profile.pairs));
  }
  return out;
}

}  // namespace takt::logp
