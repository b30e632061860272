#include "schedulers/bounds/max_flow.hpp"

#include <algorithm>

namespace takt::schedulers {

namespace {

constexpr std::uint32_t unreached = std::numeric_limits<std::uint32_t>::max();

}  // namespace

void MaxFlow::add_arc(std::size_t from, std::size_t to, Amount capacity) {
  arcs_of_[from].push_back(static_cast<std::uint32_t>(arcs_.size()));
  arcs_.push_back({static_cast<std::uint32_t>(to), capacity, capacity});
  arcs_of_[to].push_back(static_cast<std::uint32_t>(arcs_.size()));
  arcs_.push_back({static_cast<std::uint32_t>(from), 0, 0});
}

MaxFlow::Amount MaxFlow::between(std::size_t source, std::size_t sink) {
  for (Arc& arc : arcs_) arc.left = arc.capacity;
  Amount flow = 0;
  while (find_layers(source, sink)) {
    next_.assign(arcs_of_.size(), 0);
    flow += push(source, sink, endless);
  }
  return flow;
}

bool MaxFlow::is_on_source_side(std::size_t node) const {
  // Set by the last search for a path.
  return layer_[node] != unreached;
}

bool MaxFlow::find_layers(std::size_t source, std::size_t sink) {
  layer_.assign(arcs_of_.size(), unreached);
  layer_[source] = 0;
  std::vector<std::size_t> queue{source};
  for (std::size_t i = 0; i < queue.size() && layer_[sink] == unreached; ++i)
    for (std::uint32_t number : arcs_of_[queue[i]]) {
      const Arc& arc = arcs_[number];
      if (arc.left == 0 || layer_[arc.to] != unreached) continue;
      layer_[arc.to] = layer_[queue[i]] + 1;
      queue.push_back(arc.to);
    }
  return layer_[sink] != unreached;
}

MaxFlow::Amount MaxFlow::push(std::size_t node, std::size_t sink, Amount amount) {
  if (node == sink) return amount;
  Amount pushed = 0;
  // A skipped arc has no capacity left, or leads to a dead end.
  for (std::uint32_t& i = next_[node]; i < arcs_of_[node].size(); ++i) {
    const std::uint32_t number = arcs_of_[node][i];
    Arc& arc = arcs_[number];
    if (arc.left == 0 || layer_[arc.to] != layer_[node] + 1) continue;
    const Amount through = push(arc.to, sink, std::min(amount - pushed, arc.left));
    arc.left -= through;
    arcs_[number ^ 1U].left += through;
    pushed += through;
    if (pushed == amount) return pushed;
  }
  return pushed;
}

}  // namespace takt::schedulers
