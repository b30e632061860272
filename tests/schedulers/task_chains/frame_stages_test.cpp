/// Are stages that share tasks by frames as good as can be, and ahead of stages that do not?

#include "schedulers/task_chains/frame_stages.hpp"

#include <algorithm>
#include <array>
#include <limits>

#include <fmt/format.h>
#include <gtest/gtest.h>

#include "core/random.hpp"
#include "logp/diagnostics.hpp"
#include "schedulers/bounds/class_bound.hpp"
#include "schedulers/bounds/period_bounds.hpp"
#include "schedulers/plan/rate_objective.hpp"
#include "schedulers/registry/registry.hpp"
#include "schedulers/task_chains/chain_schedulers.hpp"
#include "tests/schedulers/task_chains/published_chains.hpp"
#include "tests/support/program.hpp"

namespace takt::schedulers {
namespace {

constexpr Period no_bound{Time{0}, 1};

CoreChain random_frame_chain(Random& random, std::size_t tasks) {
  std::array<std::vector<Time>, 2> times;
  std::vector<bool> stateless;
  for (std::size_t i = 0; i < tasks; ++i) {
    times[big_core].emplace_back(1 + random.below(20));
    times[little_core].emplace_back(1 + random.below(40));
    stateless.push_back(random.below(2) == 0);
  }
  return {std::move(times), std::move(stateless)};
}

logp::Machine free_machine(const CoreCounts& cores) {
  return logp::Machine::constant(cores[big_core] + cores[little_core], Time{0}, Time{0}, Time{0});
}

Period period_of(const Schedule& schedule) {
  return measure(schedule).exact_period();
}

/// The least repetition of so many frames over all ways to go on from a task and some of its frames,
/// processor by processor: tried one by one, with the sums written out.
Time least_repetition(const CoreChain& chain, std::size_t frames, std::size_t from, const CoreCounts& cores) {
  const std::size_t all = chain.size() * frames;
  if (from == all) return Time{0};
  Time least = Time::max();
  for (const std::size_t core_class : {big_core, little_core}) {
    if (cores[core_class] == 0) continue;
    CoreCounts left = cores;
    --left[core_class];
    Time load{0};
    for (std::size_t end = from + 1; end <= all; ++end) {
      const std::size_t task = (end - 1) / frames;
      load += chain.work(task, task + 1, core_class);
      // All frames of a task with state are done by one processor.
      if (end % frames != 0 && !chain.is_stateless(task, task + 1)) continue;
      if (load >= least) break;
      least = std::min(least, std::max(load, least_repetition(chain, frames, end, left)));
    }
  }
  return least;
}

TEST(FrameStages, reach_the_least_period_of_all_ways_to_share_tasks_by_frames) {
  Random random(21);
  for (int i = 0; i < 40; ++i) {
    const CoreChain chain = random_frame_chain(random, 1 + random.below(5));
    const CoreCounts cores{1 + random.below(2), random.below(3)};
    const TaskGraph graph = graph_of(chain, cores);
    const std::vector<Schedule> schedules = frame_stages(graph, free_machine(cores), no_bound, 0);
    ASSERT_FALSE(schedules.empty());
    for (const Schedule& schedule : schedules)
      EXPECT_TRUE(logp::diagnose(graph, free_machine(cores), schedule).empty()) << "chain " << i;
    for (const std::uint32_t frames : {1U, 2U, 3U}) {
      const Period least{least_repetition(chain, frames, 0, cores), frames};
      EXPECT_LE(period_of(schedules.back()), least) << "chain " << i << ", " << frames << " frames";
      for (const Schedule& schedule : schedules)
        if (schedule.replicas == frames) {
          EXPECT_EQ(period_of(schedule), least) << "chain " << i << ", " << frames << " frames";
        }
    }
  }
}

TEST(FrameStages, have_more_frames_only_where_the_period_gains_as_much) {
  Random random(22);
  for (int i = 0; i < 20; ++i) {
    const CoreCounts cores{2, 3};
    const TaskGraph graph = graph_of(random_frame_chain(random, 12), cores);
    const std::vector<Schedule> schedules = frame_stages(graph, free_machine(cores), no_bound, 0.03);
    for (std::size_t k = 1; k < schedules.size(); ++k)
      EXPECT_LE(period_of(schedules[k]).ticks(), 0.9701 * period_of(schedules[k - 1]).ticks());
  }
}

TEST(FrameStages, are_never_behind_the_published_algorithms) {
  Random random(23);
  for (int i = 0; i < 60; ++i) {
    const CoreCounts cores{1 + random.below(6), 1 + random.below(6)};
    const TaskGraph graph = graph_of(random_frame_chain(random, 4 + random.below(16)), cores);
    const logp::Machine machine = free_machine(cores);
    const Period best = period_of(frame_stages(graph, machine, no_bound, 0).back());
    for (const SchedulerFunction scheduler : {otac, fertac, twocatac, herad})
      EXPECT_LE(best, period_of(scheduler(graph, machine, {}))) << "chain " << i;
  }
}

TEST(FrameStages, serve_graphs_other_than_chains_and_machines_with_messages) {
  const TaskGraph graph = [] {
    TaskGraphBuilder builder;
    std::vector<TaskId> tasks;
    for (int i = 0; i < 6; ++i)
      tasks.push_back(builder.add_task(
          {.name = fmt::format("t{}", i), .work = Time{10 + 7 * i}, .stateless = i % 3 != 0}));
    for (const auto& [from, to] : {std::pair{0, 1}, {0, 2}, {1, 3}, {2, 3}, {3, 4}, {3, 5}})
      builder.add_edge(tasks[from], tasks[to], Bytes{2});
    return std::move(builder).build();
  }();
  EXPECT_FALSE(is_chain(graph));
  for (const char* text : {"logp:P=1,L=1,o=1,g=2", "logp:P=4,L=1,o=1,g=2", "delay:P=5,speed=4/2/2/1/1"}) {
    const logp::Machine machine = logp::parse_machine(text);
    for (const Schedule& schedule : frame_stages(graph, machine, no_bound, 0))
      EXPECT_TRUE(logp::diagnose(graph, machine, schedule).empty()) << text;
  }
}

/// The fewest processors for a repetition, and then the fewest big ones, of all numbers of cores, each of
/// whose ways is tried.
CoreCounts fewest_cores(const CoreChain& chain, std::size_t frames, Time repetition, const CoreCounts& most) {
  for (std::size_t all = 1; all <= most[big_core] + most[little_core]; ++all)
    for (std::size_t big = 0; big <= std::min(all, most[big_core]); ++big)
      if (all - big <= most[little_core] &&
          least_repetition(chain, frames, 0, {big, all - big}) <= repetition)
        return {big, all - big};
  return {};
}

TEST(FrameStages, hold_a_rate_with_the_fewest_processors_and_of_these_the_fewest_big_ones) {
  Random random(25);
  for (int i = 0; i < 30; ++i) {
    const CoreChain chain = random_frame_chain(random, 2 + random.below(4));
    const CoreCounts cores{2, 2};
    const TaskGraph graph = graph_of(chain, cores);
    const logp::Machine machine = free_machine(cores);
    const Workload workload(graph, machine);
    if (workload.class_count() < 2) continue;
    const double period = period_of(frame_stages(graph, machine, no_bound, 0).front()).ticks() * 1.2;
    const RequiredRate rate{period};
    const auto stages =
        fewest_frame_stages(graph, machine, [&](auto frames) { return rate.time_of(frames); });
    ASSERT_TRUE(stages.has_value()) << "chain " << i;
    EXPECT_TRUE(rate.is_held_by(period_of(*stages)));
    const auto key = [&](const Schedule& schedule) {
      return std::pair(measure(schedule).processors_used, used_by_class(workload, schedule));
    };
    for (const std::size_t frames : {1, 2}) {
      const CoreCounts fewest =
          fewest_cores(chain, frames, rate.time_of(static_cast<std::uint32_t>(frames)), cores);
      std::vector<std::size_t> by_class{fewest[big_core], fewest[little_core]};
      // Which class does the whole chain faster is chance here.
      if (chain.work(0, chain.size(), big_core) > chain.work(0, chain.size(), little_core)) continue;
      EXPECT_LE(key(*stages), std::pair(fewest[big_core] + fewest[little_core], by_class)) << "chain " << i;
    }
    const RateSchedule chosen =
        schedule_for_rate(Objective::processors, rate, graph, machine, rate_schedulers(), {});
    EXPECT_TRUE(chosen.is_held);
    EXPECT_LE(key(chosen.schedule), key(*stages)) << "chain " << i;
  }
}

/// The bound by prices tried one by one: what no schedule of any number of frames can be below.
double least_by_prices(const CoreChain& chain, const CoreCounts& cores, double limit) {
  double best = 0;
  for (double price = 0.001; price < 1000; price *= 1.001) {
    double sum = 0;
    for (std::size_t i = 0; i < chain.size(); ++i) {
      const auto time = [&](std::size_t c) { return static_cast<double>(chain.work(i, i + 1, c).count()); };
      const auto cost = [&](std::size_t c) {
        const bool is_open = chain.is_stateless(i, i + 1) || time(c) <= limit;
        return is_open ? time(c) * (c == big_core ? 1 : price) : std::numeric_limits<double>::infinity();
      };
      sum += std::min(cost(big_core), cost(little_core));
    }
    best = std::max(
        best, sum / (static_cast<double>(cores[big_core]) + price * static_cast<double>(cores[little_core])));
  }
  return best;
}

TEST(ClassBound, is_the_relaxation_in_which_tasks_with_state_stay_where_they_fit) {
  Random random(24);
  for (int i = 0; i < 40; ++i) {
    const CoreChain chain = random_frame_chain(random, 2 + random.below(12));
    const CoreCounts cores{1 + random.below(4), 1 + random.below(4)};
    const TaskGraph graph = graph_of(chain, cores);
    const logp::Machine machine = free_machine(cores);
    if (Workload(graph, machine).class_count() < 2) continue;
    const Period bound = class_bound(graph, machine);
    // No smaller period has a relaxation that is no larger, and the bound nearly has one.
    EXPECT_GE(least_by_prices(chain, cores, bound.ticks() * 0.999), bound.ticks() * 0.997) << "chain " << i;
    EXPECT_LE(least_by_prices(chain, cores, bound.ticks()), bound.ticks() * 1.0001) << "chain " << i;
    EXPECT_GE(period_of(frame_stages(graph, machine, no_bound, 0).back()), bound) << "chain " << i;
  }
}

TEST(ClassBound, of_three_classes_is_near_that_of_the_work_over_all_speeds) {
  TaskGraphBuilder builder;
  for (int i = 0; i < 40; ++i)
    builder.add_task({.name = fmt::format("t{}", i), .work = Time{120'000}, .stateless = true});
  const TaskGraph graph = std::move(builder).build();
  const logp::Machine machine = logp::parse_machine("logp:P=6,speed=4/4/2/2/1/1");
  const double area = 40 * 120'000 / 14.0;
  EXPECT_LE(class_bound(graph, machine).ticks(), area * 1.0001);
  EXPECT_GE(class_bound(graph, machine).ticks(), area * 0.97);
}

TEST(ClassBound, is_the_known_one_of_a_dvb_s2_receiver) {
  if (test::test_data().empty()) GTEST_SKIP() << "needs the published chains in TAKT_TEST_DATA";
  const std::filesystem::path folder = test::test_data() / "chains" / "dvbs2";
  // Microseconds, of times in units of 10 ns.
  const auto bound = [&](const char* file, const CoreCounts& cores) {
    return class_bound(graph_of(measured_chain(folder / file), cores), free_machine(cores)).ticks() / 100;
  };
  EXPECT_NEAR(bound("u9_tasks.csv", {3, 4}), 2065, 1);
  EXPECT_NEAR(bound("m1_tasks.csv", {8, 2}), 952, 1);
}

TEST(Optfo, is_not_worse_than_any_published_result_of_a_chain) {
  if (test::test_data().empty()) GTEST_SKIP() << "needs the published chains in TAKT_TEST_DATA";
  const std::filesystem::path folder = test::test_data() / "chains";
  const std::map<std::string, CoreChain> chains = published_chains(folder);
  const std::vector<PublishedResult> results = published_results(folder / "results.csv.gz");
  const SchedulerFunction optfo = find_scheduler("optfo").schedule;
  // HeRAD's results are the shortest of each chain; bench/chains looks at all of them.
  double sum = 0;
  int count = 0;
  for (std::size_t i = 0; i < results.size(); i += 205) {
    const PublishedResult& result = results[i];
    ASSERT_EQ(result.algorithm, "HeRAD");
    const TaskGraph graph = graph_of(chains.at(result.chain), result.cores);
    const logp::Machine machine = free_machine(result.cores);
    const Schedule schedule = optfo(graph, machine, {});
    EXPECT_TRUE(logp::diagnose(graph, machine, schedule).empty()) << "chain " << result.chain;
    const double ratio = period_of(schedule).ticks() / std::stod(result.period);
    // Periods are printed with six digits.
    EXPECT_LE(ratio, 1 + 1e-5) << "chain " << result.chain;
    sum += ratio;
    ++count;
  }
  EXPECT_LE(sum / count, 0.985);
}

}  // namespace
}  // namespace takt::schedulers
