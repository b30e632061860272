/// Are the bounds from cuts valid for every assignment, and equal to their definitions?

#include "schedulers/bounds/cut_bounds.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numbers>
#include <vector>

#include <fmt/format.h>
#include <gtest/gtest.h>

#include "core/graphs/generators.hpp"
#include "schedulers/bounds/cut_matrix.hpp"
#include "schedulers/bounds/eigenvalues.hpp"
#include "schedulers/bounds/low_subspace.hpp"
#include "schedulers/bounds/max_flow.hpp"
#include "schedulers/bounds/partition_bound.hpp"
#include "schedulers/registry/registry.hpp"
#include "tests/schedulers/frequency/oracle.hpp"

namespace takt::schedulers {
namespace bounds_cut_bounds_test {

TEST(MaxFlow, is_the_least_cut_of_all_subsets) {
  Random random(21);
  for (int i = 0; i < 200; ++i) {
    const std::size_t nodes = 2 + random.below(7);
    std::vector<std::vector<std::int64_t>> capacity(nodes, std::vector<std::int64_t>(nodes, 0));
    MaxFlow flow(nodes);
    for (std::size_t arcs = random.below(20); arcs > 0; --arcs) {
      const std::size_t from = random.below(nodes), to = random.below(nodes);
      if (from == to) continue;
      const std::int64_t amount = random.between(0, 9);
      capacity[from][to] += amount;
      flow.add_arc(from, to, amount);
    }
    for (std::size_t sink = 1; sink < nodes; ++sink) {
      std::int64_t least = std::numeric_limits<std::int64_t>::max();
      for (unsigned set = 0; set < 1U << nodes; ++set) {
        if ((set & 1U) == 0 || (set >> sink & 1U) != 0) continue;
        std::int64_t cut = 0;
        for (std::size_t a = 0; a < nodes; ++a)
          for (std::size_t b = 0; b < nodes; ++b)
            if ((set >> a & 1U) != 0 && (set >> b & 1U) == 0) cut += capacity[a][b];
        least = std::min(least, cut);
      }
      // Repeated queries of a network agree.
      EXPECT_EQ(flow.between(0, sink), least) << "network " << i;
    }
  }
}

/// Laplacian matrices of paths, circles and complete graphs have eigenvalues in closed form: 2 - 2 cos(pi k /
/// n), 2 - 2 cos(2 pi k / n), and n but for one 0.
TEST(Eigenvalues, are_those_of_paths_circles_and_complete_graphs) {
  for (std::size_t n : {1, 2, 3, 7, 40, 150}) {
    std::vector<double> path, circle, complete;
    for (std::size_t k = 0; k < n; ++k) {
      const double share = static_cast<double>(k) / static_cast<double>(n);
      path.push_back(2 - 2 * std::cos(std::numbers::pi * share));
      circle.push_back(2 - 2 * std::cos(2 * std::numbers::pi * share));
      complete.push_back(k == 0 ? 0 : static_cast<double>(n));
    }
    std::ranges::sort(circle);
    const auto check = [&](const char* name, const std::vector<double>& expected, const auto& is_edge) {
      std::vector<double> matrix(n * n, 0.0);
      for (std::size_t a = 0; a < n; ++a)
        for (std::size_t b = 0; b < n; ++b) {
          if (a == b || !is_edge(std::min(a, b), std::max(a, b))) continue;
          matrix[a * n + a] += 1;
          matrix[a * n + b] -= 1;
        }
      const std::vector<double> found = smallest_eigenvalues(matrix, n, n);
      ASSERT_EQ(found.size(), n);
      for (std::size_t k = 0; k < n; ++k) {
        EXPECT_NEAR(found[k], expected[k], 1e-5) << name << " of " << n;
        EXPECT_LE(found[k], expected[k] + 1e-12) << name << " of " << n;
      }
    };
    check("path", path, [](std::size_t a, std::size_t b) { return b == a + 1; });
    check("complete", complete, [](std::size_t, std::size_t) { return true; });
    if (n > 2)
      check("circle", circle, [n](std::size_t a, std::size_t b) { return b == a + 1 || b - a == n - 1; });
  }
}

TEST(LowSubspace, converges_to_the_smallest_eigenvalues_from_above) {
  const TaskGraph graph = generate("wave:depth=9,width=10,cost=1..20,ccr=1,seed=2");
  const logp::Machine machine = logp::parse_machine("loglinear:P=4,L=1+1,o=1+1,g=1+1");
  const CutMatrix matrix(graph, CutWorks(Workload(graph, machine)), 0.7);
  std::vector<double> shift(matrix.size());
  for (std::size_t i = 0; i < shift.size(); ++i) shift[i] = 0.1 * static_cast<double>(i % 7);
  const std::vector<double> expected = smallest_eigenvalues(matrix.dense(shift), matrix.size(), 6);
  LowSubspace subspace(matrix, 12);
  for (int i = 0; i < 40; ++i) subspace.improve(shift);
  for (std::size_t k = 0; k < expected.size(); ++k) {
    EXPECT_GE(subspace.values()[k], expected[k]) << k;
    EXPECT_NEAR(subspace.values()[k], expected[k], 1e-4) << k;
  }
}

constexpr const char* machines[] = {"loglinear:P=2,L=1+1,o=1+1,g=1+1",
                                    "loglinear:P=3,L=9+1,o=0+2,g=0+1",
                                    "loglinear:P=4,L=0+0,o=2+0.25,g=1+0.25",
                                    "logp:P=3,L=2,o=3,g=1",
                                    "delay:P=3",
                                    "loglinear:P=3,L=1+1,o=1+1,g=1+1,speed=1/2/0.5"};

/// No bound exceeds the least load of the busiest processor, for any assignment.
void expect_bounds_hold(const TaskGraph& graph, const logp::Machine& machine) {
  const Workload workload(graph, machine);
  const std::int64_t least = oracle::least_share(graph, machine);
  EXPECT_LE(task_cut_bound(workload).count(), least);
  EXPECT_LE(spread_bound(workload).count(), least);
  EXPECT_LE(partition_bound(workload).count(), least);
}

TEST(CutBounds, hold_for_every_assignment_of_the_tasks) {
  Random random(22);
  for (const char* text : machines)
    for (int i = 0; i < 40; ++i) {
      const TaskGraph graph = oracle::random_graph(random, 1 + random.below(7), 40, 30, 20);
      const logp::Machine machine = logp::parse_machine(text);
      SCOPED_TRACE(fmt::format("{} graph {}", text, i));
      expect_bounds_hold(graph, machine);
    }
}

/// Tasks without work count a tick in the matrix, which must not be in the bound.
TEST(CutBounds, hold_for_tasks_without_work) {
  Random random(25);
  for (const char* text : machines)
    for (int i = 0; i < 60; ++i) {
      const TaskGraph graph =
          oracle::random_graph(random, 2 + random.below(6), 60, random.between(0, 2), 30, 0);
      const logp::Machine machine = logp::parse_machine(text);
      SCOPED_TRACE(fmt::format("{} graph {}", text, i));
      expect_bounds_hold(graph, machine);
    }
}

TEST(CutBounds, hold_for_different_links_and_speeds) {
  Random random(23);
  for (int i = 0; i < 60; ++i) {
    const TaskGraph graph = oracle::random_graph(random, 2 + random.below(5), 40, 30, 20);
    const logp::Machine machine = oracle::random_levels(random, 2 + random.below(3));
    SCOPED_TRACE(fmt::format("graph {}", i));
    expect_bounds_hold(graph, machine);
  }
}

/// From the definition: the least load of a processor over all sets with a task.
TEST(CutBounds, of_tasks_are_the_least_over_all_sets_that_contain_them) {
  Random random(24);
  for (int i = 0; i < 60; ++i) {
    const std::size_t n = 2 + random.below(7);
    const TaskGraph graph = oracle::random_graph(random, n, 40, 30, 20);
    if (graph.edge_count() == 0) continue;
    std::int64_t largest = 0;
    for (std::size_t task = 0; task < n; ++task) {
      std::int64_t least = std::numeric_limits<std::int64_t>::max();
      for (unsigned set = 0; set < 1U << n; ++set) {
        if ((set >> task & 1U) == 0) continue;
        const auto has = [set](TaskId id) { return (set >> id.index() & 1U) != 0; };
        std::int64_t busy = 0;
        for (TaskId id : graph.tasks()) busy += has(id) ? graph.task(id).work.count() : 0;
        for (std::size_t datum = 0; datum < graph.datum_count(); ++datum) {
          bool is_needed_inside = false, is_needed_outside = false;
          for (EdgeId id : graph.edges())
            if (graph.edge(id).datum.index() == datum)
              (has(graph.edge(id).to) ? is_needed_inside : is_needed_outside) = true;
          const bool is_made_inside = has(graph.datum_task(DatumId(datum)));
          if (is_made_inside ? is_needed_outside : is_needed_inside)
            busy += 3 * static_cast<std::int64_t>(graph.datum_size(DatumId(datum)).count) -
                    (is_made_inside ? 0 : static_cast<std::int64_t>(graph.datum_size(DatumId(datum)).count));
        }
        least = std::min(least, busy);
      }
      largest = std::max(largest, least);
    }
    // Sending a byte takes 3, receiving it 2.
    const logp::LinkCosts costs{{1, 0}, {0, 3}, {0, 2}, {0, 0}, {0, 0}};
    const logp::Machine machine(Platform::uniform(3), costs);
    // Costs of single data are rounded down, by a tick each.
    const std::int64_t found = task_cut_bound(Workload(graph, machine)).count();
    EXPECT_LE(found, largest) << "graph " << i;
    EXPECT_GE(found, largest - static_cast<std::int64_t>(2 * graph.edge_count())) << "graph " << i;
  }
}

/// On shapes and machines with expensive messages, compared with the periods of the schedulers.
TEST(CutBounds, do_not_exceed_the_period_of_any_scheduler) {
  for (std::string_view shape :
       {"fft:depth=3", "gauss:size=6", "wave:depth=5,width=6", "layered:tasks=60,jump=3",
        "fork_join:depth=2,width=9", "receive_tree:depth=4"})
    for (std::string_view ccr : {"0.1", "1", "10"})
      for (std::string_view text : {"loglinear:P=8,L=10+1,o=1+1,g=1+1",
                                    "loglinear:P=6,L=3+0.1,o=2+0.4,g=1+0.3,speed=1/1/2/4/0.5/3"}) {
        const TaskGraph graph = generate(fmt::format("{},cost=1..100,ccr={},seed=3", shape, ccr));
        const logp::Machine machine = logp::parse_machine(text);
        const Workload workload(graph, machine);
        const Time bound =
            std::max({task_cut_bound(workload), spread_bound(workload), partition_bound(workload)});
        for (std::string_view name :
             {"optfo", "chains", "greedy", "heft", "dsc", "recursive_clustering", "single"})
          EXPECT_LE(bound,
                    measure(find_scheduler(name).schedule(graph, machine, {.effort = 5'000})).repetition)
              << shape << " ccr " << ccr << " on " << text << ": " << name;
      }
}

}  // namespace bounds_cut_bounds_test
}  // namespace takt::schedulers
