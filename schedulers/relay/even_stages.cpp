#include "schedulers/relay/even_stages.hpp"

#include <algorithm>
#include <array>
#include <cstddef>
#include <span>

#include "schedulers/search/processor_ranking.hpp"
#include "schedulers/search/stage_search.hpp"
#include "schedulers/search/topological_order.hpp"

namespace takt::schedulers {

namespace {

constexpr std::size_t most_even_stages = 500;

constexpr std::array even_rules{OrderRule::layer, OrderRule::depth_first, OrderRule::least_live,
                                OrderRule::b_level};

/// Returns the share of the work that each processor can do in the joint time of all of them.
std::vector<double> shares_of_work(const Workload& workload, std::span<const ProcessorId> chain) {
  std::vector<double> speeds(workload.class_count(), 0.0);
  for (std::uint32_t c = 0; c < workload.class_count(); ++c) {
    Time all{0};
    for (Time time : workload.times(c)) all += time;
    speeds[c] = 1 / static_cast<double>(std::max(all, Time{1}).count());
  }
  std::vector<double> shares;
  double sum = 0;
  for (ProcessorId processor : chain) {
    shares.push_back(speeds[workload.class_of(processor)]);
    sum += shares.back();
  }
  for (double& share : shares) share /= sum;
  return shares;
}

/// A task belongs to the stage that contains its middle.
Stages cut_evenly(const Workload& workload, std::span<const TaskId> order, std::vector<ProcessorId> chain) {
  const std::vector<double> shares = shares_of_work(workload, chain);
  double all = 0;
  for (Time time : workload.times(0)) all += static_cast<double>(time.count());
  Stages stages{std::move(chain), std::vector<std::uint32_t>(order.size(), 0)};
  std::uint32_t stage = 0;
  double done = 0, end = shares[0] * all;
  for (TaskId task : order) {
    const auto time = static_cast<double>(workload.time(task, 0).count());
    while (stage + 1 < shares.size() && done + time / 2 > end) end += shares[++stage] * all;
    stages.stage_of[task.index()] = stage;
    done += time;
  }
  return stages;
}

}  // namespace

std::vector<Stages> even_stages(const Workload& workload) {
  const std::size_t processors = workload.machine().processor_count();
  if (workload.replicas() > 1 || workload.item_count() < 2 || processors < 2 || processors > most_even_stages)
    return {};
  std::vector<ProcessorId> chain = fastest_first(workload);
  if (!workload.links_are_equal()) chain = nearest_first(workload, chain.front());
  SearchRandom random(1);
  std::vector<Stages> result;
  for (OrderRule rule : even_rules)
    result.push_back(cut_evenly(workload, topological_order(workload.items(), rule, random), chain));
  return result;
}

}  // namespace takt::schedulers
