/// Do the lower bounds of the period hold, and do they reach the least period where they should?

#include "schedulers/bounds/bounds.hpp"

#include <algorithm>
#include <string>

#include <fmt/format.h>
#include <gtest/gtest.h>

#include "core/generators.hpp"
#include "logp/machine.hpp"
#include "logp/period.hpp"
#include "schedulers/bounds/assignment_bound.hpp"
#include "schedulers/registry/registry.hpp"
#include "tests/schedulers/frequency/oracle.hpp"

namespace takt::schedulers {
namespace {

TaskGraph independent_tasks(std::initializer_list<int> works, bool stateless = false) {
  TaskGraphBuilder builder;
  int number = 0;
  for (int work : works)
    builder.add_task({.name = std::to_string(++number), .work = Time(work), .stateless = stateless});
  return std::move(builder).build();
}

std::size_t processors_with_tasks(const Schedule& schedule) {
  const auto computes = [](const Operation& operation) { return operation.kind == OperationKind::compute; };
  return static_cast<std::size_t>(std::ranges::count_if(schedule.processors, [&](const auto& operations) {
    return std::ranges::any_of(operations, computes);
  }));
}

PeriodBound bound_of(const TaskGraph& graph, std::string_view machine, std::uint32_t replicas = 1) {
  return PeriodBounds(graph, logp::parse_machine(machine), replicas).best();
}

TEST(PeriodBounds, never_exceed_the_least_period_of_any_schedule_with_free_communication) {
  Random random(1);
  int reached = 0, count = 0;
  for (int i = 0; i < 60; ++i) {
    const TaskGraph graph = oracle::random_graph(random, 3 + random.below(4), 40, 9);
    for (std::string_view machine :
         {"logp:P=2", "logp:P=3", "logp:P=2,speed=1/0.5", "logp:P=3,speed=2/1/0.7"}) {
      const std::int64_t least = oracle::least_period_without_overheads(graph, logp::parse_machine(machine));
      const Time bound = bound_of(graph, machine).time;
      EXPECT_LE(bound.count(), least) << "graph " << i << " on " << machine;
      ++count;
      reached += bound.count() == least ? 1 : 0;
    }
  }
  // They are of use: of these graphs, most have a schedule that reaches them.
  EXPECT_GT(reached, count / 2);
}

TEST(PeriodBounds, never_exceed_the_least_period_of_a_relay_chain_with_communication) {
  Random random(2);
  for (int i = 0; i < 40; ++i) {
    const TaskGraph graph = oracle::random_graph(random, 3 + random.below(4), 35, 20, 4);
    for (std::string_view machine :
         {"logp:P=3,L=1,o=1,g=2", "logp:P=3,L=9,o=4,g=11", "loglinear:P=3,L=1+1,o=1+1,g=2+2",
          "loglinear:P=2,L=1+1,o=0+2,g=1+0", "logp:P=3,L=1,o=2,g=2,speed=1/0.5/2"}) {
      const std::int64_t least = oracle::least_period_relay(graph, logp::parse_machine(machine));
      EXPECT_LE(bound_of(graph, machine).time.count(), least) << "graph " << i << " on " << machine;
    }
  }
}

TEST(PeriodBounds, never_exceed_what_a_scheduler_reaches) {
  for (std::string_view shape :
       {"send_tree:depth=4,cost=1..100,seed=2,data=3", "fft:depth=3,cost=1..100,seed=4,data=10",
        "diamond:depth=5,cost=1..100,seed=6", "layered:tasks=60,jump=3,cost=1..100,seed=12,data=1..20",
        "fork_join:depth=2,width=5,cost=0..3,seed=9"})
    for (std::string_view machine : {"logp:P={},L=0,o=0,g=0", "logp:P={},L=1,o=1,g=2", "delay:P={}",
                                     "loglinear:P={},L=1+1,o=1+1,g=2+2", "logp:P={},L=5,o=0,g=50"})
      for (std::size_t processors : {1, 2, 3, 8}) {
        const TaskGraph graph = generate(shape);
        const logp::Machine on = logp::parse_machine(fmt::format(fmt::runtime(machine), processors));
        for (const Scheduler& scheduler : all_schedulers()) {
          const Schedule schedule = scheduler.schedule(graph, on, {.effort = 300});
          const PeriodBounds bounds(graph, on, schedule.replicas);
          EXPECT_GE(measure(schedule).repetition, bounds.best().time) << scheduler.name << " on " << shape;
          EXPECT_GE(measure(schedule).repetition, bounds.with(processors_with_tasks(schedule)).time)
              << scheduler.name << " on " << shape;
        }
      }
}

TEST(PeriodBounds, share_out_the_work) {
  // 7 + 5 + 3 = 15 on 2 processors.
  EXPECT_EQ(bound_of(independent_tasks({7, 5, 3}), "logp:P=2,L=0,o=0,g=0").time, Time{8});
}

TEST(PeriodBounds, are_not_below_the_largest_task) {
  const PeriodBound bound = bound_of(independent_tasks({20, 5, 3}), "logp:P=3,L=0,o=0,g=0");
  EXPECT_EQ(bound.time, Time{20});
  EXPECT_EQ(bound.rule, BoundRule::largest_task);
}

TEST(PeriodBounds, see_that_the_largest_tasks_must_meet) {
  // Of 10 10 10 10 on 3 processors two meet, although 40 / 3 is 13.3 only.
  const PeriodBound bound = bound_of(independent_tasks({10, 10, 10, 10}), "logp:P=3,L=0,o=0,g=0");
  EXPECT_EQ(bound.time, Time{20});
  EXPECT_EQ(bound.rule, BoundRule::pigeonhole);
}

TEST(PeriodBounds, see_that_tasks_are_whole) {
  // 6 + 6 + 2 + 2 + 2 + 2 + 2 = 22 on 2 processors: 11 is odd and not to be had, 12 is.
  const PeriodBound bound = bound_of(independent_tasks({6, 6, 2, 2, 2, 2, 2}), "logp:P=2,L=0,o=0,g=0");
  EXPECT_EQ(bound.time, Time{12});
  EXPECT_EQ(bound.rule, BoundRule::whole_tasks);
}

TEST(PeriodBounds, count_the_messages_that_hold_the_graph_together) {
  // A chain of 4 tasks of 10 on P = 4, o = 3: with q processors (40 + 6 (q - 1)) / q is 40, 23, 17.3, 14.5,
  // and with 3 processors two tasks of 10 meet: 20 + 3 = 23.
  const PeriodBounds bounds(generate("chain:depth=3,cost=10"), logp::parse_machine("logp:P=4,L=1,o=3,g=3"));
  EXPECT_EQ(bounds.with(1).time, Time{40});
  EXPECT_EQ(bounds.with(2).time, Time{23});
  EXPECT_EQ(bounds.with(3).time, Time{23});
  EXPECT_EQ(bounds.with(4).time, Time{15});
  EXPECT_EQ(bounds.best().time, Time{15});
}

TEST(PeriodBounds, leave_everything_on_one_processor_where_messages_cost_more_than_they_gain) {
  // Two tasks of 10: together 20, apart 10 + 30.
  EXPECT_EQ(bound_of(generate("chain:depth=1,cost=10"), "logp:P=4,L=0,o=30,g=0").time, Time{20});
}

TEST(PeriodBounds, know_that_unconnected_tasks_need_no_messages) {
  EXPECT_EQ(bound_of(independent_tasks({10, 10}), "logp:P=2,L=0,o=30,g=0").time, Time{10});
}

TEST(PeriodBounds, are_not_below_the_gap_when_something_is_sent) {
  const PeriodBound bound = bound_of(generate("chain:depth=1,cost=10"), "logp:P=2,L=0,o=0,g=15");
  EXPECT_EQ(bound.time, Time{15});
  EXPECT_EQ(bound.rule, BoundRule::gap);
}

TEST(PeriodBounds, add_up_speeds) {
  // 15 / (1 + 1 + 2) rounded up.
  EXPECT_EQ(bound_of(independent_tasks({2, 2, 2, 2, 2, 2, 2, 1}), "logp:P=3,L=0,o=0,g=0,speed=1/1/2").time,
            Time{4});
}

TEST(PeriodBounds, see_that_the_largest_tasks_must_share_fast_processors) {
  // Two tasks of 10 on speeds 2 and 0.5: both on the fast one take 10, and one of them on the slow one 20;
  // the work alone, 20 / 2.5, says 8.
  const PeriodBound bound = bound_of(independent_tasks({10, 10}), "logp:P=2,L=0,o=0,g=0,speed=2/0.5");
  EXPECT_EQ(bound.time, Time{10});
  EXPECT_EQ(bound.rule, BoundRule::pigeonhole);
}

/// Machines of all kinds: levels with costs of their own, in segments and with fractions, and any speeds.
logp::Machine random_machine(Random& random) {
  const auto cost = [&] {
    switch (random.below(4)) {
      case 0:
        return logp::Cost();
      case 1:
        return logp::Cost(static_cast<double>(random.below(12)), static_cast<double>(random.below(3)));
      case 2:
        return logp::Cost(random.unit() * 5, random.unit() * 2);
      default:
        return logp::Cost({{Bytes{0}, random.unit() * 8, random.unit()},
                           {Bytes{3 + random.below(5)}, random.unit() * 8, random.unit()}});
    }
  };
  Platform platform = Platform::uniform(1 + random.below(3));
  for (double& speed : platform.speeds)
    if (random.below(2) == 0) speed = 0.25 + random.unit() * 3;
  for (std::uint32_t& node : platform.node_of)
    node = static_cast<std::uint32_t>(random.below(platform.processor_count()));
  for (std::uint32_t& cluster : platform.cluster_of_node)
    cluster = static_cast<std::uint32_t>(random.below(2));
  std::array<logp::LinkCosts, level_count> costs;
  for (logp::LinkCosts& links : costs) links = {cost(), cost(), cost(), cost(), cost()};
  return logp::Machine(platform, costs);
}

TEST(PeriodBounds, hold_on_machines_of_all_kinds) {
  Random random(26);
  for (int i = 0; i < 250; ++i) {
    const logp::Machine machine = random_machine(random);
    const TaskGraph graph =
        oracle::random_graph(random, 1 + random.below(4), random.below(80), 30, random.between(1, 9));
    const PeriodBounds bounds(graph, machine);
    std::uint64_t budget = 100'000;
    const Time bound =
        assignment_bound(Workload(graph, machine), bounds.best().time, graph.total_work() * 10, budget);
    EXPECT_LE(bounds.best().time, bound);
    const auto check = [&](const Schedule& schedule) {
      EXPECT_LE(bound, measure(schedule).repetition) << "case " << i << ": " << schedule.scheduler;
      EXPECT_LE(bounds.with(processors_with_tasks(schedule)).time, measure(schedule).repetition)
          << "case " << i << ": " << schedule.scheduler;
    };
    for (const Scheduler& scheduler : all_schedulers())
      if (scheduler.family == "frequency") check(scheduler.schedule(graph, machine, {.effort = 1000}));
    oracle::for_each_allocation(graph, machine.processor_count(), [&](const logp::Allocation& allocation) {
      for (bool aggregate : {true, false})
        check(logp::with_smallest_period(
            machine, logp::time_task_messages(graph, machine, allocation, {.aggregate = aggregate})));
    });
  }
}

TEST(PeriodBounds, of_replicated_stateless_tasks_are_the_work_alone) {
  // Two instances of 20 + 4: 48 over 2 processors, where one instance alone cannot be below 20.
  EXPECT_EQ(bound_of(independent_tasks({20, 4}), "logp:P=2,L=0,o=0,g=0").time, Time{20});
  EXPECT_EQ(bound_of(independent_tasks({20, 4}, true), "logp:P=2,L=0,o=0,g=0", 2).time, Time{24});
}

TEST(PeriodBounds, of_replicated_tasks_with_state_count_all_their_instances) {
  const PeriodBound bound = bound_of(independent_tasks({20, 4}), "logp:P=2,L=0,o=0,g=0", 2);
  EXPECT_EQ(bound.time, Time{40});
  EXPECT_EQ(bound.rule, BoundRule::state);
}

TEST(PeriodBounds, tell_how_many_processors_a_period_needs_at_least) {
  const PeriodBounds bounds(independent_tasks({7, 5, 3}), logp::parse_machine("logp:P=3,L=0,o=0,g=0"));
  EXPECT_EQ(bounds.fewest_processors(Time{15}), 1U);
  EXPECT_EQ(bounds.fewest_processors(Time{14}), 2U);
  EXPECT_EQ(bounds.fewest_processors(Time{8}), 2U);
  EXPECT_EQ(bounds.fewest_processors(Time{7}), 3U);
  EXPECT_EQ(bounds.fewest_processors(Time{6}), 0U);
}

TEST(PeriodBounds, of_an_empty_graph_are_zero) {
  EXPECT_EQ(bound_of(TaskGraphBuilder().build(), "logp:P=3,L=0,o=1,g=0").time, Time{0});
}

}  // namespace
}  // namespace takt::schedulers
