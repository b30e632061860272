#include "logp/machine_yaml.hpp"

#include <algorithm>
#include <optional>
#include <type_traits>
#include <vector>

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <yaml-cpp/yaml.h>

#include "core/error.hpp"
#include "logp/cost_text.hpp"

namespace takt::logp {

namespace {

struct CostField {
  std::string_view name;
  Cost LinkCosts::*member;
};

constexpr std::array fields{
    CostField{"latency", &LinkCosts::latency}, CostField{"send_overhead", &LinkCosts::send_overhead},
    CostField{"receive_overhead", &LinkCosts::receive_overhead}, CostField{"send_gap", &LinkCosts::send_gap},
    CostField{"receive_gap", &LinkCosts::receive_gap}};

/// One name for the send and the receive side.
struct SharedField {
  std::string_view name;
  Cost LinkCosts::*send;
  Cost LinkCosts::*receive;
};

constexpr std::array shared_fields{
    SharedField{"overhead", &LinkCosts::send_overhead, &LinkCosts::receive_overhead},
    SharedField{"gap", &LinkCosts::send_gap, &LinkCosts::receive_gap}};

struct LevelName {
  std::string_view name;
  Level level;
};

constexpr std::array level_names{LevelName{"node", Level::node}, LevelName{"cluster", Level::cluster},
                                 LevelName{"wide", Level::wide}};

/// Clusters of the nodes where a file names none.
std::vector<std::uint32_t> in_one_cluster(const std::vector<std::uint32_t>& node_of) {
  const auto last = std::max_element(node_of.begin(), node_of.end());
  return std::vector<std::uint32_t>(last == node_of.end() ? 0 : *last + 1, 0);
}

/// Writes lines that start with `indent` spaces.
void write(std::string& out, std::size_t indent, std::string_view name, const Cost& cost) {
  if (cost.is_zero() && cost.segments().size() == 1) return;
  if (cost.segments().size() == 1) {
    out += fmt::format("{:{}}{}: {}\n", "", indent, name, to_string(cost.segments().front()));
    return;
  }
  out += fmt::format("{:{}}{}:\n", "", indent, name);
  for (const Cost::Segment& segment : cost.segments())
    out += fmt::format("{:{}}- {{from: {}, cost: {}}}\n", "", indent + 2, segment.from.count,
                       to_string(segment));
}

void write(std::string& out, std::size_t indent, std::string_view level, const LinkCosts& costs) {
  if (costs == LinkCosts{}) {
    out += fmt::format("{:{}}{}: {{}}\n", "", indent, level);
    return;
  }
  out += fmt::format("{:{}}{}:\n", "", indent, level);
  write(out, indent + 2, "latency", costs.latency);
  for (const SharedField& field : shared_fields)
    if (costs.*field.send == costs.*field.receive) {
      write(out, indent + 2, field.name, costs.*field.send);
    } else {
      write(out, indent + 2, fmt::format("send_{}", field.name), costs.*field.send);
      write(out, indent + 2, fmt::format("receive_{}", field.name), costs.*field.receive);
    }
}

void write(std::string& out, const Network& network) {
  out += fmt::format("network:\n  nodes: {}\n  links:\n", network.node_count);
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

void write(std::string& out, const Platform& platform) {
  const Platform uniform = Platform::uniform(platform.processor_count());
  out += fmt::format("processors: {}\n", platform.processor_count());
  if (platform.speeds != uniform.speeds)
    out += fmt::format("speeds: [{}]\n", fmt::join(platform.speeds, ", "));
  if (platform.node_of != uniform.node_of)
    out += fmt::format("nodes: [{}]\n", fmt::join(platform.node_of, ", "));
  if (platform.cluster_of_node != in_one_cluster(platform.node_of))
    out += fmt::format("clusters: [{}]\n", fmt::join(platform.cluster_of_node, ", "));
  if (!platform.network.empty()) write(out, platform.network);
}

/// Reads one file and collects what is wrong with it.
class Reader {
 public:
  explicit Reader(const std::string& file) : file_(file) {}

  Machine read(const YAML::Node& root, std::string_view profile) {
    if (!root.IsMap()) {
      errors_.add(place(root), "expected a machine: a mapping with 'processors' and 'costs'");
      errors_.throw_if_any();
    }
    check_keys(root, "machine",
               {"processors", "speeds", "nodes", "clusters", "costs", "network", "profile", "profiles",
                "calibration"});
    Platform platform = read_platform(root);
    std::array<LinkCosts, level_count> costs = read_costs_or_profile(root, profile);
    errors_.throw_if_any();
    return attempt(root, [&] { return Machine(std::move(platform), std::move(costs)); });
  }

 private:
  [[nodiscard]] SourceLocation place(const YAML::Node& node) const {
    return {file_, node.Mark().line + 1, node.Mark().column + 1};
  }

  void check_keys(const YAML::Node& map, std::string_view what, const std::vector<std::string_view>& known) {
    std::vector<std::string> seen;
    for (const auto& entry : map) {
      const std::string key = entry.first.Scalar();
      if (std::find(known.begin(), known.end(), key) == known.end())
        errors_.add(place(entry.first), unknown_name(fmt::format("key of a {}", what), key, known));
      if (std::find(seen.begin(), seen.end(), key) != seen.end())
        errors_.add(place(entry.first), fmt::format("key '{}' stands twice", key));
      seen.push_back(key);
    }
  }

  /// The action's value; a ConfigError of it gets the place, and a default value stands in.
  template <class Action>
  auto attempt(const YAML::Node& node, Action action) -> decltype(action()) {
    try {
      return action();
    } catch (const ConfigError& error) {
      errors_.add(place(node), error.what());
      if constexpr (std::is_default_constructible_v<decltype(action())>)
        return {};
      else
        errors_.throw_if_any();
      throw;
    }
  }

  template <class Value, class Parser>
  std::vector<Value> read_list(const YAML::Node& node, std::string_view key,
                               std::optional<std::size_t> length, Parser parse) {
    std::vector<Value> values;
    if (!node.IsSequence()) {
      errors_.add(place(node), fmt::format("'{}': expected a list", key));
      return values;
    }
    if (length && node.size() != *length)
      errors_.add(place(node), fmt::format("'{}' has {} entries: expected one for each of the {} processors",
                                           key, node.size(), *length));
    for (const YAML::Node& entry : node)
      values.push_back(static_cast<Value>(attempt(entry, [&] { return parse(scalar(entry)); })));
    return values;
  }

  static std::string scalar(const YAML::Node& node) {
    if (!node.IsScalar()) throw ConfigError("expected a single value here");
    return node.Scalar();
  }

  Platform read_platform(const YAML::Node& root) {
    const YAML::Node count = root["processors"];
    if (!count) {
      errors_.add(place(root), "'processors' is missing: expected their number");
      return {};
    }
    const std::size_t processors = attempt(count, [&] { return parse_count(scalar(count), 1); });
    if (processors == 0) return {};
    Platform platform = Platform::uniform(processors);
    auto index = [](const std::string& text) { return parse_count(text, 0); };
    if (const YAML::Node speeds = root["speeds"])
      platform.speeds = read_list<double>(speeds, "speeds", processors,
                                          [](const std::string& text) { return parse_number(text); });
    if (const YAML::Node nodes = root["nodes"]) {
      platform.node_of = read_list<std::uint32_t>(nodes, "nodes", processors, index);
      platform.cluster_of_node = in_one_cluster(platform.node_of);
    }
    if (const YAML::Node clusters = root["clusters"])
      platform.cluster_of_node = read_list<std::uint32_t>(clusters, "clusters", {}, index);
    if (const YAML::Node network = root["network"]) platform.network = read_network(network);
    return platform;
  }

  Network read_network(const YAML::Node& node) {
    if (!node.IsMap()) {
      errors_.add(place(node),
                  "'network': expected {topology: mesh:2x2, link: 0 + 1}, or 'nodes' and 'links'");
      return {};
    }
    if (const YAML::Node topology = node["topology"]) {
      check_keys(node, "network", {"topology", "link"});
      const LinkCost cost = node["link"] ? read_link_cost(node["link"]) : LinkCost{};
      return attempt(topology, [&] { return parse_network(scalar(topology), cost); });
    }
    check_keys(node, "network", {"topology", "nodes", "links"});
    Network network;
    if (!node["nodes"] || !node["links"] || !node["links"].IsSequence()) {
      errors_.add(place(node), "a network needs a 'topology', or 'nodes' and a list of 'links'");
      return network;
    }
    network.node_count = attempt(node["nodes"], [&] { return parse_count(scalar(node["nodes"]), 1); });
    for (const YAML::Node& link : node["links"]) read_link(link, network);
    return network;
  }

  void read_link(const YAML::Node& node, Network& network) {
    constexpr const char* expected =
        "expected a link {from: 0, to: 1, cost: 5 + 1} or {between: [0, 1], cost: 5 + 1}";
    const bool one_way = node.IsMap() && node["from"] && node["to"];
    const bool both_ways =
        node.IsMap() && node["between"] && node["between"].IsSequence() && node["between"].size() == 2;
    if (one_way == both_ways || !node["cost"]) {
      errors_.add(place(node), expected);
      return;
    }
    check_keys(node, "link", {"from", "to", "between", "cost"});
    auto end = [&](const YAML::Node& entry) {
      const std::size_t index = attempt(entry, [&] { return parse_count(scalar(entry), 0); });
      if (index >= network.node_count)
        errors_.add(place(entry),
                    fmt::format("there is no node {}: the network has {}", index, network.node_count));
      return NodeId(index);
    };
    const NodeId from = end(one_way ? node["from"] : node["between"][0]);
    const NodeId to = end(one_way ? node["to"] : node["between"][1]);
    const LinkCost cost = read_link_cost(node["cost"]);
    if (both_ways)
      network.connect(from, to, cost.latency, cost.per_byte);
    else
      network.links.push_back({from, to, cost.latency, cost.per_byte});
  }

  LinkCost read_link_cost(const YAML::Node& node) {
    const Cost cost = read_cost_of_segment(node);
    const auto& [from, constant, per_byte] = cost.segments().front();
    if (constant < 0 || per_byte < 0) errors_.add(place(node), "a link's cost must not be negative");
    return {constant, per_byte};
  }

  std::array<LinkCosts, level_count> read_costs_or_profile(const YAML::Node& root, std::string_view wanted) {
    const YAML::Node costs = root["costs"], profiles = root["profiles"], chosen = root["profile"];
    if (!profiles) {
      if (chosen) errors_.add(place(chosen), "'profile': there are no 'profiles' in this file");
      if (!wanted.empty())
        errors_.add(place(root), fmt::format("there is no profile '{}': the file has no 'profiles'", wanted));
      return costs ? read_costs(costs, "costs") : std::array<LinkCosts, level_count>{};
    }
    if (costs) errors_.add(place(costs), "'costs' and 'profiles' exclude each other");
    if (!profiles.IsMap() || profiles.size() == 0) {
      errors_.add(place(profiles), "'profiles': expected a mapping from names to costs");
      return {};
    }
    std::string name(wanted);
    if (name.empty())
      name = chosen ? attempt(chosen, [&] { return scalar(chosen); }) : profiles.begin()->first.Scalar();
    std::optional<std::array<LinkCosts, level_count>> found;
    std::vector<std::string> names;
    for (const auto& entry : profiles) {
      names.push_back(entry.first.Scalar());
      const std::array<LinkCosts, level_count> read = read_costs(entry.second, names.back());
      if (names.back() == name) found = read;
    }
    if (!found)
      errors_.add(place(chosen ? chosen : profiles),
                  unknown_name("profile", name, {names.begin(), names.end()}));
    return found.value_or(std::array<LinkCosts, level_count>{});
  }

  std::array<LinkCosts, level_count> read_costs(const YAML::Node& node, std::string_view what) {
    std::array<LinkCosts, level_count> costs;
    if (!node.IsMap()) {
      errors_.add(
          place(node),
          fmt::format("'{}': expected a mapping from 'all', or from 'node', 'cluster' and 'wide'", what));
      return costs;
    }
    check_keys(node, "machine's costs", {"all", "node", "cluster", "wide"});
    if (const YAML::Node all = node["all"]) costs.fill(read_link_costs(all));
    for (const LevelName& level : level_names)
      if (const YAML::Node entry = node[std::string(level.name)])
        costs[static_cast<std::size_t>(level.level)] = read_link_costs(entry);
    return costs;
  }

  LinkCosts read_link_costs(const YAML::Node& node) {
    LinkCosts costs;
    if (!node.IsMap()) {
      errors_.add(place(node), "expected a mapping with 'latency', 'overhead' and 'gap'");
      return costs;
    }
    check_keys(
        node, "level's costs",
        {"latency", "overhead", "gap", "send_overhead", "receive_overhead", "send_gap", "receive_gap"});
    for (const SharedField& field : shared_fields)
      if (const YAML::Node entry = node[std::string(field.name)])
        costs.*field.send = costs.*field.receive = read_cost(entry);
    for (const CostField& field : fields)
      if (const YAML::Node entry = node[std::string(field.name)]) costs.*field.member = read_cost(entry);
    attempt(node, [&] {
      check(costs);
      return true;
    });
    return costs;
  }

  Cost read_cost(const YAML::Node& node) {
    if (node.IsScalar()) return attempt(node, [&] { return parse_cost(node.Scalar()); });
    if (!node.IsSequence()) {
      errors_.add(place(node), "expected a cost such as 5 + 0.1, or a list of {from: BYTES, cost: 5 + 0.1}");
      return {};
    }
    std::vector<Cost::Segment> segments;
    for (const YAML::Node& entry : node) {
      if (!entry.IsMap() || !entry["from"] || !entry["cost"]) {
        errors_.add(place(entry), "expected a segment {from: BYTES, cost: 5 + 0.1}");
        return {};
      }
      check_keys(entry, "segment", {"from", "cost"});
      const Cost cost = read_cost_of_segment(entry["cost"]);
      const Bytes from = attempt(entry["from"], [&] { return parse_bytes(scalar(entry["from"])); });
      segments.push_back({from, cost.segments().front().constant, cost.segments().front().per_byte});
    }
    return attempt(node, [&] { return Cost(std::move(segments)); });
  }

  Cost read_cost_of_segment(const YAML::Node& node) {
    return attempt(node, [&] { return parse_cost(scalar(node)); });
  }

  std::string file_;
  ErrorList errors_;
};

}  // namespace

std::string to_yaml(const Machine& machine) {
  std::string out;
  write(out, machine.platform());
  out += "costs:\n";
  std::array<LinkCosts, level_count> costs;
  for (const LevelName& level : level_names)
    costs[static_cast<std::size_t>(level.level)] = machine.costs(level.level);
  write(out, 2, costs);
  return out;
}

std::string to_yaml(const Platform& platform, std::span<const CostProfile> profiles) {
  std::string out;
  write(out, platform);
  out += fmt::format("profile: {}\nprofiles:\n", profiles.front().name);
  for (const CostProfile& profile : profiles) {
    out += fmt::format("  {}:\n", profile.name);
    write(out, 4, profile.costs);
  }
  return out;
}

Machine machine_from_yaml(const std::string& text, const std::string& file, std::string_view profile) {
  YAML::Node root;
  try {
    root = YAML::Load(text);
  } catch (const YAML::ParserException& error) {
    throw ConfigError({file, error.mark.line + 1, error.mark.column + 1}, error.msg);
  }
  return Reader(file).read(root, profile);
}

}  // namespace takt::logp
