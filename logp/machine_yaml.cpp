#include "logp/machine_yaml.hpp"

#include <algorithm>
#include <array>
#include <iterator>
#include <map>
#include <optional>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "core/error.hpp"
#include "core/formats/file_kind.hpp"
#include "core/formats/yaml_parser.hpp"
#include "core/formats/yaml_values.hpp"
#include "logp/cost_text.hpp"
#include "logp/machine_yaml_costs.hpp"
#include "logp/machine_yaml_names.hpp"
#include "logp/machine_yaml_node.hpp"

namespace takt::logp {

namespace {

/// Returns every key that costs can have.
std::vector<std::string_view> cost_keys() {
  std::vector<std::string_view> keys;
  for (const CostField& field : cost_fields) keys.push_back(field.name);
  for (const SharedField& field : shared_cost_fields) keys.push_back(field.name);
  return keys;
}

constexpr std::string_view pair_examples =
    "{between: [0, 1], latency: 300}, or {from: 0, to: 1, latency: 300} for one direction";

/// Reads one file and collects its errors.
class Reader {
 public:
  explicit Reader(ErrorList& errors) : errors_(errors) {}

  std::optional<Machine> read(const YamlNode& root, std::string_view profile) {
    const std::size_t errors_before = errors_.size();
    if (!root.is_mapping()) {
      add(root, "expected a machine: a mapping with 'processors' and 'costs'");
      return std::nullopt;
    }
    expect_keys(root, "a machine",
                {"processors", "core_types", "speeds", "nodes", "clusters", "cluster_names", "costs",
                 "network", "profile", "profiles", "calibration"});
    const Platform platform = read_platform(root);
    processor_count_ = platform.processor_count();
    cluster_count_ = platform.cluster_count();
    cluster_names_ = platform.cluster_names;
    const FileCosts costs = read_costs_or_profile(root, profile);
    if (errors_.size() != errors_before) return std::nullopt;
    std::optional<Machine> machine;
    attempt(root, [&] { machine = machine_of(platform, costs); });
    if (machine) expect_levels(costs, platform);
    return errors_.size() == errors_before ? std::move(machine) : std::nullopt;
  }

 private:
  void add(const YamlNode& node, const std::string& message) { errors_.add(node.where(), message); }

  void expect_keys(const YamlNode& map, std::string_view what, const std::vector<std::string_view>& known) {
    check_keys(map, what, known, errors_);
  }

  /// Runs the action; adds the node's position to a ConfigError without one.
  template <class Action>
  void attempt(const YamlNode& node, Action action) {
    try {
      action();
    } catch (const ConfigError& error) {
      if (error.where().file.empty())
        add(node, error.message());
      else
        errors_.add(error);
    }
  }

  /// Parses a single value; returns a default value on an error.
  template <class Parse>
  auto read_scalar(const YamlNode& node, Parse parse) {
    decltype(parse(std::string_view())) value{};
    if (!node.is_text())
      add(node, "expected a single value here");
    else
      attempt(node, [&] { value = parse(node.text()); });
    return value;
  }

  std::size_t read_count(const YamlNode& node, std::size_t least) {
    return read_scalar(node, [&](std::string_view text) { return parse_count(text, least); });
  }

  template <class Value, class Parse>
  std::vector<Value> read_values(const YamlNode& node, std::string_view key,
                                 std::optional<std::size_t> length, Parse parse) {
    std::vector<Value> values;
    if (!node.is_list()) {
      add(node, fmt::format("'{}': expected a list", key));
      return values;
    }
    if (length && node.size() != *length)
      add(node, fmt::format("'{}' has {} entries: expected one for each of the {} processors", key,
                            node.size(), *length));
    for (const YamlNode& entry : node) values.push_back(static_cast<Value>(read_scalar(entry, parse)));
    return values;
  }

