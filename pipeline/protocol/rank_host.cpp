#include "pipeline/protocol/rank_host.hpp"

#include <array>
#include <fstream>
#include <memory>
#include <set>

#include <ifaddrs.h>
#include <netdb.h>
#include <netinet/in.h>
#include <nlohmann/json.hpp>

#include "core/system/host_name.hpp"
#include "logp/calibration/host_processors.hpp"

namespace takt::pipeline {

using nlohmann::json;

std::optional<std::size_t> node_of_interface(const std::string& address,
                                             const std::filesystem::path& interfaces) {
  ifaddrs* list = nullptr;
  if (address.empty() || ::getifaddrs(&list) != 0) return std::nullopt;
  const std::unique_ptr<ifaddrs, void (*)(ifaddrs*)> owner(list, ::freeifaddrs);
  for (const ifaddrs* each = list; each != nullptr; each = each->ifa_next) {
    if (each->ifa_addr == nullptr) continue;
    const bool is_wide = each->ifa_addr->sa_family == AF_INET6;
    if (!is_wide && each->ifa_addr->sa_family != AF_INET) continue;
    std::array<char, NI_MAXHOST> text{};
    const socklen_t size = is_wide ? sizeof(sockaddr_in6) : sizeof(sockaddr_in);
    if (::getnameinfo(each->ifa_addr, size, text.data(), text.size(), nullptr, 0, NI_NUMERICHOST) != 0 ||
        address != text.data())
      continue;
    int node = -1;
    std::ifstream(interfaces / each->ifa_name / "device" / "numa_node") >> node;
    if (node >= 0) return static_cast<std::size_t>(node);
  }
  return std::nullopt;
}

RankHost own_host(const Pipeline& pipeline) {
  RankHost host{.name = host_name(), .processors = logp::host_processors()};
  std::set<std::size_t> nodes;
  for (const logp::HostProcessor& each : host.processors) nodes.insert(each.numa);
  for (const Stage& stage : pipeline.stages) {
    std::optional<std::size_t>& node = host.interface_nodes.emplace_back();
    if (!stage.place || !stage.place->is_at_interface) continue;
    if (nodes.size() == 1)
      node = *nodes.begin();
    else if (stage.parameters.has("address"))
      node = node_of_interface(stage.parameters.text("address"));
  }
  return host;
}

std::string to_text(const RankHost& host) {
  json text{{"name", host.name}, {"processors", json::array()}, {"interfaces", json::array()}};
  for (const logp::HostProcessor& each : host.processors)
    text["processors"].push_back({each.number, each.numa, each.type});
  for (const std::optional<std::size_t>& node : host.interface_nodes)
    text["interfaces"].push_back(node ? json(*node) : json());
  return text.dump();
}

RankHost rank_host_from_text(const std::string& text, int node) {
  const json host = json::parse(text);
  RankHost result{.name = host.at("name"), .node = node, .processors = {}};
  for (const json& each : host.at("processors"))
    result.processors.push_back({each.at(0), each.at(1), each.at(2)});
  for (const json& each : host.at("interfaces")) {
    std::optional<std::size_t>& own = result.interface_nodes.emplace_back();
    if (!each.is_null()) own = each.get<std::size_t>();
  }
  return result;
}

}  // namespace takt::pipeline
