/// Do groups keep the work and the data of their tasks, and form a graph?

#include "schedulers/search/groups.hpp"

#include <map>
#include <set>
#include <tuple>

#include <gtest/gtest.h>

#include "core/random.hpp"
#include "schedulers/search/merged_groups.hpp"
#include "tests/schedulers/frequency/oracle.hpp"

namespace takt::schedulers {
namespace search_groups_test {

/// From the definition, edge by edge: the work of each group, and the data that each group needs.
void expect_contraction(const TaskGraph& graph, const Groups& groups) {
  std::map<std::uint32_t, Time> work;
  for (TaskId task : graph.tasks()) work[groups.of[task.index()]] += graph.task(task).work;
  ASSERT_EQ(work.size(), groups.count());
  for (const auto& [group, sum] : work) EXPECT_EQ(groups.graph.task(TaskId(group)).work, sum);

  std::set<std::tuple<std::size_t, std::uint32_t, std::uint32_t>> needs;
  std::set<std::size_t> crossing;
  for (EdgeId id : graph.edges()) {
    const Edge edge = graph.edge(id);
    const auto from = groups.of[edge.from.index()], to = groups.of[edge.to.index()];
    if (from == to) continue;
    needs.emplace(edge.datum.index(), from, to);
    crossing.insert(edge.datum.index());
  }
  EXPECT_EQ(groups.graph.edge_count(), needs.size());
  EXPECT_EQ(groups.graph.datum_count(), crossing.size());
  std::multiset<std::tuple<std::size_t, std::size_t, std::uint64_t>> expected, found;
  for (const auto& [datum, from, to] : needs)
    expected.emplace(from, to, graph.datum_size(DatumId(datum)).count);
  for (EdgeId id : groups.graph.edges()) {
    const Edge edge = groups.graph.edge(id);
    found.emplace(edge.from.index(), edge.to.index(), edge.size.count);
  }
  EXPECT_EQ(found, expected);
}

TEST(Groups, of_any_parts_have_no_cycle_and_are_within_their_parts) {
  Random random(5);
  for (int i = 0; i < 60; ++i) {
    const TaskGraph graph = oracle::random_graph(random, 1 + random.below(25), 20, 30, 9);
    std::vector<std::uint32_t> part_of;
    const std::size_t parts = 1 + random.below(5);
    for (std::size_t task = 0; task < graph.task_count(); ++task)
      part_of.push_back(static_cast<std::uint32_t>(random.below(parts)));
    // A cycle would throw.
    const Groups groups = groups_of_parts(graph, part_of);
    expect_contraction(graph, groups);
    std::map<std::uint32_t, std::uint32_t> part_of_group;
    for (std::size_t task = 0; task < part_of.size(); ++task)
      EXPECT_EQ(part_of_group.try_emplace(groups.of[task], part_of[task]).first->second, part_of[task]);
  }
}

TEST(Groups, of_one_part_are_one) {
  Random random(6);
  const TaskGraph graph = oracle::random_graph(random, 20, 20, 30, 9);
  EXPECT_EQ(groups_of_parts(graph, std::vector<std::uint32_t>(20, 0)).count(), 1U);
}

TEST(Groups, of_components_do_not_communicate) {
  Random random(7);
  for (int i = 0; i < 40; ++i) {
    const TaskGraph graph = oracle::random_graph(random, 1 + random.below(25), 6, 30, 9);
    const Groups groups = groups_of_components(graph);
    expect_contraction(graph, groups);
    EXPECT_EQ(groups.graph.edge_count(), 0U);
  }
}

TEST(Groups, that_are_merged_have_no_cycle_and_each_contains_those_of_the_previous_step) {
  Random random(8);
  for (int i = 0; i < 60; ++i) {
    const std::size_t tasks = 1 + random.below(25);
    const TaskGraph graph = oracle::random_graph(random, tasks, 30, 30, 9);
    const std::size_t counts[] = {tasks, (tasks + 1) / 2, 3, 2, 1};
    std::size_t before = tasks;
    std::vector<std::uint32_t> finer;
    // A cycle would throw.
    for (const Groups& groups : merged_groups(graph, counts)) {
      expect_contraction(graph, groups);
      EXPECT_LE(groups.count(), before);
      before = groups.count();
      std::map<std::uint32_t, std::uint32_t> holder;
      for (std::size_t task = 0; task < finer.size(); ++task)
        EXPECT_EQ(holder.try_emplace(finer[task], groups.of[task]).first->second, groups.of[task]);
      finer = groups.of;
    }
    // In a connected graph there is always a pair that can be joined: an edge from a group to the first of
    // its successors in an order.
    if (groups_of_components(graph).count() == 1) {
      EXPECT_EQ(before, 1U) << "graph " << i;
    }
  }
}

TEST(Groups, that_are_merged_keep_heavy_messages_inside) {
  TaskGraphBuilder builder;
  for (const char* name : {"a", "b", "c", "d"}) builder.add_task({.name = name, .work = Time{5}});
  builder.add_edge(TaskId(0), TaskId(1), Bytes{100});
  builder.add_edge(TaskId(1), TaskId(2), Bytes{1});
  builder.add_edge(TaskId(2), TaskId(3), Bytes{100});
  const std::size_t counts[] = {2};
  const std::vector<Groups> found = merged_groups(std::move(builder).build(), counts);
  ASSERT_EQ(found.size(), 1U);
  EXPECT_EQ(found[0].of, (std::vector<std::uint32_t>{0, 0, 1, 1}));
}

}  // namespace search_groups_test
}  // namespace takt::schedulers