  Platform read_platform(const YamlNode& root) {
    const YamlNode count = root["processors"], list = root["clusters"];
    if (!count && list.is_list() && list.size() > 0 && (*list.begin()).is_mapping()) {
      Platform platform = read_clusters(root, list);
      if (const YamlNode network = root["network"]) platform.network = read_network(network);
      return platform;
    }
    const YamlNode types = root["core_types"];
    if (!count && types && !types.is_mapping()) {
      add(types, "expected types of cores such as {big: 4, little: 16}, or 'processors' as well");
      return {};
    }
    if (!count && !types) {
      add(root,
          "'processors' is missing: expected their number, 'core_types' such as {big: 4, little: 16}, or a "
          "list of "
          "'clusters' such as [{name: a, processors: 8}, {name: b, processors: 4, speed: 1.5}]");
      return {};
    }
    Platform platform;
    if (count) {
      platform = Platform::uniform(read_count(count, 1));
      if (types) read_types_of(types, platform);
    } else {
      platform = read_core_types(types);
    }
    const std::size_t processors = platform.processor_count();
    if (processors == 0) return {};
    const auto index = [](std::string_view text) { return parse_count(text, 0); };
    if (const YamlNode speeds = root["speeds"])
      platform.speeds = read_values<double>(speeds, "speeds", processors, parse_number);
    if (const YamlNode nodes = root["nodes"]) {
      platform.node_of = read_values<std::uint32_t>(nodes, "nodes", processors, index);
      platform.cluster_of_node = in_one_cluster(platform.node_of);
    }
    if (const YamlNode clusters = root["clusters"])
      platform.cluster_of_node = read_values<std::uint32_t>(clusters, "clusters", {}, index);
    if (const YamlNode names = root["cluster_names"]) read_cluster_names(names, platform);
    if (const YamlNode network = root["network"]) platform.network = read_network(network);
    return platform;
  }

  /// Reads `{big: 4, little: {processors: 16, speed: 0.4}}`.
  Platform read_core_types(const YamlNode& types) {
    Platform platform;
    std::vector<double> speeds;
    for (const auto& [name, value] : types.pairs()) {
      platform.core_types.push_back(
          read_scalar(name, [](std::string_view text) { return std::string(text); }));
      YamlNode count = value, speed;
      if (value.is_mapping()) {
        expect_keys(value, "a type of core", {"processors", "speed"});
        count = value["processors"];
        speed = value["speed"];
        if (!count) {
          add(value, "a type of core needs its number of 'processors'");
          continue;
        }
      }
      const auto type = static_cast<std::uint32_t>(platform.core_types.size() - 1);
      platform.type_of.insert(platform.type_of.end(), read_count(count, 1), type);
      speeds.resize(platform.type_of.size(), speed ? read_scalar(speed, parse_number) : 1);
    }
    if (platform.type_of.empty()) add(types, "expected types of cores such as {big: 4, little: 16}");
    const Platform uniform = Platform::uniform(platform.type_of.size());
    platform.speeds = std::move(speeds);
    platform.node_of = uniform.node_of;
    platform.cluster_of_node = uniform.cluster_of_node;
    return platform;
  }

  /// Reads the type of each processor, `[big, big, little]`.
  void read_types_of(const YamlNode& types, Platform& platform) {
    if (!types.is_list())
      return add(types,
                 "expected a list with the type of each processor, or 'core_types' without 'processors'");
    for (const std::string& name :
         read_values<std::string>(types, "core_types", platform.processor_count(),
                                  [](std::string_view text) { return std::string(text); }))
      platform.add_type(name);
  }

  void read_cluster_names(const YamlNode& names, Platform& platform) {
    const std::size_t count = platform.cluster_count();
    platform.cluster_names = read_values<std::string>(
        names, "cluster_names", {}, [](std::string_view text) { return std::string(text); });
    if (platform.cluster_names.size() != count)
      add(names, fmt::format("'cluster_names' has {} entries: expected one for each of the {} clusters",
                             platform.cluster_names.size(), count));
    std::vector<std::string> sorted = platform.cluster_names;
    std::ranges::sort(sorted);
    if (const auto twice = std::ranges::adjacent_find(sorted); twice != sorted.end())
      add(names, fmt::format("two clusters have the name '{}'", *twice));
  }

