#include "logp/machine_yaml.hpp"

#include <algorithm>
#include <iterator>
#include <map>
#include <optional>
#include <type_traits>
#include <utility>
#include <vector>

#include <fmt/format.h>
#include <yaml-cpp/yaml.h>

#include "core/error.hpp"
#include "logp/cost_text.hpp"
#include "logp/machine_yaml_names.hpp"

namespace takt::logp {

namespace {

/// Every key that costs can have.
std::vector<std::string_view> cost_keys() {
  std::vector<std::string_view> keys;
  for (const CostField& field : cost_fields) keys.push_back(field.name);
  for (const SharedField& field : shared_cost_fields) keys.push_back(field.name);
  return keys;
}

constexpr std::string_view pair_examples =
    "{between: [0, 1], latency: 300}, or {from: 0, to: 1, latency: 300} for one direction";

/// The costs of a pair as a file has them: what it leaves out is as the pair's level has it.
struct PairEntry {
  ProcessorId from;
  ProcessorId to;
  std::vector<std::pair<Cost LinkCosts::*, Cost>> costs;
};

struct FileCosts {
  std::array<LinkCosts, level_count> levels;
  std::vector<PairEntry> pairs;
  /// Levels of which the file says nothing, and where it should.
  std::vector<LevelName> missing;
  SourceLocation place;
};

/// Throws ConfigError as the machine's constructor does.
Machine machine_of(const Platform& platform, const FileCosts& costs) {
  Machine by_level(platform, costs.levels);
  if (costs.pairs.empty()) return by_level;
  std::vector<PairCosts> pairs;
  for (const PairEntry& entry : costs.pairs) {
    PairCosts& pair = pairs.emplace_back(entry.from, entry.to, by_level.costs(entry.from, entry.to));
    for (const auto& [member, cost] : entry.costs) pair.costs.*member = cost;
  }
  return {platform, costs.levels, std::move(pairs)};
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
    const Platform platform = read_platform(root);
    processor_count_ = platform.processor_count();
    const FileCosts costs = read_costs_or_profile(root, profile);
    errors_.throw_if_any();
    Machine machine = attempt(root, [&] { return machine_of(platform, costs); });
    expect_levels(costs, platform);
    return machine;
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

  FileCosts read_costs_or_profile(const YAML::Node& root, std::string_view wanted) {
    const YAML::Node costs = root["costs"], profiles = root["profiles"], chosen = root["profile"];
    if (!profiles) {
      if (chosen) errors_.add(place(chosen), "'profile': there are no 'profiles' in this file");
      if (!wanted.empty())
        errors_.add(place(root), fmt::format("there is no profile '{}': the file has no 'profiles'", wanted));
      return costs ? read_costs(costs, "costs") : FileCosts{};
    }
    if (costs) errors_.add(place(costs), "'costs' and 'profiles' exclude each other");
    if (!profiles.IsMap() || profiles.size() == 0) {
      errors_.add(place(profiles), "'profiles': expected a mapping from names to costs");
      return {};
    }
    std::string name(wanted);
    if (name.empty())
      name = chosen ? attempt(chosen, [&] { return scalar(chosen); }) : profiles.begin()->first.Scalar();
    std::optional<FileCosts> found;
    std::vector<std::string> names;
    for (const auto& entry : profiles) {
      names.push_back(entry.first.Scalar());
      const FileCosts read = read_costs(entry.second, names.back());
      if (names.back() == name) found = read;
    }
    if (!found)
      errors_.add(place(chosen ? chosen : profiles),
                  unknown_name("profile", name, {names.begin(), names.end()}));
    return found.value_or(FileCosts{});
  }

  FileCosts read_costs(const YAML::Node& node, std::string_view what) {
    FileCosts costs;
    if (!node.IsMap()) {
      errors_.add(
          place(node),
          fmt::format("'{}': expected a mapping from 'all', or from 'node', 'cluster' and 'wide'", what));
      return costs;
    }
    check_keys(node, "machine's costs", {"all", "node", "cluster", "wide", "pairs"});
    if (const YAML::Node all = node["all"]) costs.levels.fill(read_link_costs(all));
    costs.place = place(node);
    for (const LevelName& level : level_names)
      if (const YAML::Node entry = node[std::string(level.name)])
        costs.levels[static_cast<std::size_t>(level.level)] = read_link_costs(entry);
      else if (!node["all"])
        costs.missing.push_back(level);
    if (const YAML::Node pairs = node["pairs"]) costs.pairs = read_pairs(pairs);
    return costs;
  }

  /// A level without costs would make messages free that nobody has called so.
  void expect_levels(const FileCosts& costs, const Platform& platform) {
    const std::array<double, level_count> pairs = platform.pairs_by_level();
    for (const LevelName& level : costs.missing)
      if (pairs[static_cast<std::size_t>(level.level)] > 0)
        errors_.add(costs.place,
                    fmt::format("the costs lack '{0}', and there are processors so far apart: add it, "
                                "or 'all' for every level ('{0}: {{}}' makes messages free)",
                                level.name));
    errors_.throw_if_any();
  }

  LinkCosts read_link_costs(const YAML::Node& node) {
    LinkCosts costs;
    if (!node.IsMap()) {
      errors_.add(place(node), "expected a mapping with 'latency', 'overhead' and 'gap'");
      return costs;
    }
    check_keys(node, "level's costs", cost_keys());
    for (auto& [member, cost] : read_fields(node)) costs.*member = std::move(cost);
    return costs;
  }

  std::vector<PairEntry> read_pairs(const YAML::Node& node) {
    std::vector<PairEntry> pairs;
    if (!node.IsSequence()) {
      errors_.add(place(node), fmt::format("'pairs': expected a list of pairs such as {}", pair_examples));
      return pairs;
    }
    std::map<std::pair<std::size_t, std::size_t>, SourceLocation> known;
    for (const YAML::Node& entry : node)
      for (PairEntry& pair : read_pair(entry)) {
        const std::size_t from = pair.from.index(), to = pair.to.index();
        const auto [first, is_new] = known.try_emplace({from, to}, place(entry));
        if (!is_new)
          errors_.add(place(entry),
                      fmt::format("the costs from processor {} to {} stand twice: first in line {}", from, to,
                                  first->second.line));
        pairs.push_back(std::move(pair));
      }
    return pairs;
  }

  /// One for each direction.
  std::vector<PairEntry> read_pair(const YAML::Node& node) {
    if (!node.IsMap()) {
      errors_.add(place(node), fmt::format("expected a pair such as {}", pair_examples));
      return {};
    }
    std::vector<std::string_view> keys{"between", "from", "to"};
    std::ranges::copy(cost_keys(), std::back_inserter(keys));
    check_keys(node, "pair's costs", keys);
    const YAML::Node between = node["between"], sender = node["from"], receiver = node["to"];
    const bool one_way = sender && receiver && !between;
    const bool both_ways = between && between.IsSequence() && between.size() == 2 && !sender && !receiver;
    if (one_way == both_ways) {
      errors_.add(place(node), fmt::format("expected a pair such as {}", pair_examples));
      return {};
    }
    const ProcessorId from = read_processor(one_way ? sender : between[0]);
    const ProcessorId to = read_processor(one_way ? receiver : between[1]);
    if (from == to)
      errors_.add(place(one_way ? receiver : between[1]),
                  "expected two different processors: a message to oneself costs nothing");
    PairEntry pair{from, to, read_fields(node)};
    if (one_way || from == to) return {std::move(pair)};
    PairEntry opposite{to, from, pair.costs};
    return {std::move(pair), std::move(opposite)};
  }

  ProcessorId read_processor(const YAML::Node& node) {
    const std::size_t index = attempt(node, [&] { return parse_count(scalar(node), 0); });
    // Where there is no number of processors, that has been reported.
    if (processor_count_ > 0 && index >= processor_count_)
      errors_.add(place(node),
                  fmt::format("there is no processor {}: the machine has {}", index, processor_count_));
    return ProcessorId(index);
  }

  /// The costs that a mapping has, shared ones for both sides.
  std::vector<std::pair<Cost LinkCosts::*, Cost>> read_fields(const YAML::Node& node) {
    std::vector<std::pair<Cost LinkCosts::*, Cost>> read;
    for (const SharedField& field : shared_cost_fields)
      if (const YAML::Node entry = node[std::string(field.name)]) {
        read.emplace_back(field.send, read_cost(entry));
        read.emplace_back(field.receive, read.back().second);
      }
    for (const CostField& field : cost_fields)
      if (const YAML::Node entry = node[std::string(field.name)])
        read.emplace_back(field.member, read_cost(entry));
    attempt(node, [&] {
      LinkCosts costs;
      for (const auto& [member, cost] : read) costs.*member = cost;
      check(costs);
      return true;
    });
    return read;
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
  std::size_t processor_count_ = 0;
};

}  // namespace

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
