#include "core/pictures/network_dot.hpp"

#include <algorithm>
#include <map>
#include <utility>
#include <vector>

#include <fmt/format.h>

namespace takt {

std::string network_to_dot(const Network& network) {
  std::map<std::pair<std::size_t, std::size_t>, std::vector<const Link*>> pairs;
  for (const Link& link : network.links)
    pairs[std::minmax(link.from.index(), link.to.index())].push_back(&link);
  const bool is_undirected = std::ranges::all_of(pairs, [](const auto& pair) {
    const auto& links = pair.second;
    return links.size() == 2 && links[0]->from != links[1]->from && links[0]->latency == links[1]->latency &&
           links[0]->per_byte == links[1]->per_byte;
  });
  std::string text = fmt::format("{} network {{\n  node [shape=box]\n", is_undirected ? "graph" : "digraph");
  for (std::size_t node = 0; node < network.node_count; ++node) text += fmt::format("  {}\n", node);
  const auto line = [&](const Link& link, const char* arrow) {
    text += fmt::format("  {} {} {} [label=\"{:g} + {:g} s\"]\n", link.from.index(), arrow, link.to.index(),
                        link.latency, link.per_byte);
  };
  for (const auto& [ends, links] : pairs) {
    if (is_undirected)
      line(*links.front(), "--");
    else
      for (const Link* link : links) line(*link, "->");
  }
  return text + "}\n";
}

}  // namespace takt
