/// Do the mapping algorithms find good mappings, and A* the best one?
///
/// The oracle tries every mapping, and computes loads independently.

#include <cmath>
#include <cstdlib>

#include <fmt/format.h>
#include <gtest/gtest.h>

#include "core/graphs/generators.hpp"
#include "core/random.hpp"
#include "logp/diagnostics.hpp"
#include "schedulers/mapping/annealing.hpp"
#include "schedulers/mapping/astar.hpp"
#include "schedulers/mapping/recursive_clustering.hpp"
#include "schedulers/plan/plan.hpp"
#include "schedulers/registry/registry.hpp"

namespace takt::schedulers {
namespace {

/// Tasks of work 0 .. 20, any two of which exchange 1 .. 15 with a probability of a half.
TaskGraph random_graph(std::size_t tasks, std::uint64_t seed) {
  Random draw(seed);
  TaskGraphBuilder builder;
  for (std::size_t i = 0; i < tasks; ++i)
    builder.add_task({fmt::format("t{}", i), Time(draw.between(0, 20)), false});
  for (std::size_t i = 0; i < tasks; ++i)
    for (std::size_t j = i + 1; j < tasks; ++j)
      if (draw.below(2) == 0) builder.add_edge(TaskId(i), TaskId(j), Bytes{1 + draw.below(15)});
  return std::move(builder).build();
}

using Distance = int (*)(std::size_t, std::size_t);

int one_step(std::size_t a, std::size_t b) {
  return a == b ? 0 : 1;
}
int on_a_line(std::size_t a, std::size_t b) {
  return std::abs(static_cast<int>(a) - static_cast<int>(b));
}

/// The largest load: work over speed, rounded up, and both ends of every exchange.
std::int64_t largest_load(const TaskGraph& graph, const std::vector<double>& speeds, Distance distance,
                          const std::vector<std::size_t>& processor_of) {
  std::vector<std::int64_t> load(speeds.size(), 0);
  for (TaskId task : graph.tasks()) {
    const std::size_t p = processor_of[task.index()];
    load[p] +=
        static_cast<std::int64_t>(std::ceil(static_cast<double>(graph.task(task).work.count()) / speeds[p]));
  }
  for (EdgeId id : graph.edges()) {
    const std::size_t a = processor_of[graph.edge(id).from.index()],
                      b = processor_of[graph.edge(id).to.index()];
    const auto time = static_cast<std::int64_t>(graph.edge(id).size.count) * distance(a, b);
    load[a] += time;
    load[b] += time;
  }
  return *std::max_element(load.begin(), load.end());
}

std::int64_t least_largest_load(const TaskGraph& graph, const std::vector<double>& speeds,
                                Distance distance) {
  std::vector<std::size_t> processor_of(graph.task_count(), 0);
  std::int64_t least = largest_load(graph, speeds, distance, processor_of);
  for (std::size_t at = 0; at < processor_of.size();) {
    if (++processor_of[at] == speeds.size()) {
      processor_of[at++] = 0;
      continue;
    }
    at = 0;
    least = std::min(least, largest_load(graph, speeds, distance, processor_of));
  }
  return least;
}

struct Case {
  std::string_view machine;
  std::vector<double> speeds;
  Distance distance;
};

const Case cases[] = {{"delay:P=3", {1, 1, 1}, one_step},
                      {"delay:P=3,speed=1/0.5/2", {1, 0.5, 2}, one_step},
                      {"delay:P=3,network=mesh:1x3", {1, 1, 1}, on_a_line},
                      {"delay:P=2,speed=2/1", {2, 1}, one_step}};

std::int64_t largest_load(const TaskGraph& graph, const Case& c, const std::vector<ProcessorId>& mapping) {
  std::vector<std::size_t> processor_of;
  for (ProcessorId p : mapping) processor_of.push_back(p.index());
  return largest_load(graph, c.speeds, c.distance, processor_of);
}

TEST(AStar, finds_and_proves_the_best_of_all_mappings) {
  for (const Case& c : cases)
    for (std::uint64_t seed = 1; seed <= 8; ++seed) {
      const TaskGraph graph = random_graph(4 + seed % 5, seed);
      const logp::Machine machine = logp::parse_machine(c.machine);
      const InteractionGraph interactions(graph, machine);
      const BestMapping best = astar(interactions, {});
      EXPECT_TRUE(best.optimal) << c.machine << ", seed " << seed;
      EXPECT_EQ(largest_load(graph, c, best.processor_of), least_largest_load(graph, c.speeds, c.distance))
          << c.machine << ", seed " << seed;
    }
}

/// The same tasks and exchanges without directions.
TaskGraph undirected(const TaskGraph& graph) {
  TaskGraphBuilder builder;
  builder.set_undirected();
  for (TaskId task : graph.tasks()) builder.add_task(graph.task(task));
  for (EdgeId edge : graph.edges())
    builder.add_edge(graph.edge(edge).from, graph.edge(edge).to, graph.edge(edge).size);
  return std::move(builder).build();
}

// The period of an interaction graph is the largest load: by default the best of all mappings.
TEST(InteractionGraphs, are_planned_with_the_least_largest_load) {
  for (const Case& c : cases)
    for (std::uint64_t seed = 1; seed <= 8; ++seed) {
      const TaskGraph graph = undirected(random_graph(4 + seed % 5, seed));
      const logp::Machine machine = logp::parse_machine(c.machine);
      const Plan plan = make_plan(graph, machine, {});
      EXPECT_TRUE(plan.evaluation.figures.valid);
      EXPECT_EQ(plan.evaluation.metrics.repetition.count(), least_largest_load(graph, c.speeds, c.distance))
          << c.machine << ", seed " << seed;
    }
}

TEST(InteractionGraphs, are_refused_by_schedulers_that_need_an_order) {
  const TaskGraph graph = undirected(random_graph(5, 1));
  const logp::Machine machine = logp::parse_machine("delay:P=3");
  for (const Scheduler& scheduler : all_schedulers()) {
    if (scheduler.family == mapping_family)
      EXPECT_NO_THROW((void)evaluate(scheduler, graph, machine)) << scheduler.name;
    else
      EXPECT_THROW((void)evaluate(scheduler, graph, machine), ConfigError) << scheduler.name;
  }
  EXPECT_THROW((void)make_plan(graph, machine, {.objective = Objective::makespan}), ConfigError);
}

TEST(AStar, proves_nothing_when_the_budget_is_spent) {
  const TaskGraph tasks = random_graph(16, 3);
  const logp::Machine machine = logp::parse_machine("delay:P=4");
  const InteractionGraph graph(tasks, machine);
  const BestMapping best = astar(graph, {.effort = 3});
  EXPECT_FALSE(best.optimal);
  EXPECT_EQ(best.processor_of.size(), 16U);
}

TEST(MappingHeuristics, are_near_the_best_mapping) {
  double clustering_excess = 0, annealing_excess = 0;
  int count = 0;
  for (const Case& c : cases)
    for (std::uint64_t seed = 1; seed <= 8; ++seed, ++count) {
      const TaskGraph graph = random_graph(8, seed + 100);
      const logp::Machine machine = logp::parse_machine(c.machine);
      const InteractionGraph interactions(graph, machine);
      const auto optimum = static_cast<double>(least_largest_load(graph, c.speeds, c.distance));
      auto excess = [&](const std::vector<ProcessorId>& mapping) {
        return static_cast<double>(largest_load(graph, c, mapping)) / optimum - 1;
      };
      EXPECT_GE(excess(recursive_clustering(interactions, {})), 0);
      clustering_excess += excess(recursive_clustering(interactions, {}));
      annealing_excess += excess(annealing(interactions, {}));
    }
  EXPECT_LE(clustering_excess / count, 0.10);
  EXPECT_LE(annealing_excess / count, 0.01);
}

TEST(RecursiveClustering, separates_weakly_interacting_tasks) {
  // Four groups of five tasks; within a group any two exchange 50, a task exchanges 1 with its counterpart in
  // the next group: one group per processor.
  TaskGraphBuilder builder;
  for (int i = 0; i < 20; ++i) builder.add_task({fmt::format("t{}", i), Time{100}, false});
  for (std::size_t i = 0; i < 20; ++i)
    for (std::size_t j = i + 1; j < 20; ++j) {
      if (i % 4 == j % 4) builder.add_edge(TaskId(i), TaskId(j), Bytes{50});
      if (i / 4 == j / 4 && j == i + 1) builder.add_edge(TaskId(i), TaskId(j), Bytes{1});
    }
  const TaskGraph graph = std::move(builder).build();
  for (std::string_view machine : {"delay:P=4", "delay:P=4,network=mesh:2x2", "delay:P=4,network=ring:4"}) {
    const logp::Machine parsed = logp::parse_machine(machine);
    const InteractionGraph interactions(graph, parsed);
    const std::vector<ProcessorId> mapping = recursive_clustering(interactions, {});
    for (TaskId task : graph.tasks())
      EXPECT_EQ(mapping[task.index()], mapping[task.index() % 4]) << machine << ", task " << task.index();
  }
}

TEST(Annealing, is_reproducible_by_its_seed) {
  const TaskGraph tasks = random_graph(30, 5);
  const logp::Machine machine = logp::parse_machine("delay:P=4");
  const InteractionGraph graph(tasks, machine);
  const Options options{.seed = 7, .effort = 2000};
  EXPECT_EQ(annealing(graph, options), annealing(graph, options));
  EXPECT_LE(Mapping(graph, annealing(graph, options)).cost(),
            Mapping(graph, recursive_clustering(graph, options)).cost());
}

TEST(Mapping, keeps_its_loads_as_tasks_move) {
  const TaskGraph tasks = random_graph(12, 9);
  const logp::Machine machine = logp::parse_machine("delay:P=6,network=mesh:2x3");
  const InteractionGraph graph(tasks, machine);
  Random draw(1);
  Mapping mapping(graph, std::vector<ProcessorId>(12, ProcessorId(0)));
  for (int i = 0; i < 200; ++i) {
    mapping.move(TaskId(draw.below(12)), ProcessorId(draw.below(6)));
    const Mapping anew(graph, mapping.processor_of());
    for (ProcessorId p : graph.processors()) ASSERT_EQ(mapping.load(p), anew.load(p));
  }
}

TEST(MappingSchedulers, have_valid_schedules_on_networks) {
  for (std::string_view shape : {"nbody:size=4,cost=1..9,data=1..9,seed=1", "laplace:size=5,cost=2,data=3"})
    for (std::string_view machine_text : {"delay:P=4,network=ring:4", "delay:P=6,network=mesh:2x3"})
      for (std::string_view name : {"astar", "recursive_clustering", "annealing"}) {
        const TaskGraph graph = generate(shape);
        const logp::Machine machine = logp::parse_machine(machine_text);
        const Schedule schedule = find_scheduler(name).schedule(graph, machine, {.effort = 500});
        for (const logp::Finding& finding : logp::diagnose(graph, machine, schedule))
          ADD_FAILURE() << name << ": " << finding.rule << ": " << finding.message;
      }
}

}  // namespace
}  // namespace takt::schedulers