  /// Reads clusters of equal processors, each a node of its own.
  Platform read_clusters(const YamlNode& root, const YamlNode& clusters) {
    for (const char* key : {"core_types", "speeds", "nodes", "cluster_names"})
      if (const YamlNode other = root[key])
        add(other, fmt::format("'{}' needs 'processors' as a number: here each cluster has its own", key));
    Platform platform;
    const auto add_cluster = [&](const YamlNode& node) {
      if (!node.is_mapping())
        return add(node, "expected a cluster such as {name: lyon, processors: 56, speed: 3.254}");
      expect_keys(node, "a cluster", {"name", "processors", "speed"});
      const YamlNode name = node["name"], count = node["processors"], speed = node["speed"];
      if (!name || !count) return add(node, "a cluster needs a 'name' and its number of 'processors'");
      const std::string text = read_scalar(name, [](std::string_view each) { return std::string(each); });
      if (std::ranges::find(platform.cluster_names, text) != platform.cluster_names.end())
        add(name, fmt::format("two clusters have the name '{}'", text));
      const auto cluster = static_cast<std::uint32_t>(platform.cluster_names.size());
      platform.cluster_names.push_back(text);
      const double pace = speed ? read_scalar(speed, parse_number) : 1;
      for (std::size_t i = read_count(count, 1); i > 0; --i) {
        platform.speeds.push_back(pace);
        platform.node_of.push_back(static_cast<std::uint32_t>(platform.cluster_of_node.size()));
        platform.cluster_of_node.push_back(cluster);
      }
    };
    for (const YamlNode& node : clusters) add_cluster(node);
    return platform;
  }

  Network read_network(const YamlNode& node) {
    Network network = read_links(node);
    if (const YamlNode circuits = node.is_mapping() ? node["circuits"] : YamlNode())
      attempt(circuits, [&] { network.has_circuits = read_boolean(circuits, "circuits"); });
    return network;
  }

  Network read_links(const YamlNode& node) {
    if (!node.is_mapping()) {
      add(node, "'network': expected {topology: mesh:2x2, link: 0 + 1}, or 'nodes' and 'links'");
      return {};
    }
    const YamlNode nodes = node["nodes"], links = node["links"];
    if (const YamlNode topology = node["topology"]) {
      expect_keys(node, "a network", {"topology", "link", "circuits"});
      const YamlNode link = node["link"];
      const LinkCost cost = link ? read_link_cost(link) : LinkCost{};
      return read_scalar(topology, [&](std::string_view text) { return parse_network(text, cost); });
    }
    expect_keys(node, "a network", {"topology", "nodes", "switches", "links", "circuits"});
    Network network;
    if (!nodes || !links.is_list()) {
      add(node, "a network needs a 'topology', or 'nodes' and a list of 'links'");
      return network;
    }
    network.node_count = read_count(nodes, 1);
    if (const YamlNode switches = node["switches"]) {
      network.switch_count = read_count(switches, 0);
      if (network.switch_count >= std::max<std::size_t>(network.node_count, 1)) {
        add(switches, fmt::format("there are {} switches among {} nodes: expected fewer",
                                  network.switch_count, network.node_count));
        network.switch_count = 0;
      }
    }
    for (const YamlNode& link : links) read_link(link, network);
    return network;
  }

  /// Returns the two entries of a list of two.
  static std::array<YamlNode, 2> both(const YamlNode& list) {
    return {*list.begin(), *std::next(list.begin())};
  }
  static bool is_pair(const YamlNode& node) { return node.is_list() && node.size() == 2; }

