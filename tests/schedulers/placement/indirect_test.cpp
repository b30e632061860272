/// Are schedules for fully connected processors mapped well to networks?
///
/// The oracle places groups in every way, and computes their exchanges independently.

#include "schedulers/placement/indirect.hpp"

#include <map>
#include <span>

#include <fmt/format.h>
#include <gtest/gtest.h>

#include "core/graphs/generators.hpp"
#include "core/random.hpp"
#include "logp/diagnostics.hpp"
#include "schedulers/clustering/dsc.hpp"
#include "schedulers/frequency/single.hpp"
#include "schedulers/list/hlfet.hpp"
#include "schedulers/placement/routed_search.hpp"
#include "schedulers/registry/registry.hpp"
#include "tests/schedulers/placement/network_study.hpp"

namespace takt::schedulers {
namespace placement_indirect_test {

Time makespan(const Scheduler& scheduler, const TaskGraph& graph, const logp::Machine& machine,
              NetworkMapping mapping = NetworkMapping::best) {
  Options options;
  options.mapping = mapping;
  const Schedule schedule = scheduler.schedule(graph, machine, options);
  EXPECT_TRUE(logp::diagnose(graph, machine, schedule).empty()) << scheduler.name;
  return measure(schedule).makespan;
}

/// docs/reproduction/networks.md on some of its graphs.
TEST(IndirectMapping, has_no_schedule_longer_than_one_processor_and_none_far_from_the_best) {
  constexpr std::string_view machines[] = {small_networks[0], small_networks[3]};
  const NetworkStudy study = network_study(std::span(small_network_graphs).first(3), machines);
  std::map<std::string_view, const NetworkRow*> row_of;
  for (const NetworkRow& row : study.rows) {
    row_of[row.scheduler->name] = &row;
    EXPECT_EQ(row.mapped.longer_than_one, 0) << row.scheduler->name;
    EXPECT_LE(row.mapped.mean, 1.2) << row.scheduler->name;
    EXPECT_LE(row.mapped.mean, row.decided.mean) << row.scheduler->name;
  }
  EXPECT_LE(row_of["ca_search"]->mapped.mean, 1);
  EXPECT_LT(row_of["bsa"]->decided.mean, row_of["mh"]->decided.mean);
  EXPECT_LT(row_of["mh"]->decided.mean, row_of["bu"]->decided.mean);
  EXPECT_GT(row_of["bu"]->decided.longer_than_one, 0);
}

/// All schedulers of the registry: those for the frequency by their periods.
TEST(IndirectMapping, has_no_scheduler_worse_than_one_processor_by_its_objective) {
  const std::pair<const char*, const char*> cases[] = {
      {"gauss:size=8,cost=10,data=20", "delay:P=16,network=mesh:4x4"},
      {"layered:tasks=25,cost=1..100,ccr=10,seed=3", "logp:P=8,L=2,o=3,g=4,network=hypercube:3"},
      {"fork_join:width=6,cost=1..100,ccr=5,seed=1,alpha=0.2", "delay:P=4,network=star:4,speed=1/2/1/1"}};
  for (const auto& [shape, network] : cases) {
    const TaskGraph graph = generate(shape);
    const logp::Machine machine = logp::parse_machine(network);
    const ScheduleMetrics alone = measure(single(graph, machine, {}));
    for (const Scheduler& scheduler : all_schedulers()) {
      const Schedule schedule = scheduler.schedule(graph, machine, {.effort = 200});
      EXPECT_TRUE(logp::diagnose(graph, machine, schedule).empty()) << scheduler.name;
      EXPECT_EQ(schedule.scheduler, scheduler.name);
      const ScheduleMetrics made = measure(schedule);
      if (scheduler.traits.made_for == Objective::makespan) {
        EXPECT_LE(made.makespan, alone.makespan) << scheduler.name << ", " << shape << " on " << network;
      } else {
        EXPECT_LE(made.exact_period(), alone.exact_period())
            << scheduler.name << ", " << shape << " on " << network;
      }
    }
  }
}

TEST(IndirectMapping, has_no_schedule_longer_than_the_scheduler_decides) {
  for (std::string_view network : {small_networks[1], small_networks[2]})
    for (std::string_view shape : {small_network_graphs[0], small_network_graphs[5]}) {
      const TaskGraph graph = generate(shape);
      const logp::Machine machine = logp::parse_machine(network);
      for (const Scheduler& scheduler : all_schedulers())
        if (is_for_makespans(scheduler)) {
          EXPECT_LE(makespan(scheduler, graph, machine),
                    makespan(scheduler, graph, machine, NetworkMapping::none))
              << scheduler.name << ", " << shape << " on " << network;
        }
    }
}

/// As in decision 0110: groups of a thousand tasks have no trials of single tasks.
TEST(IndirectMapping, dissolves_large_groups_that_are_a_tenth_longer) {
  const TaskGraph graph = generate("gauss:size=30,cost=1..100,ccr=1,seed=1");
  const logp::Machine machine = logp::parse_machine("delay:P=64,network=mesh:8x8");
  const Time best = makespan(find_scheduler("mh"), graph, machine);
  for (const char* name : {"hlfet", "dsc", "bu"})
    EXPECT_LE(makespan(find_scheduler(name), graph, machine).count() * 10, best.count() * 12) << name;
}

TEST(IndirectMapping, uses_the_requested_mapping) {
  const TaskGraph graph = generate("gauss:size=6,cost=10,data=5");
  const logp::Machine machine = logp::parse_machine("delay:P=6,network=ring:6");
  const Time unmapped = makespan(find_scheduler("dsc"), graph, machine, NetworkMapping::none);
  EXPECT_EQ(unmapped, measure(dsc(graph, machine, {})).makespan);
  for (const NetworkMapping mapping :
       {NetworkMapping::astar, NetworkMapping::recursive_clustering, NetworkMapping::annealing})
    EXPECT_GT(makespan(find_scheduler("dsc"), graph, machine, mapping), Time{0});
  // Without a network nothing changes.
  const logp::Machine direct = logp::Machine::delay(6);
  EXPECT_EQ(makespan(find_scheduler("dsc"), graph, direct), measure(dsc(graph, direct, {})).makespan);
}

TEST(GroupExchanges, equal_the_edges_between_two_groups) {
  for (std::uint64_t seed = 1; seed <= 20; ++seed) {
    const TaskGraph graph = generate(fmt::format("layered:tasks=30,cost=1..9,data=1..9,seed={}", seed));
    Random draw(seed);
    PlacedGroups groups;
    constexpr std::uint32_t count = 5;
    groups.place.resize(count);
    for (std::size_t i = 0; i < graph.task_count(); ++i)
      groups.group_of.push_back(i < count ? static_cast<std::uint32_t>(i)
                                          : static_cast<std::uint32_t>(draw.below(count)));
    const TaskGraph exchanges = exchanges_of_groups(graph, groups.group_of, count);
    std::int64_t said[count][count] = {};
    std::int64_t work[count] = {};
    for (TaskId task : graph.tasks()) work[groups.group_of[task.index()]] += graph.task(task).work.count();
    for (EdgeId id : graph.edges()) {
      const std::uint32_t a = groups.group_of[graph.edge(id).from.index()],
                          b = groups.group_of[graph.edge(id).to.index()];
      if (a != b)
        said[std::min(a, b)][std::max(a, b)] += static_cast<std::int64_t>(graph.edge(id).size.count);
    }
    for (EdgeId id : exchanges.edges()) {
      const Edge edge = exchanges.edge(id);
      said[edge.from.index()][edge.to.index()] -= static_cast<std::int64_t>(edge.size.count);
    }
    for (std::size_t a = 0; a < count; ++a) {
      EXPECT_EQ(exchanges.task(TaskId(a)).work.count(), work[a]);
      for (std::size_t b = 0; b < count; ++b) EXPECT_EQ(said[a][b], 0) << a << " and " << b;
    }
  }
}

TEST(IndirectMapping, is_near_the_best_of_all_placements_of_small_groups) {
  double excess = 0;
  int whole = 0;
  constexpr int graphs = 20;
  for (std::uint64_t seed = 1; seed <= graphs; ++seed) {
    const TaskGraph graph = generate(fmt::format("layered:tasks=12,cost=1..20,data=1..20,seed={}", seed));
    const logp::Machine machine = logp::parse_machine("delay:P=4,network=ring:4");
    const DelayModel model(graph, machine);
    const Schedule made = hlfet(graph, machine, {});
    const Schedule mapped = put_on_network(graph, machine, made, {});
    std::vector<ProcessorId> processor_of(graph.task_count());
    for (ProcessorId p : machine.processors())
      for (const Operation& operation : made.processors[p.index()])
        if (operation.kind == OperationKind::compute) processor_of[operation.task().index()] = p;
    PlacedGroups groups = PlacedGroups::of_processors(processor_of);
    const RoutedPlacer placer(model, machine);
    Time best = measure(made).makespan;
    std::size_t ways = 1;
    for (std::size_t i = 0; i < groups.count(); ++i) ways *= 4;
    for (std::size_t way = 0; way < ways; ++way) {
      std::size_t rest = way;
      for (ProcessorId& place : groups.place) {
        place = ProcessorId(rest % 4);
        rest /= 4;
      }
      best = std::min(best, placer.place(groups.processors()).length());
    }
    // Tasks that finish earlier one by one are no longer in these groups.
    const PlacedGroups apart = place_by_routes(placer, PlacedGroups::single_tasks(groups.processors()));
    if (placer.place(apart.processors()).length() < best) continue;
    EXPECT_GE(measure(mapped).makespan, best);
    ++whole;
    excess += static_cast<double>(measure(mapped).makespan.count()) / static_cast<double>(best.count()) - 1;
  }
  EXPECT_GE(whole, graphs / 2);
  EXPECT_LE(excess / whole, 0.03);
}

}  // namespace placement_indirect_test
}  // namespace takt::schedulers
