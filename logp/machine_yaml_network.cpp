#include "logp/machine_yaml_network.hpp"

#include <algorithm>
#include <array>
#include <cstddef>
#include <string_view>

#include <fmt/format.h>

#include "logp/cost_text.hpp"
#include "logp/machine_yaml_values.hpp"

namespace takt::logp {

namespace {

class NetworkReader : MachineValues {
 public:
  explicit NetworkReader(ErrorList& errors) : MachineValues(errors) {}

  Network read(const YamlNode& node) {
    Network network = read_links(node);
    if (const YamlNode circuits = node.is_mapping() ? node["circuits"] : YamlNode())
      attempt(circuits, [&] { network.has_circuits = read_boolean(circuits, "circuits"); });
    return network;
  }

 private:
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
};

}  // namespace

Network read_network(const YamlNode& node, ErrorList& errors) {
  return NetworkReader(errors).read(node);
}

}  // namespace takt::logp
