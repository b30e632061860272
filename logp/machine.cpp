#include "logp/machine.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>

#include <fmt/format.h>

#include "core/error.hpp"

namespace takt::logp {

namespace {

std::array<LinkCosts, level_count> same_costs(const LinkCosts& costs) {
  std::array<LinkCosts, level_count> by_level;
  by_level.fill(costs);
  return by_level;
}

/// Quotients within this relative distance of a whole number are that number: 0.3 has no exact double.
constexpr double division_tolerance = 1e-12;

Time divide_rounding_up(Time work, double speed) {
  if (speed == 1.0) return work;
  const double quotient = static_cast<double>(work.count()) / speed;
  const double nearest = std::round(quotient);
  const bool whole = std::abs(quotient - nearest) <= division_tolerance * std::max(1.0, quotient);
  constexpr double most = 1e18;
  return Time(std::llround(std::min(whole ? nearest : std::ceil(quotient), most)));
}

}  // namespace

Machine::Machine(Platform platform, LinkCosts costs) : Machine(std::move(platform), same_costs(costs)) {}

Machine::Machine(Platform platform, std::array<LinkCosts, level_count> costs)
    : platform_(std::move(platform)), costs_(std::move(costs)) {
  costs_[static_cast<std::size_t>(Level::processor)] = {};
  for (const LinkCosts& link : costs_) check(link);
  const std::size_t count = processor_count();
  if (count == 0) throw ConfigError("a machine needs one processor at least");
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

Time Machine::latency(ProcessorId from, ProcessorId to, Bytes size) const {
  return costs(from, to).latency.at(size);
}

Time Machine::send_overhead(ProcessorId from, ProcessorId to, Bytes size) const {
  return costs(from, to).send_overhead.at(size);
}

Time Machine::receive_overhead(ProcessorId from, ProcessorId to, Bytes size) const {
  return costs(from, to).receive_overhead.at(size);
}

Time Machine::send_gap(ProcessorId from, ProcessorId to, Bytes size) const {
  return costs(from, to).send_gap.at(size);
}

Time Machine::receive_gap(ProcessorId from, ProcessorId to, Bytes size) const {
  return costs(from, to).receive_gap.at(size);
}

bool Machine::communication_is_free() const {
  return std::all_of(costs_.begin(), costs_.end(),
                     [](const LinkCosts& costs) { return costs == LinkCosts{}; });
}

Time Machine::duration(const TaskGraph& graph, TaskId task, ProcessorId processor) const {
  if (const std::optional<Time> work = graph.work_on(task, processor)) return *work;
  return divide_rounding_up(graph.task(task).work, platform_.speeds[processor.index()]);
}

Time Machine::period_bound(const TaskGraph& graph) const {
  const auto& speeds = platform_.speeds;
  if (!graph.has_work_table()) {
    const ProcessorId fastest(
        static_cast<std::size_t>(std::max_element(speeds.begin(), speeds.end()) - speeds.begin()));
    Time longest{0};
    for (TaskId task : graph.tasks()) longest = std::max(longest, duration(graph, task, fastest));
    const double total_speed = std::accumulate(speeds.begin(), speeds.end(), 0.0);
    return std::max(longest, divide_rounding_up(graph.total_work(), total_speed));
  }
  Time sum{0}, longest{0};
  for (TaskId task : graph.tasks()) {
    Time least = Time::max();
    for (ProcessorId p : processors()) least = std::min(least, duration(graph, task, p));
    longest = std::max(longest, least);
    sum += least;
  }
  return std::max(longest, divide_rounding_up(sum, static_cast<double>(processor_count())));
}

}  // namespace takt::logp
