/// Stages of groups for the highest frequency.

#include <algorithm>
#include <functional>
#include <limits>
#include <vector>

#include <gtest/gtest.h>

#include "core/graphs/task_groups.hpp"
#include "logp/diagnostics.hpp"
#include "schedulers/moldable/mixed_fo.hpp"
#include "schedulers/moldable/stage_plan.hpp"
#include "schedulers/plan/pareto.hpp"
#include "schedulers/plan/rate_objective.hpp"
#include "schedulers/registry/registry.hpp"
#include "tests/schedulers/moldable/examples.hpp"

namespace takt::schedulers {
namespace {

using moldable_tests::clusters;

/// A chain of moldable tasks, some of them stateless.
TaskGraph chain_of(std::uint64_t seed, std::size_t tasks) {
  Random random(seed);
  TaskGraphBuilder builder;
  for (std::size_t i = 0; i < tasks; ++i)
    builder.add_task({fmt::format_int(i).str(), Time(random.between(1'000'000, 9'000'000)),
                      random.below(2) == 0, MoldableProfile{random.unit() / 2, {}}});
  for (std::size_t i = 1; i < tasks; ++i)
    builder.add_edge(TaskId(i - 1), TaskId(i), Bytes{static_cast<std::uint64_t>(random.below(100'000))});
  return std::move(builder).build();
}

/// The least period over all cuts, processors and copies (powers of two) of one cluster.
double least_period(const TaskGraph& graph, std::size_t processors) {
  const std::size_t n = graph.task_count();
  const std::function<double(std::size_t, std::size_t)> from = [&](std::size_t first, std::size_t left) {
    if (first == n) return 0.0;
    double best = std::numeric_limits<double>::infinity();
    for (std::size_t end = first + 1; end <= n; ++end)
      for (std::size_t q = 1; q <= left; ++q) {
        double time = 0;
        bool is_stateless = true;
        for (std::size_t i = first; i < end; ++i) {
          time += graph.task(TaskId(i)).time_on(q);
          is_stateless = is_stateless && graph.task(TaskId(i)).stateless;
        }
        for (std::size_t copies = 1; copies * q <= left && (copies == 1 || is_stateless); copies *= 2)
          best = std::min(best, std::max(time / static_cast<double>(copies), from(end, left - copies * q)));
      }
    return best;
  };
  return from(0, processors);
}

TEST(MixedFo, finds_the_least_period_of_all_cuts_processors_and_copies) {
  for (std::uint64_t seed = 1; seed <= 40; ++seed) {
    const TaskGraph graph = chain_of(seed, 4);
    const std::size_t processors = 1 + seed % 7;
    const logp::Machine machine = clusters({{processors}}, false);
    const std::vector<Stage> stages = best_stages(graph, Clusters(machine), 64);
    double period = 0;
    for (const Stage& stage : stages) {
      double time = 0;
      for (std::size_t i = stage.first; i < stage.end; ++i)
        time += graph.task(TaskId(i)).time_on(stage.processors);
      period = std::max(period, time / static_cast<double>(stage.copies.size()));
    }
    EXPECT_NEAR(period / least_period(graph, processors), 1, 1e-5) << seed;
  }
}

TEST(MixedFo, has_valid_schedules_that_sustain_the_stages_period) {
  for (std::uint64_t seed = 1; seed <= 20; ++seed)
    for (const logp::Machine& machine : {clusters({{6}}, true), clusters({{4, 1.5}, {7}, {2}}, true)}) {
      const TaskGraph graph = chain_of(seed, 6);
      const Schedule schedule = mixed_fo(graph, machine, {});
      for (const logp::Finding& finding : logp::diagnose(graph, machine, schedule))
        ADD_FAILURE() << seed << ": " << finding.rule << ": " << finding.message;
      // Not worse than all tasks on one processor of the slowest cluster.
      EXPECT_LE(measure(schedule).period(), static_cast<double>(graph.total_work().count()));
    }
}

TEST(MixedFo, runs_tasks_that_are_not_moldable_on_one_processor_of_a_group) {
  TaskGraphBuilder builder;
  const TaskId a = builder.add_task({"a", Time(100)});
  const TaskId b = builder.add_task({"b", Time(1000), false, MoldableProfile{0, {}}});
  builder.add_edge(a, b, Bytes{8});
  const TaskGraph graph = std::move(builder).build();
  const logp::Machine machine = clusters({{4}}, false);
  const Schedule schedule = mixed_fo(graph, machine, {});
  EXPECT_TRUE(logp::diagnose(graph, machine, schedule).empty());
  // a alone on one processor, b on the other three.
  EXPECT_EQ(measure(schedule).repetition, Time(334));
}

TEST(GroupsAtARate, are_candidates_for_optfo_rates_and_the_front) {
  std::size_t with_groups = 0;
  for (std::uint64_t seed = 1; seed <= 12; ++seed) {
    const TaskGraph graph = chain_of(seed, 5);
    const logp::Machine machine = clusters({{5}}, true);
    Options options;
    options.effort = 2'000;
    Period fastest = measure(mixed_fo(graph, machine, options)).exact_period();
    for (const char* const name : {"m_heft", "mcgas", "cpa"})
      fastest =
          std::min(fastest, measure(find_scheduler(name).schedule(graph, machine, options)).exact_period());
    const Schedule best = find_scheduler("optfo").schedule(graph, machine, options);
    for (const logp::Finding& finding : logp::diagnose(graph, machine, best))
      ADD_FAILURE() << seed << ": " << finding.rule << ": " << finding.message;
    EXPECT_LE(measure(best).exact_period(), fastest) << seed;

    // Only mixed_fo's groups sustain this rate: for the fewest processors and for the least latency.
    const RequiredRate rate{fastest.ticks()};
    for (const Objective objective : {Objective::latency, Objective::processors}) {
      const RateSchedule found =
          schedule_for_rate(objective, rate, graph, machine, rate_schedulers(), options);
      EXPECT_TRUE(found.is_held) << seed;
      EXPECT_TRUE(logp::diagnose(graph, machine, found.schedule).empty()) << seed;
      EXPECT_LE(measure(found.schedule).exact_period(), fastest) << seed;
      with_groups += runs_in_groups(graph, found.schedule);
    }
    const std::vector<ParetoPoint> front = pareto_front(graph, machine, rate_schedulers(), options);
    Period first = front.front().period;
    for (const ParetoPoint& point : front) {
      EXPECT_TRUE(logp::diagnose(graph, machine, point.schedule).empty()) << seed;
      first = std::min(first, point.period);
    }
    EXPECT_LE(first, fastest) << seed;
  }
  EXPECT_GT(with_groups, 5U);
}

}  // namespace
}  // namespace takt::schedulers
