#include "logp/machine_yaml_cost_reader.hpp"

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <iterator>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "core/error.hpp"
#include "logp/cost_text.hpp"
#include "logp/machine_yaml_names.hpp"
#include "logp/machine_yaml_values.hpp"

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

class CostReader : MachineValues {
 public:
  CostReader(const Platform& platform, ErrorList& errors)
      : MachineValues(errors),
        processor_count_(platform.processor_count()),
        cluster_count_(platform.cluster_count()),
        cluster_names_(platform.cluster_names) {}

  FileCosts read(const YamlNode& root, std::string_view wanted) {
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

 private:
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

  std::size_t processor_count_ = 0, cluster_count_ = 0;
  const std::vector<std::string>& cluster_names_;
};

}  // namespace

FileCosts read_costs(const YamlNode& root, const Platform& platform, std::string_view profile,
                     ErrorList& errors) {
  return CostReader(platform, errors).read(root, profile);
}

}  // namespace takt::logp
