#include "schedulers/relay/group_search.hpp"

#include <algorithm>
#include <numeric>
#include <utility>

#include "schedulers/search/merged_groups.hpp"
#include "schedulers/search/processor_ranking.hpp"

namespace takt::schedulers {

namespace {

/// Chains of groups that are searched further as chains of tasks.
constexpr std::size_t kept_starts = 2;
/// Largest graphs whose groups are merged: tasks times edges, and stages with direct messages.
constexpr std::size_t most_merging_steps = 20'000'000, most_merged_stages = 500;

/// Returns the stages of tasks from those of their groups.
Stages stages_of_tasks(const Groups& groups, const Stages& of_groups) {
  Stages stages{of_groups.chain, std::vector<std::uint32_t>(groups.of.size())};
  for (std::size_t task = 0; task < groups.of.size(); ++task)
    stages.stage_of[task] = of_groups.stage_of[groups.of[task]];
  return stages;
}

Time load_of_direct(const Workload& workload, const Stages& stages) {
  return Time(StageLoads(workload, stages.chain, stages.stage_of, Routing::direct).repetition());
}

/// Number of task moves that a group move is worth, by the data that each takes along.
std::uint64_t moves_of_tasks(const TaskGraph& tasks, const TaskGraph& groups) {
  const double of_task = static_cast<double>(tasks.edge_count()) / static_cast<double>(tasks.task_count());
  const double of_group = static_cast<double>(groups.edge_count()) / static_cast<double>(groups.task_count());
  return 1 + static_cast<std::uint64_t>(of_group / (1 + of_task));
}

std::vector<Chain> chains_of_groups(const Workload& groups, Time bound, std::uint64_t& budget,
                                    std::uint64_t seed) {
  if (groups.items().edge_count() == 0) {
    const std::vector<Stages> start{longest_first(groups)};
    return improve_chains(groups, start, bound, budget, seed);
  }
  return search_chains(groups, bound, budget, seed).chains;
}

}  // namespace

Stages longest_first(const Workload& groups) {
  const std::size_t processors = groups.machine().processor_count();
  Stages stages{{}, std::vector<std::uint32_t>(groups.item_count())};
  for (ProcessorId p : groups.machine().processors()) stages.chain.push_back(p);
  std::vector<std::size_t> order(groups.item_count());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::ranges::stable_sort(order, std::greater{},
                           [&](std::size_t group) { return groups.items().task(TaskId(group)).work; });
  std::vector<Time> load(processors, Time{0});
  for (std::size_t group : order) {
    const auto end = [&](std::size_t p) {
      return load[p] + groups.time(TaskId(group), groups.class_of(ProcessorId(p)));
    };
    std::size_t best = 0;
    for (std::size_t p = 1; p < processors; ++p)
      if (end(p) < end(best)) best = p;
    load[best] = end(best);
    stages.stage_of[group] = static_cast<std::uint32_t>(best);
  }
  return stages;
}

std::vector<Stages> merged_stages(const Workload& workload) {
  const TaskGraph& graph = workload.items();
  if (graph.task_count() * graph.edge_count() > most_merging_steps) return {};
  std::vector<std::size_t> counts;
  for (std::size_t count = std::min(workload.machine().processor_count(), most_merged_stages); count > 1;
       count = (count + 1) / 2 < count ? (count + 1) / 2 : 1)
    if (count < graph.task_count()) counts.push_back(count);
  std::vector<Stages> result;
  for (const Groups& groups : merged_groups(graph, counts)) {
    std::vector<std::uint32_t> place(groups.count());
    std::uint32_t next = 0;
    for (TaskId group : groups.graph.topological_order()) place[group.index()] = next++;
    Stages& stages = result.emplace_back();
    for (ProcessorId p : fastest_first(workload))
      if (stages.chain.size() < groups.count()) stages.chain.push_back(p);
    for (std::uint32_t group : groups.of) stages.stage_of.push_back(place[group]);
  }
  return result;
}

std::vector<Chain> search_groups(const Workload& workload, std::vector<Groups> groupings,
                                 std::vector<Stages> starts, Time bound, std::uint64_t& budget,
                                 std::uint64_t seed) {
  std::vector<Chain> found;
  std::uint64_t for_tasks = budget / 2;
  budget -= for_tasks;
  for (std::size_t i = 0; i < groupings.size(); ++i) {
    const Groups groups = std::move(groupings[i]);
    const Workload of_groups(groups.graph, workload.machine());
    const std::uint64_t cost = moves_of_tasks(workload.items(), groups.graph);
    std::uint64_t slice = budget / (groupings.size() - i) / cost;
    budget -= slice * cost;
    std::vector<Chain> chains = chains_of_groups(of_groups, bound, slice, seed);
    budget += slice * cost;
    chains.erase(chains.begin() + static_cast<std::ptrdiff_t>(std::min(chains.size(), kept_starts)),
                 chains.end());
    for (const Chain& chain : chains) {
      Stages stages = stages_of_tasks(groups, chain.stages);
      // Times of tasks are rounded separately, so their group's load is only approximately theirs.
      const Time load = load_of(workload, stages, chain.routes);
      starts.push_back(stages);
      found.push_back({std::move(stages), chain.routes, load});
      if (load <= bound) return found;
    }
  }
  budget += for_tasks;
  std::ranges::stable_sort(starts, {}, [&](const Stages& each) { return load_of_direct(workload, each); });
  if (starts.size() > kept_starts) starts.resize(kept_starts);
  std::vector<Chain> improved = improve_chains(workload, starts, bound, budget, seed);
  std::ranges::move(improved, std::back_inserter(found));
  return found;
}

}  // namespace takt::schedulers
