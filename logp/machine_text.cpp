/// MACHINE of the command line.

#include <algorithm>
#include <filesystem>
#include <map>
#include <vector>

#include <fmt/format.h>

#include "core/error.hpp"
#include "core/system/text_file.hpp"
#include "logp/cost_text.hpp"
#include "logp/machine.hpp"
#include "logp/machine_yaml.hpp"
#include "logp/simgrid_platform.hpp"

namespace takt::logp {

namespace {

constexpr std::string_view examples =
    "expected a YAML file, FILE:PROFILE, logp:P=3,L=1,o=1,g=2, loglinear:P=3,L=1+1,o=1+1,g=2+2, "
    "delay:P=4 or contention:P=4";

using Settings = std::map<std::string_view, std::string_view>;

std::vector<std::string_view> split(std::string_view text, char separator) {
  std::vector<std::string_view> parts;
  for (std::size_t at = text.find(separator); at != std::string_view::npos; at = text.find(separator)) {
    parts.push_back(text.substr(0, at));
    text.remove_prefix(at + 1);
  }
  parts.push_back(text);
  return parts;
}

/// Parses comma-separated `key=value` pairs; every key must be one of `known`, without repetition.
Settings parse_settings(std::string_view text, const std::vector<std::string_view>& known) {
  Settings settings;
  for (const std::string_view pair : split(text, ',')) {
    const std::size_t equals = pair.find('=');
    if (equals == std::string_view::npos) throw ConfigError(fmt::format("'{}': expected KEY=VALUE", pair));
    const std::string_view key = pair.substr(0, equals);
    if (std::find(known.begin(), known.end(), key) == known.end())
      throw ConfigError(unknown_name("key", key, known));
    if (!settings.emplace(key, pair.substr(equals + 1)).second)
      throw ConfigError(fmt::format("key '{}' is given twice", key));
  }
  return settings;
}

/// Runs a parser on one setting and adds the key to its errors.
template <class Parser>
auto parse_setting(const Settings& settings, std::string_view key, Parser parser) {
  try {
    return parser(settings.at(key));
  } catch (const ConfigError& error) {
    throw ConfigError(fmt::format("key '{}': {}", key, error.what()));
  }
}

/// Returns the links between nodes, all of the same cost.
Network parse_links(const Settings& settings) {
  if (!settings.contains("network")) {
    if (settings.contains("link"))
      throw ConfigError("key 'link': expected a network as well, such as network=ring:4");
    return {};
  }
  LinkCost cost;
  if (settings.contains("link"))
    cost = parse_setting(settings, "link", [](std::string_view text) {
      const Cost parsed = parse_cost(text);
      return LinkCost{parsed.segments().front().constant, parsed.segments().front().per_byte};
    });
  return parse_setting(settings, "network", [&](std::string_view text) { return parse_network(text, cost); });
}

/// Returns the links of the contention model, where a message takes its size.
Network parse_channels(const Settings& settings, std::size_t processors) {
  if (!settings.contains("channel")) return channels_network(processors);
  return parse_setting(settings, "channel", [&](std::string_view text) {
    if (text == "receive") return channels_network(processors);
    if (text == "both") {
      Network network = switch_network(processors);
      network.has_circuits = true;
      return network;
    }
    throw ConfigError(unknown_name("channel", text, {"receive", "both"}));
  });
}

/// Parses `big:4/little:16`.
void parse_types(const Settings& settings, Platform& platform) {
  parse_setting(settings, "types", [&](std::string_view text) {
    for (const std::string_view part : split(text, '/')) {
      const std::size_t colon = part.find(':');
      if (colon == 0 || colon == std::string_view::npos)
        throw ConfigError(fmt::format("'{}': expected NAME:NUMBER, such as big:4/little:16", part));
      const std::string name(part.substr(0, colon));
      if (std::ranges::find(platform.core_types, name) != platform.core_types.end())
        throw ConfigError(fmt::format("type '{}' is given twice", name));
      platform.type_of.insert(platform.type_of.end(), parse_count(part.substr(colon + 1), 1),
                              static_cast<std::uint32_t>(platform.core_types.size()));
      platform.core_types.push_back(name);
    }
    if (platform.type_of.size() != platform.processor_count())
      throw ConfigError(fmt::format("'{}' has {} processors, P is {}: expected equal numbers", text,
                                    platform.type_of.size(), platform.processor_count()));
    return 0;
  });
}

Platform parse_platform(const Settings& settings) {
  if (!settings.contains("P"))
    throw ConfigError("key 'P' is missing: expected the number of processors, P=3");
  Platform platform = Platform::uniform(
      parse_setting(settings, "P", [](std::string_view text) { return parse_count(text, 1); }));
  platform.network = parse_links(settings);
  if (settings.contains("types")) parse_types(settings, platform);
  if (!settings.contains("speed")) return platform;
  platform.speeds = parse_setting(settings, "speed", [&](std::string_view text) {
    std::vector<double> speeds;
    for (const std::string_view part : split(text, '/')) {
      speeds.push_back(parse_number(part));
      if (speeds.back() <= 0) throw ConfigError(fmt::format("'{}': expected speeds above 0", part));
    }
    if (speeds.size() != platform.processor_count())
      throw ConfigError(
          fmt::format("'{}' has {} speeds for {} processors: expected one per processor, such as 1/1/2", text,
                      speeds.size(), platform.processor_count()));
    return speeds;
  });
  return platform;
}

LinkCosts parse_link_costs(const Settings& settings, bool may_be_linear) {
  auto cost = [&](std::string_view key) {
    if (!settings.contains(key)) return Cost();
    return parse_setting(settings, key, [&](std::string_view text) {
      const Cost parsed = parse_cost(text);
      const Cost::Segment& segment = parsed.segments().front();
      if (!may_be_linear && segment.per_byte != 0)
        throw ConfigError(fmt::format("'{}' depends on the size: expected a constant, or loglinear:", text));
      if (segment.per_byte < 0 || segment.constant < 0)
        throw ConfigError(fmt::format("'{}': expected numbers that are not negative", text));
      return parsed;
    });
  };
  return {cost("L"), cost("o"), cost("o"), cost("g"), cost("g")};
}

Machine parse_kind(std::string_view kind, std::string_view text) {
  if (kind == "delay")
    return {parse_platform(parse_settings(text, {"P", "speed", "types", "network", "link"})),
            Machine::delay(1).costs(Level::node)};
  if (kind == "contention") {
    const Settings settings = parse_settings(text, {"P", "speed", "types", "channel"});
    Platform platform = parse_platform(settings);
    platform.network = parse_channels(settings, platform.processor_count());
    return {std::move(platform), Machine::delay(1).costs(Level::node)};
  }
  if (kind != "logp" && kind != "loglinear")
    throw ConfigError(unknown_name("machine", kind, {"logp", "loglinear", "delay", "contention"}));
  const Settings settings = parse_settings(text, {"P", "L", "o", "g", "speed", "types", "network", "link"});
  return {parse_platform(settings), parse_link_costs(settings, kind == "loglinear")};
}

}  // namespace

Machine parse_machine(std::string_view text) {
  const std::filesystem::path path(text);
  const std::size_t colon = text.find(':');
  if (std::filesystem::exists(path) && path.extension() == ".xml")
    return machine_from_simgrid(read_text_file(path), path.string());
  if (std::filesystem::exists(path)) return machine_from_yaml(read_text_file(path), path.string());
  if (const std::size_t last = text.rfind(':'); last != std::string_view::npos)
    if (const std::filesystem::path file(text.substr(0, last)); std::filesystem::is_regular_file(file))
      return machine_from_yaml(read_text_file(file), file.string(), text.substr(last + 1));
  if (colon == std::string_view::npos)
    throw ConfigError(fmt::format("machine '{}': there is no such file; {}", text, examples));
  try {
    return parse_kind(text.substr(0, colon), text.substr(colon + 1));
  } catch (const ConfigError& error) {
    throw ConfigError(fmt::format("machine '{}': {}; {}", text, error.what(), examples));
  }
}

}  // namespace takt::logp
