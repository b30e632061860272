#pragma once
/// The graphs of the papers' worked examples.

#include <string>
#include <vector>

#include <fmt/format.h>

#include "core/graphs/task_graph.hpp"
#include "logp/machine.hpp"

namespace takt::schedulers::examples {

struct ExampleEdge {
  int from;
  int to;
  std::uint64_t size;
};

/// Tasks are named n1, n2, ...; works are theirs, or, with several columns, those on processors 1, 2, ....
inline TaskGraph make_graph(const std::vector<std::vector<int>>& works,
                            const std::vector<ExampleEdge>& edges) {
  TaskGraphBuilder builder;
  for (std::size_t i = 0; i < works.size(); ++i) {
    const TaskId task = builder.add_task({fmt::format("n{}", i + 1), Time(works[i].front()), false});
    if (works[i].size() > 1) {
      std::vector<Time> table;
      for (int work : works[i]) table.emplace_back(work);
      builder.set_work_table(task, std::move(table));
    }
  }
  for (const auto& [from, to, size] : edges) builder.add_edge(TaskId(from - 1), TaskId(to - 1), Bytes{size});
  return std::move(builder).build();
}

/// Nine tasks, critical path 23, work 30. Y.-K. Kwok, I. Ahmad, "Static scheduling algorithms for allocating
/// directed task graphs to multiprocessors", ACM Computing Surveys 31(4), 1999.
inline TaskGraph kwok_ahmad() {
  return make_graph({{2}, {3}, {3}, {4}, {5}, {4}, {4}, {4}, {1}}, {{1, 2, 4},
                                                                    {1, 3, 1},
                                                                    {1, 4, 1},
                                                                    {1, 5, 1},
                                                                    {1, 7, 10},
                                                                    {2, 6, 1},
                                                                    {2, 7, 1},
                                                                    {3, 8, 1},
                                                                    {4, 8, 1},
                                                                    {6, 9, 5},
                                                                    {7, 9, 6},
                                                                    {8, 9, 5}});
}

/// Gaussian elimination in eighteen tasks, with long edges of 120 and short ones of 80 (or 60 and 40). M.-Y.
/// Wu, D. D. Gajski, "Hypertool: a programming aid for message-passing systems", 1990.
inline TaskGraph gaussian_elimination(std::uint64_t long_edge = 120, std::uint64_t short_edge = 80) {
  std::vector<ExampleEdge> edges;
  auto fan = [&](int from, int first, int last) {
    for (int to = first; to <= last; ++to) edges.push_back({from, to, long_edge});
  };
  fan(1, 2, 7);
  fan(7, 8, 12);
  fan(12, 13, 16);
  fan(16, 17, 18);
  for (const auto& [from, to] : {std::pair{3, 7},
                                 {3, 8},
                                 {4, 9},
                                 {5, 10},
                                 {6, 11},
                                 {9, 12},
                                 {9, 13},
                                 {10, 14},
                                 {11, 15},
                                 {14, 16},
                                 {14, 17},
                                 {15, 18}})
    edges.push_back({from, to, short_edge});
  return make_graph({{80},
                     {40},
                     {40},
                     {40},
                     {40},
                     {40},
                     {60},
                     {30},
                     {30},
                     {30},
                     {30},
                     {40},
                     {20},
                     {20},
                     {20},
                     {20},
                     {10},
                     {10}},
                    edges);
}

/// Ten tasks on three processors. H. Topcuoglu, S. Hariri, M.-Y. Wu, "Performance-effective and
/// low-complexity task scheduling for heterogeneous computing", 2002.
inline TaskGraph topcuoglu() {
  return make_graph({{14, 16, 9},
                     {13, 19, 18},
                     {11, 13, 19},
                     {13, 8, 17},
                     {12, 13, 10},
                     {13, 16, 9},
                     {7, 15, 11},
                     {5, 11, 14},
                     {18, 12, 20},
                     {21, 7, 16}},
                    {{1, 2, 18},
                     {1, 3, 12},
                     {1, 4, 9},
                     {1, 5, 11},
                     {1, 6, 14},
                     {2, 8, 19},
                     {2, 9, 16},
                     {3, 7, 23},
                     {4, 8, 27},
                     {4, 9, 23},
                     {5, 9, 13},
                     {6, 8, 15},
                     {7, 10, 17},
                     {8, 10, 11},
                     {9, 10, 13}});
}

/// Ten tasks on three processors. H. Arabnejad, J. G. Barbosa, "List scheduling algorithm for heterogeneous
/// systems by an optimistic cost table", 2014.
inline TaskGraph arabnejad_barbosa() {
  return make_graph({{22, 21, 36},
                     {22, 18, 18},
                     {32, 27, 43},
                     {7, 10, 4},
                     {29, 27, 35},
                     {26, 17, 24},
                     {14, 25, 30},
                     {29, 23, 36},
                     {15, 21, 8},
                     {13, 16, 33}},
                    {{1, 2, 17},
                     {1, 3, 31},
                     {1, 4, 29},
                     {1, 5, 13},
                     {1, 6, 7},
                     {2, 8, 3},
                     {2, 9, 30},
                     {3, 7, 16},
                     {4, 8, 11},
                     {4, 9, 7},
                     {5, 9, 57},
                     {6, 8, 5},
                     {7, 10, 9},
                     {8, 10, 42},
                     {9, 10, 7}});
}

}  // namespace takt::schedulers::examples