  void read_link(const YamlNode& node, Network& network) {
    constexpr const char* expected =
        "expected a link {from: 0, to: 1, cost: 5 + 1} or {between: [0, 1], cost: 5 + 1}";
    const YamlNode sender = node["from"], receiver = node["to"], between = node["between"];
    const bool one_way = sender && receiver, both_ways = is_pair(between);
    if (one_way == both_ways || !node["cost"]) return add(node, expected);
    expect_keys(node, "a link", {"from", "to", "between", "cost"});
    const auto end = [&](const YamlNode& entry) {
      const std::size_t index = read_count(entry, 0);
      if (index >= network.node_count)
        add(entry, fmt::format("there is no node {}: the network has {}", index, network.node_count));
      return NodeId(index);
    };
    const auto [first, second] = both_ways ? both(between) : std::array{sender, receiver};
    const NodeId from = end(first), to = end(second);
    const LinkCost cost = read_link_cost(node["cost"]);
    if (both_ways)
      network.connect(from, to, cost.latency, cost.per_byte);
    else
      network.links.push_back({from, to, cost.latency, cost.per_byte});
  }

  LinkCost read_link_cost(const YamlNode& node) {
    const Cost cost = read_scalar(node, parse_cost);
    const auto& [from, constant, per_byte] = cost.segments().front();
    if (constant < 0 || per_byte < 0) add(node, "a link's cost must not be negative");
    return {constant, per_byte};
  }

  FileCosts read_costs_or_profile(const YamlNode& root, std::string_view wanted) {
    const YamlNode costs = root["costs"], profiles = root["profiles"], chosen = root["profile"];
    if (!profiles) {
      if (chosen) add(chosen, "'profile': there are no 'profiles' in this file");
      if (!wanted.empty())
        add(root, fmt::format("there is no profile '{}': the file has no 'profiles'", wanted));
      return costs ? read_costs(costs, "costs") : FileCosts{};
    }
    if (costs) add(costs, "'costs' and 'profiles' exclude each other");
    if (profiles.size() == 0 || !profiles.is_mapping()) {
      add(profiles, "'profiles': expected a mapping from names to costs");
      return {};
    }
    std::string_view name = wanted;
    if (chosen && !chosen.is_text()) {
      add(chosen, "expected a single value here");
      return {};
    }
    if (name.empty()) name = chosen ? chosen.text() : (*profiles.pairs().begin()).key.text();
    std::optional<FileCosts> found;
    std::vector<std::string_view> names;
    for (const auto& [key, value] : profiles.pairs()) {
      names.push_back(key.text());
      FileCosts read = read_costs(value, key.text());
      if (key.text() == name) found = std::move(read);
    }
    if (!found) add(chosen ? chosen : profiles, unknown_name("profile", name, std::move(names)));
    return std::move(found).value_or(FileCosts{});
  }

  FileCosts read_costs(const YamlNode& node, std::string_view what) {
    FileCosts costs;
    costs.node = node;
    if (!node.is_mapping()) {
      add(node,
          fmt::format("'{}': expected a mapping from 'all', or from 'node', 'cluster' and 'wide'", what));
      return costs;
    }
    expect_keys(node, "a machine's costs", {"all", "node", "cluster", "wide", "cluster_pairs", "pairs"});
    const YamlNode all = node["all"];
    if (all) costs.levels.fill(read_link_costs(all));
    for (const LevelName& level : level_names)
      if (const YamlNode entry = node[level.name])
        costs.levels[static_cast<std::size_t>(level.level)] = read_link_costs(entry);
      else if (!all)
        costs.missing.push_back(level);
    if (const YamlNode pairs = node["cluster_pairs"]) costs.clusters = read_cluster_pairs(pairs);
    if (const YamlNode pairs = node["pairs"]) costs.pairs = read_pairs(pairs);
    return costs;
  }

  /// A missing level would make its messages free by mistake.
  void expect_levels(const FileCosts& costs, const Platform& platform) {
    const std::array<double, level_count> pairs = platform.pairs_by_level();
    for (const LevelName& level : costs.missing)
      if (pairs[static_cast<std::size_t>(level.level)] > 0)
        add(costs.node, fmt::format("the costs lack '{0}', which the machine needs: add it, or 'all' for "
                                    "every level ('{0}: {{}}' makes messages free)",
                                    level.name));
  }

