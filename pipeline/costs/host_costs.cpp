#include "pipeline/costs/host_costs.hpp"

#include <algorithm>
#include <chrono>
#include <cmath>

#include "core/formats/json.hpp"
#include "pipeline/constants.hpp"

namespace takt::pipeline {

namespace {

bool differ(Time a, Time b) {
  const auto [less, more] = std::minmax(a, b);
  return more - less > least_time &&
         static_cast<double>(more.count()) > (1 + accuracy_of_costs) * static_cast<double>(less.count());
}

bool differ(const std::vector<StageCost>& a, const std::vector<StageCost>& b) {
  for (std::size_t stage = 0; stage < a.size(); ++stage)
    if (differ(a[stage].cost, b[stage].cost)) return true;
  return false;
}

}  // namespace

std::vector<StageCost> merge_costs(const HostCosts& hosts) {
  std::vector<StageCost> costs = hosts.kinds.at(hosts.kind_of_rank.at(0));
  const auto is_other = [&](const std::vector<StageCost>& kind) { return differ(costs, kind); };
  if (std::ranges::none_of(hosts.kinds, is_other)) return costs;
  for (std::size_t stage = 0; stage < costs.size(); ++stage) {
    costs[stage].groups.clear();
    for (const std::size_t kind : hosts.kind_of_rank) {
      const StageCost& cost = hosts.kinds[kind][stage];
      costs[stage].by_rank.push_back({cost.cost, cost.copy});
    }
  }
  return costs;
}

StageCost with_share(StageCost cost, double share) {
  if (share >= 1) return cost;
  for (Time StageCost::*time :
       {&StageCost::cost, &StageCost::copy, &StageCost::receiving, &StageCost::low, &StageCost::high})
    cost.*time = Time(std::llround(static_cast<double>((cost.*time).count()) / share));
  return cost;
}

std::string costs_to_text(const std::vector<StageCost>& costs) {
  nlohmann::json json = nlohmann::json::array();
  for (const StageCost& cost : costs) {
    nlohmann::json groups = nlohmann::json::array();
    for (const MoldableProfile::Point& point : cost.groups)
      groups.push_back({point.processors, point.time.count()});
    json.push_back({cost.stage, cost.cost.count(), cost.copy.count(), cost.low.count(), cost.high.count(),
                    cost.runs, cost.receiving.count(), cost.is_whole, std::move(groups), cost.latency.count(),
                    cost.interval.count(), cost.cores});
  }
  return json_line(json);
}

std::vector<StageCost> costs_from_text(std::string_view text) {
  const nlohmann::json json = parse_json(text);
  try {
    std::vector<StageCost> costs;
    const auto time = [](const nlohmann::json& value) { return Time(value.get<Time::rep>()); };
    for (const nlohmann::json& cost : json) {
      std::vector<MoldableProfile::Point> groups;
      for (const nlohmann::json& point : cost.at(8))
        groups.push_back({point.at(0).get<std::uint32_t>(), time(point.at(1))});
      costs.push_back({.stage = cost.at(0).get<std::string>(),
                       .cost = time(cost.at(1)),
                       .copy = time(cost.at(2)),
                       .receiving = time(cost.at(6)),
                       .cores = cost.at(11).get<std::size_t>(),
                       .latency = time(cost.at(9)),
                       .interval = time(cost.at(10)),
                       .low = time(cost.at(3)),
                       .high = time(cost.at(4)),
                       .runs = cost.at(5).get<std::size_t>(),
                       .groups = std::move(groups),
                       .is_whole = cost.at(7).get<bool>()});
    }
    return costs;
  } catch (const nlohmann::json::exception& error) {
    throw ConfigError(error.what());
  }
}

}  // namespace takt::pipeline
