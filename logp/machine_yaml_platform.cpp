#include "logp/machine_yaml_platform.hpp"

#include <algorithm>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "logp/cost_text.hpp"
#include "logp/machine_yaml_names.hpp"
#include "logp/machine_yaml_network.hpp"
#include "logp/machine_yaml_values.hpp"

namespace takt::logp {

namespace {

class MachinePlatformReader : MachineValues {
 public:
  explicit MachinePlatformReader(ErrorList& errors) : MachineValues(errors) {}

  Platform read(const YamlNode& root) {
    const YamlNode count = root["processors"], list = root["clusters"];
    if (!count && list.is_list() && list.size() > 0 && (*list.begin()).is_mapping()) {
      Platform platform = read_clusters(root, list);
      if (const YamlNode network = root["network"]) platform.network = read_network(network, errors_);
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
    if (const YamlNode network = root["network"]) platform.network = read_network(network, errors_);
    return platform;
  }

 private:
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
};

}  // namespace

Platform read_platform(const YamlNode& root, ErrorList& errors) {
  return MachinePlatformReader(errors).read(root);
}

}  // namespace takt::logp