  LinkCosts read_link_costs(const YamlNode& node) {
    LinkCosts costs;
    if (!node.is_mapping()) {
      add(node, "expected a mapping with 'latency', 'overhead' and 'gap'");
      return costs;
    }
    expect_keys(node, "a level's costs", cost_keys());
    for (auto& [member, cost] : read_fields(node)) costs.*member = std::move(cost);
    return costs;
  }

  std::vector<PairEntry> read_pairs(const YamlNode& node) {
    std::vector<PairEntry> pairs;
    if (!node.is_list()) {
      add(node, fmt::format("'pairs': expected a list of pairs such as {}", pair_examples));
      return pairs;
    }
    std::map<std::pair<std::size_t, std::size_t>, int> lines;
    for (const YamlNode& entry : node)
      for (PairEntry& pair : read_pair(entry)) {
        const std::size_t from = pair.from.index(), to = pair.to.index();
        const auto [first, is_new] = lines.try_emplace({from, to}, entry.place().line);
        if (!is_new)
          add(entry, fmt::format("the costs from processor {} to {} are given twice: first in line {}", from,
                                 to, first->second));
        pairs.push_back(std::move(pair));
      }
    return pairs;
  }

  std::vector<ClusterEntry> read_cluster_pairs(const YamlNode& node) {
    constexpr std::string_view examples =
        "{between: [lille, lyon], latency: 5.6e6}, or {from: 0, to: 1, latency: 5.6e6} for one direction";
    std::vector<ClusterEntry> pairs;
    if (!node.is_list()) {
      add(node, fmt::format("'cluster_pairs': expected a list of pairs such as {}", examples));
      return pairs;
    }
    std::map<std::pair<std::uint32_t, std::uint32_t>, int> lines;
    for (const YamlNode& entry : node) {
      const YamlNode between = entry["between"], sender = entry["from"], receiver = entry["to"];
      const bool one_way = sender && receiver && !between;
      if (!entry.is_mapping() || one_way == (is_pair(between) && !sender && !receiver)) {
        add(entry, fmt::format("expected a pair of clusters such as {}", examples));
        continue;
      }
      std::vector<std::string_view> keys{"between", "from", "to"};
      std::ranges::copy(cost_keys(), std::back_inserter(keys));
      expect_keys(entry, "a pair's costs", keys);
      const auto [first, second] = one_way ? std::array{sender, receiver} : both(between);
      ClusterEntry pair{read_cluster(first), read_cluster(second), read_fields(entry)};
      ClusterEntry opposite{pair.to, pair.from, pair.costs};
      const auto keep = [&](ClusterEntry& each) {
        const auto [line, is_new] = lines.try_emplace({each.from, each.to}, entry.place().line);
        if (!is_new)
          add(entry, fmt::format("the costs from cluster {} to {} are given twice: first in line {}",
                                 each.from, each.to, line->second));
        pairs.push_back(std::move(each));
      };
      const bool both_ways = !one_way && pair.from != pair.to;
      keep(pair);
      if (both_ways) keep(opposite);
    }
    return pairs;
  }

  /// Reads a cluster by its name, if clusters have names, or its number.
  std::uint32_t read_cluster(const YamlNode& node) {
    return read_scalar(node, [&](std::string_view text) -> std::uint32_t {
      const auto found = std::ranges::find(cluster_names_, text);
      if (found != cluster_names_.end()) return static_cast<std::uint32_t>(found - cluster_names_.begin());
      const bool is_number =
          !text.empty() && std::ranges::all_of(text, [](char c) { return c >= '0' && c <= '9'; });
      if (!is_number && !cluster_names_.empty())
        throw ConfigError(unknown_name("cluster", text, {cluster_names_.begin(), cluster_names_.end()}));
      const std::size_t index = parse_count(text, 0);
      if (index >= cluster_count_)
        throw ConfigError(fmt::format("there is no cluster {}: the machine has {}", index, cluster_count_));
      return static_cast<std::uint32_t>(index);
    });
  }

