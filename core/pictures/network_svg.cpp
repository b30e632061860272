#include "core/pictures/network_svg.hpp"

#include <algorithm>
#include <map>
#include <utility>

#include <fmt/format.h>

#include "core/pictures/network_layout.hpp"
#include "core/pictures/palette.hpp"
#include "core/pictures/picture.hpp"

namespace takt {

namespace {

struct Connection {
  double load = -1;
  std::string says;
};

}  // namespace

std::string network_to_svg(const Network& network, std::span<const double> loads) {
  const NetworkLayout layout = lay_out(network);
  std::map<std::pair<std::size_t, std::size_t>, Connection> connections;
  for (std::size_t i = 0; i < network.links.size(); ++i) {
    const Link& link = network.links[i];
    Connection& each = connections[std::minmax(link.from.index(), link.to.index())];
    if (!loads.empty()) each.load = std::max(each.load, loads[i]);
    each.says += fmt::format("{}{} -> {}: latency {:g} ns, {:g} ns a byte{}", each.says.empty() ? "" : "; ",
                             link.from.index(), link.to.index(), link.latency, link.per_byte,
                             loads.empty() ? "" : fmt::format(", busy {:.0f} %", 100 * loads[i]));
  }
  Picture picture(std::max(layout.width, 60.0));
  constexpr double thin = 1.2, thick = 8;
  for (const auto& [ends, each] : connections) {
    const PicturePoint& a = layout.nodes[ends.first];
    const PicturePoint& b = layout.nodes[ends.second];
    const double width = each.load > 0 ? thin + (thick - thin) * std::min(each.load, 1.0) : thin;
    picture.begin_group(each.says);
    picture.line(a.x, a.y, b.x, b.y, each.load > 0 ? "heat" : "muted",
                 fmt::format(" stroke-width=\"{:.1f}\"", width));
    picture.end_group();
  }
  constexpr double half_width = 17, half_height = 12;
  for (std::size_t node = 0; node < layout.nodes.size(); ++node) {
    const PicturePoint& at = layout.nodes[node];
    picture.begin_group(fmt::format("node {}", node));
    picture.box(at.x - half_width, at.y - half_height, 2 * half_width, 2 * half_height, "card");
    picture.path(fmt::format("M{:.1f} {:.1f}H{:.1f}V{:.1f}H{:.1f}Z", at.x - half_width, at.y - half_height,
                             at.x + half_width, at.y + half_height, at.x - half_width),
                 "ink");
    picture.text(at.x, at.y + 4, "middle", fmt::format("{}", node));
    picture.end_group();
  }
  return picture_file(std::move(picture).finished(std::max(layout.height, 40.0)));
}

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
