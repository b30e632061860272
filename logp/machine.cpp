#include "logp/machine.hpp"

#include <algorithm>
#include <cmath>
#include <map>
#include <numeric>
#include <optional>
#include <tuple>

#include <fmt/format.h>

#include "core/error.hpp"

namespace takt::logp {

namespace {

std::array<LinkCosts, level_count> same_costs(const LinkCosts& costs) {
  std::array<LinkCosts, level_count> by_level;
  by_level.fill(costs);
  return by_level;
}

/// Quotients within this relative distance of an integer are that integer: 0.3 has no exact double.
constexpr double division_tolerance = 1e-12;

Time round_up(double quotient) {
  const double nearest = std::round(quotient);
  const bool whole = std::abs(quotient - nearest) <= division_tolerance * std::max(1.0, quotient);
  constexpr double most = 1e18;
  return Time(std::llround(std::min(whole ? nearest : std::ceil(quotient), most)));
}

}  // namespace

Machine::Machine(Platform platform, LinkCosts costs) : Machine(std::move(platform), same_costs(costs)) {}

Machine::Machine(Platform platform, const std::array<LinkCosts, level_count>& costs,
                 std::vector<PairCosts> pairs, std::vector<ClusterCosts> clusters)
    : platform_(std::move(platform)) {
  check_platform();
  const std::array<double, level_count> counts = platform_.pairs_by_level();
  for (std::size_t level = 0; level < level_count; ++level) kinds_.push_back({costs[level], counts[level]});
  kinds_[static_cast<std::size_t>(Level::processor)] = {};
  add_clusters(clusters);
  add_pairs(std::move(pairs));
  for (const CostKind& kind : kinds_) check(kind.costs);
}

void Machine::check_platform() const {
  const std::size_t count = processor_count();
  if (count == 0) throw ConfigError("a machine needs at least one processor");
  for (std::size_t p = 0; p < count; ++p)
    if (!(platform_.speeds[p] > 0) || !std::isfinite(platform_.speeds[p]))
      throw ConfigError(
          fmt::format("processor {} has speed {}: expected a number above 0", p, platform_.speeds[p]));
  if (platform_.node_of.size() != count)
    throw ConfigError(fmt::format("{} processors have {} nodes named: expected one for each processor", count,
                                  platform_.node_of.size()));
  for (std::uint32_t node : platform_.node_of)
    if (node >= platform_.cluster_of_node.size())
      throw ConfigError(fmt::format("node {} has no cluster: expected nodes below {}", node,
                                    platform_.cluster_of_node.size()));
    else if (!platform_.network.empty() && node >= platform_.network.node_count)
      throw ConfigError(fmt::format("node {} is not in the network, which has {} nodes", node,
                                    platform_.network.node_count));
    else if (!platform_.network.empty() && node >= platform_.network.place_count())
      throw ConfigError(
          fmt::format("node {} of the network is a switch: expected processors on nodes 0 to {}", node,
                      platform_.network.place_count() - 1));
}

void Machine::add_clusters(const std::vector<ClusterCosts>& clusters) {
  if (clusters.empty()) return;
  cluster_count_ = platform_.cluster_count();
  cluster_kinds_.resize(cluster_count_ * cluster_count_);
  for (std::size_t a = 0; a < cluster_count_; ++a)
    for (std::size_t b = 0; b < cluster_count_; ++b)
      cluster_kinds_[a * cluster_count_ + b] =
          static_cast<std::size_t>(a == b ? Level::cluster : Level::wide);
  std::map<LinkCosts, std::size_t> kind_of;
  for (const ClusterCosts& pair : clusters) {
    if (const std::uint32_t last = std::max(pair.from, pair.to); last >= cluster_count_)
      throw ConfigError(fmt::format("there is no cluster {}: the machine has {}", last, cluster_count_));
    std::size_t& kind = cluster_kinds_[pair.from * cluster_count_ + pair.to];
    if (kind >= level_count)
      throw ConfigError(fmt::format("the costs from cluster {} to {} are given twice", pair.from, pair.to));
    const auto [entry, is_new] = kind_of.try_emplace(pair.costs, kinds_.size());
    if (is_new) kinds_.push_back({pair.costs, 0});
    kind = entry->second;
    const double pairs = platform_.pairs_between(pair.from, pair.to);
    kinds_[kind].pairs += pairs;
    kinds_[static_cast<std::size_t>(pair.from == pair.to ? Level::cluster : Level::wide)].pairs -= pairs;
  }
}

void Machine::add_pairs(std::vector<PairCosts> pairs) {
  auto key = [](const auto& pair) { return std::tuple(pair.from, pair.to); };
  std::ranges::stable_sort(pairs, std::less{}, key);
  std::map<LinkCosts, std::size_t> kind_of;
  for (PairCosts& pair : pairs) {
    const auto [from, to] = key(pair);
    const std::size_t last = std::max(from.index(), to.index());
    if (last >= processor_count())
      throw ConfigError(fmt::format("there is no processor {}: the machine has {}", last, processor_count()));
    if (from == to)
      throw ConfigError(fmt::format("a message from processor {} to itself costs nothing", from.index()));
    if (!pair_kinds_.empty() && key(pair_kinds_.back()) == key(pair))
      throw ConfigError(
          fmt::format("the costs from processor {} to {} are given twice", from.index(), to.index()));
    const auto [kind, is_new] = kind_of.try_emplace(std::move(pair.costs), kinds_.size());
    if (is_new) kinds_.push_back({kind->first, 0});
    --kinds_[kind_of_clusters(from, to)].pairs;
    pair_kinds_.push_back({from, to, kind->second});
    ++kinds_[kind->second].pairs;
  }
}

std::size_t Machine::kind_of_pair(ProcessorId from, ProcessorId to) const {
  const auto found =
      std::ranges::lower_bound(pair_kinds_, std::tuple(from, to), std::less{},
                               [](const PairKind& pair) { return std::tuple(pair.from, pair.to); });
  return found != pair_kinds_.end() && found->from == from && found->to == to ? found->kind
                                                                              : kind_of_clusters(from, to);
}

std::array<LinkCosts, level_count> Machine::level_costs() const {
  std::array<LinkCosts, level_count> costs;
  for (std::size_t level = 0; level < level_count; ++level) costs[level] = kinds_[level].costs;
  return costs;
}

std::vector<PairCosts> Machine::pair_costs() const {
  std::vector<PairCosts> pairs;
  pairs.reserve(pair_kinds_.size());
  for (const auto& [from, to, kind] : pair_kinds_) pairs.push_back({from, to, kinds_[kind].costs});
  return pairs;
}

std::vector<ClusterCosts> Machine::cluster_costs() const {
  std::vector<ClusterCosts> clusters;
  for (std::size_t i = 0; i < cluster_kinds_.size(); ++i)
    if (cluster_kinds_[i] >= level_count)
      clusters.push_back({static_cast<std::uint32_t>(i / cluster_count_),
                          static_cast<std::uint32_t>(i % cluster_count_), kinds_[cluster_kinds_[i]].costs});
  return clusters;
}

Machine Machine::subset(std::span<const ProcessorId> processors) const {
  std::vector<PairCosts> pairs;
  if (!pair_kinds_.empty()) {
    std::vector<std::optional<ProcessorId>> new_id(processor_count());
    for (std::size_t p = 0; p < processors.size(); ++p) new_id[processors[p].index()] = ProcessorId(p);
    for (const auto& [from, to, kind] : pair_kinds_)
      if (new_id[from.index()] && new_id[to.index()])
        pairs.push_back({*new_id[from.index()], *new_id[to.index()], kinds_[kind].costs});
  }
  return {platform_.subset(processors), level_costs(), std::move(pairs), cluster_costs()};
}

Machine Machine::grown(std::size_t count) const {
  return {platform_.grown(count), level_costs(), pair_costs(), cluster_costs()};
}

Machine Machine::constant(std::size_t processors, Time latency, Time overhead, Time gap) {
  auto cost = [](Time time) { return Cost(static_cast<double>(time.count()), 0); };
  return {Platform::uniform(processors),
          LinkCosts{cost(latency), cost(overhead), cost(overhead), cost(gap), cost(gap)}};
}

Machine Machine::delay(std::size_t processors) {
  LinkCosts costs;
  costs.latency = Cost(0, 1);
  return {Platform::uniform(processors), costs};
}

bool Machine::communication_is_free() const {
  return std::ranges::all_of(occurring_costs(), [](const LinkCosts& costs) { return costs == LinkCosts{}; });
}

Time Machine::quotient(Time work, double speed) {
  return round_up(static_cast<double>(work.count()) / speed);
}

Time Machine::duration(const TaskGraph& graph, TaskId task, std::span<const ProcessorId> group) const {
  if (group.size() == 1) return duration(graph, task, group.front());
  double slowest = platform_.speeds[group.front().index()];
  for (ProcessorId p : group) slowest = std::min(slowest, platform_.speeds[p.index()]);
  return round_up(graph.task(task).time_on(group.size()) / slowest);
}

}  // namespace takt::logp