  /// Returns one entry for each direction.
  std::vector<PairEntry> read_pair(const YamlNode& node) {
    if (!node.is_mapping()) {
      add(node, fmt::format("expected a pair such as {}", pair_examples));
      return {};
    }
    std::vector<std::string_view> keys{"between", "from", "to"};
    std::ranges::copy(cost_keys(), std::back_inserter(keys));
    expect_keys(node, "a pair's costs", keys);
    const YamlNode between = node["between"], sender = node["from"], receiver = node["to"];
    const bool one_way = sender && receiver && !between;
    const bool both_ways = is_pair(between) && !sender && !receiver;
    if (one_way == both_ways) {
      add(node, fmt::format("expected a pair such as {}", pair_examples));
      return {};
    }
    const auto [first, second] = both_ways ? both(between) : std::array{sender, receiver};
    const ProcessorId from = read_processor(first), to = read_processor(second);
    if (from == to)
      add(second, "expected two different processors: a message within a processor costs nothing");
    PairEntry pair{from, to, read_fields(node)};
    if (one_way || from == to) return {std::move(pair)};
    PairEntry opposite{to, from, pair.costs};
    return {std::move(pair), std::move(opposite)};
  }

  ProcessorId read_processor(const YamlNode& node) {
    const std::size_t index = read_count(node, 0);
    // A missing number of processors has already been reported.
    if (processor_count_ > 0 && index >= processor_count_)
      add(node, fmt::format("there is no processor {}: the machine has {}", index, processor_count_));
    return ProcessorId(index);
  }

  /// Returns the costs of a mapping, with shared ones for both sides.
  std::vector<std::pair<Cost LinkCosts::*, Cost>> read_fields(const YamlNode& node) {
    std::vector<std::pair<Cost LinkCosts::*, Cost>> read;
    for (const SharedField& field : shared_cost_fields)
      if (const YamlNode entry = node[field.name]) {
        read.emplace_back(field.send, read_cost(entry));
        read.emplace_back(field.receive, read.back().second);
      }
    for (const CostField& field : cost_fields)
      if (const YamlNode entry = node[field.name]) read.emplace_back(field.member, read_cost(entry));
    attempt(node, [&] {
      LinkCosts costs;
      for (const auto& [member, cost] : read) costs.*member = cost;
      check(costs);
    });
    return read;
  }

  Cost read_cost(const YamlNode& node) {
    if (node.is_text()) return read_scalar(node, parse_cost);
    if (!node.is_list()) {
      add(node, "expected a cost such as 5 + 0.1, or a list of {from: BYTES, cost: 5 + 0.1}");
      return {};
    }
    std::vector<Cost::Segment> segments;
    for (const YamlNode& entry : node) {
      const YamlNode first = entry["from"], costs = entry["cost"];
      if (!first || !costs) {
        add(entry, "expected a segment {from: BYTES, cost: 5 + 0.1}");
        return {};
      }
      expect_keys(entry, "a segment", {"from", "cost"});
      const Cost cost = read_scalar(costs, parse_cost);
      const Bytes from = read_scalar(first, parse_bytes);
      segments.push_back({from, cost.segments().front().constant, cost.segments().front().per_byte});
    }
    Cost cost;
    attempt(node, [&] { cost = Cost(std::move(segments)); });
    return cost;
  }

  ErrorList& errors_;
  std::size_t processor_count_ = 0, cluster_count_ = 0;
  std::vector<std::string> cluster_names_;
};

}  // namespace

std::optional<Machine> read_machine(const YamlNode& node, ErrorList& errors, std::string_view profile) {
  return Reader(errors).read(node, profile);
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
