#include "core/graphs/levels.hpp"

#include <functional>

#include <gmock/gmock.h>

#include "tests/core/graphs/random_graph.hpp"

namespace takt {
namespace {

using ::testing::ElementsAre;

/// Calls `visit` with every path that begins at a task, as the list of its edges.
void for_each_path_from(const TaskGraph& graph, TaskId at, std::vector<EdgeId>& path,
                        const std::function<void(const std::vector<EdgeId>&)>& visit) {
  visit(path);
  for (EdgeId edge : graph.out_edges(at)) {
    path.push_back(edge);
    for_each_path_from(graph, graph.edge(edge).to, path, visit);
    path.pop_back();
  }
}

struct Levels {
  std::vector<std::size_t> layer;
  std::vector<Time> t_level, b_level, static_level;
};

/// Implements the definitions literally: the longest of all paths.
Levels by_enumeration(const TaskGraph& graph) {
  const std::size_t n = graph.task_count();
  Levels levels{std::vector<std::size_t>(n), std::vector<Time>(n), std::vector<Time>(n),
                std::vector<Time>(n)};
  for (TaskId start : graph.tasks()) {
    std::vector<EdgeId> path;
    for_each_path_from(graph, start, path, [&](const std::vector<EdgeId>& edges) {
      Time work{0}, data{0};
      for (EdgeId edge : edges) {
        work += graph.task(graph.edge(edge).from).work;
        data += Time(static_cast<Time::rep>(graph.edge(edge).size.count));
      }
      const TaskId end = edges.empty() ? start : graph.edge(edges.back()).to;
      levels.layer[end.index()] = std::max(levels.layer[end.index()], edges.size());
      levels.t_level[end.index()] = std::max(levels.t_level[end.index()], work + data);
      const Time whole_work = work + graph.task(end).work;
      levels.b_level[start.index()] = std::max(levels.b_level[start.index()], whole_work + data);
      levels.static_level[start.index()] = std::max(levels.static_level[start.index()], whole_work);
    });
  }
  return levels;
}

TEST(Levels, are_the_longest_of_all_paths) {
  for (std::uint64_t seed = 0; seed < 300; ++seed) {
    const TaskGraph graph = random_graph(seed);
    const Levels expected = by_enumeration(graph);
    EXPECT_EQ(layers_of(graph), expected.layer) << "seed " << seed;
    EXPECT_EQ(t_levels(graph), expected.t_level) << "seed " << seed;
    EXPECT_EQ(b_levels(graph), expected.b_level) << "seed " << seed;
    EXPECT_EQ(static_levels(graph), expected.static_level) << "seed " << seed;
    const auto largest = [](const std::vector<Time>& levels) {
      return levels.empty() ? Time{0} : *std::max_element(levels.begin(), levels.end());
    };
    EXPECT_EQ(critical_path(graph), largest(expected.b_level)) << "seed " << seed;
    EXPECT_EQ(computation_critical_path(graph), largest(expected.static_level)) << "seed " << seed;
  }
}

// The 9-task graph of Kwok and Ahmad (1999), figure 3: CP 23, ALAP = CP - b-level as printed there.
TEST(Levels, agree_with_a_published_example) {
  TaskGraphBuilder builder;
  int number = 0;
  for (int work : {2, 3, 3, 4, 5, 4, 4, 4, 1}) builder.add_task({std::to_string(++number), Time(work)});
  const std::vector<std::array<std::size_t, 3>> edges{{1, 2, 4},  {1, 3, 1}, {1, 4, 1}, {1, 5, 1},
                                                      {1, 7, 10}, {2, 6, 1}, {2, 7, 1}, {3, 8, 1},
                                                      {4, 8, 1},  {6, 9, 5}, {7, 9, 6}, {8, 9, 5}};
  for (const auto& [from, to, size] : edges) builder.add_edge(TaskId(from - 1), TaskId(to - 1), Bytes{size});
  const TaskGraph graph = std::move(builder).build();
  EXPECT_EQ(critical_path(graph), Time{23});
  std::vector<std::int64_t> alap;
  for (Time level : b_levels(graph)) alap.push_back((critical_path(graph) - level).count());
  EXPECT_THAT(alap, ElementsAre(0, 8, 9, 8, 18, 13, 12, 13, 22));
}

TEST(Levels, list_the_tasks_of_each_layer_by_their_ids) {
  for (std::uint64_t seed = 0; seed < 50; ++seed) {
    const TaskGraph graph = random_graph(seed);
    const std::vector<std::size_t> layer = layers_of(graph);
    std::size_t tasks = 0, number = 0;
    for (const std::vector<TaskId>& row : tasks_by_layer(graph)) {
      EXPECT_TRUE(std::is_sorted(row.begin(), row.end()));
      for (TaskId id : row) EXPECT_EQ(layer[id.index()], number);
      tasks += row.size();
      ++number;
    }
    EXPECT_EQ(tasks, graph.task_count());
  }
}

}  // namespace
}  // namespace takt
