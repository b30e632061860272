/// Are all connected sets of tasks found, each with its cost, and is the resulting bound valid?
///
/// The oracle enumerates all subsets, and all assignments of the tasks.

#include "schedulers/bounds/configuration_bound.hpp"

#include <algorithm>
#include <map>
#include <set>
#include <vector>

#include <fmt/format.h>
#include <gtest/gtest.h>

#include "core/graphs/generators.hpp"
#include "schedulers/bounds/connected_parts.hpp"
#include "schedulers/registry/registry.hpp"
#include "tests/schedulers/frequency/oracle.hpp"

namespace takt::schedulers {
namespace bounds_configuration_bound_test {

constexpr std::uint64_t many_steps = 1'000'000;

/// By the tasks of each connected set: its time, 3 for each byte that leaves it and 2 for each one that
/// enters it.
std::map<std::set<std::uint32_t>, std::int64_t> all_parts(const TaskGraph& graph) {
  std::map<std::set<std::uint32_t>, std::int64_t> result;
  for (unsigned set = 1; set < 1U << graph.task_count(); ++set) {
    const auto has = [set](TaskId id) { return (set >> id.index() & 1U) != 0; };
    std::set<std::uint32_t> members;
    for (TaskId id : graph.tasks())
      if (has(id)) members.insert(static_cast<std::uint32_t>(id.index()));
    unsigned reached = set & (~set + 1);
    for (bool grows = true; grows;) {
      grows = false;
      for (EdgeId id : graph.edges()) {
        const unsigned from = 1U << graph.edge(id).from.index(), to = 1U << graph.edge(id).to.index();
        if ((set & from) == 0 || (set & to) == 0 || ((reached & from) == 0) == ((reached & to) == 0))
          continue;
        reached |= from | to;
        grows = true;
      }
    }
    if (reached != set) continue;
    std::int64_t cost = 0;
    for (TaskId id : graph.tasks()) cost += has(id) ? graph.task(id).work.count() : 0;
    for (EdgeId id : graph.edges()) {
      const Edge edge = graph.edge(id);
      if (has(edge.from) == has(edge.to)) continue;
      cost += (has(edge.from) ? 3 : 2) * static_cast<std::int64_t>(edge.size.count);
    }
    result[members] = cost;
  }
  return result;
}

/// Every edge with a datum of its own.
TaskGraph unshared_graph(Random& random, std::size_t tasks) {
  TaskGraphBuilder builder;
  for (std::size_t i = 0; i < tasks; ++i)
    builder.add_task({.name = fmt::format("t{}", i), .work = Time(random.between(1, 30))});
  for (std::size_t b = 1; b < tasks; ++b)
    for (std::size_t a = 0; a < b; ++a)
      if (random.below(100) < 35)
        builder.add_edge(TaskId(a), TaskId(b), Bytes{static_cast<std::uint64_t>(random.between(1, 20))});
  return std::move(builder).build();
}

const logp::LinkCosts three_out_two_in{{1, 0}, {0, 3}, {0, 2}, {0, 0}, {0, 0}};

TEST(ConnectedParts, are_all_connected_sets_within_the_limit) {
  Random random(51);
  for (int i = 0; i < 60; ++i) {
    const TaskGraph graph = unshared_graph(random, 1 + random.below(9));
    const logp::Machine machine(Platform::uniform(3), three_out_two_in);
    const std::int64_t limit = random.between(20, 300);
    const PartCosts costs(Workload(graph, machine), Time(limit));
    std::uint64_t budget = many_steps;
    const auto parts = connected_parts(costs, costs.limit(static_cast<double>(limit)), budget);
    ASSERT_TRUE(parts.has_value());
    std::map<std::set<std::uint32_t>, std::int64_t> expected = all_parts(graph);
    std::erase_if(expected, [&](const auto& part) { return part.second > limit; });
    EXPECT_EQ(parts->count(), expected.size()) << "graph " << i;
    PartCosts::Amount before = 0;
    for (std::size_t part = 0; part < parts->count(); ++part) {
      const auto members = parts->part(part);
      const auto found = expected.find({members.begin(), members.end()});
      ASSERT_NE(found, expected.end()) << "graph " << i;
      const PartCosts::Amount exact = costs.amount(static_cast<double>(found->second));
      EXPECT_LE(parts->cost[part], exact + 1) << "graph " << i;
      EXPECT_GE(parts->cost[part], exact - 1000) << "graph " << i;
      EXPECT_LE(before, parts->cost[part]);
      before = parts->cost[part];
      expected.erase(found);
    }
  }
}

TEST(ConnectedParts, are_empty_when_the_budget_is_spent) {
  const TaskGraph graph = generate("wave:depth=6,width=6,cost=1..9,data=1..9");
  const logp::Machine machine = logp::parse_machine("loglinear:P=4,L=1+1,o=0+1,g=0+1");
  const PartCosts costs(Workload(graph, machine), Time(200));
  std::uint64_t budget = 1000;
  EXPECT_FALSE(connected_parts(costs, costs.limit(200), budget).has_value());
  EXPECT_EQ(budget, 0U);
}

constexpr const char* machines[] = {"loglinear:P=2,L=1+1,o=1+1,g=1+1",
                                    "loglinear:P=3,L=9+1,o=0+2,g=0+1",
                                    "loglinear:P=4,L=0+0,o=2+0.25,g=1+0.25",
                                    "loglinear:P=5,L=0+0,o=0+1,g=0+0",
                                    "logp:P=3,L=2,o=3,g=1",
                                    "delay:P=3",
                                    "loglinear:P=3,L=1+1,o=1+1,g=1+1,speed=1/2/0.5"};

void expect_below_least_share(const TaskGraph& graph, const logp::Machine& machine, const std::string& what) {
  const std::int64_t least = oracle::least_share(graph, machine);
  for (const std::int64_t known : {std::int64_t{1}, std::max<std::int64_t>(1, least - 3)})
    EXPECT_LE(configuration_bound(Workload(graph, machine), Time(known), Time(2 * least), many_steps).count(),
              least)
        << what << " from " << known;
}

TEST(ConfigurationBound, holds_for_every_assignment_of_the_tasks) {
  Random random(52);
  for (const char* text : machines)
    for (int i = 0; i < 40; ++i)
      expect_below_least_share(oracle::random_graph(random, 1 + random.below(7), 40, 30, 20),
                               logp::parse_machine(text), fmt::format("{} graph {}", text, i));
}

TEST(ConfigurationBound, holds_for_different_links_and_speeds) {
  Random random(53);
  for (int i = 0; i < 60; ++i)
    expect_below_least_share(oracle::random_graph(random, 2 + random.below(5), 40, 30, 20),
                             oracle::random_levels(random, 2 + random.below(3)), fmt::format("graph {}", i));
}

/// Four tasks of 10 in a ring whose edges cost 6 at either end, on four processors: one alone costs 22, two
/// 32, three 42, all of them 40. Two on each of two processors are 32, the optimum; one task each would take
/// only 22, and there are four processors.
TEST(ConfigurationBound, agrees_with_a_hand_calculation) {
  TaskGraphBuilder builder;
  for (const char* name : {"a", "b", "c", "d"}) builder.add_task({.name = name, .work = Time(10)});
  builder.add_edge(TaskId(0), TaskId(1), Bytes{6});
  builder.add_edge(TaskId(1), TaskId(3), Bytes{6});
  builder.add_edge(TaskId(0), TaskId(2), Bytes{6});
  builder.add_edge(TaskId(2), TaskId(3), Bytes{6});
  const TaskGraph ring = std::move(builder).build();
  const auto bound = [&](std::string_view machine) {
    return configuration_bound(Workload(ring, logp::parse_machine(machine)), Time(10), Time(41), many_steps);
  };
  EXPECT_EQ(bound("loglinear:P=4,L=0+0,o=0+1,g=0+0"), Time(22));
  EXPECT_EQ(bound("loglinear:P=3,L=0+0,o=0+1,g=0+0"), Time(32));
  EXPECT_EQ(bound("loglinear:P=2,L=0+0,o=0+1,g=0+0"), Time(32));
}

}  // namespace bounds_configuration_bound_test
}  // namespace takt::schedulers
