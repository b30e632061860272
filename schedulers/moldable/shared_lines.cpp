#include "schedulers/moldable/shared_lines.hpp"

#include <algorithm>

namespace takt::schedulers {

SharedLines::SharedLines(const logp::Machine& machine, const Clusters& clusters)
    : machine_(machine), clusters_(clusters), free_(clusters.count() * clusters.count(), Time{0}) {}

const logp::LinkCosts& SharedLines::costs(std::size_t from, std::size_t to) const {
  return machine_.costs(clusters_.list[from].processors.front(), clusters_.list[to].processors.back());
}

Time SharedLines::arrival(const Edge& edge, std::size_t from, Time made, Time alone, std::size_t to) const {
  if (alone == Time{0}) return made;
  const logp::LinkCosts& between = costs(from, to);
  const Time begin = std::max(made, free_[line(from, to)]);
  return std::max(made + alone, begin + between.latency.at(Bytes{0}) + between.backbone.at(edge.size));
}

void SharedLines::reserve(const Edge& edge, std::size_t from, Time made, std::size_t to) {
  const Time held = costs(from, to).backbone.at(edge.size);
  if (held == Time{0}) return;
  Time& free = free_[line(from, to)];
  free = std::max(made, free) + held;
}

}  // namespace takt::schedulers
