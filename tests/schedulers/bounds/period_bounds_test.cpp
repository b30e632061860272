/// Are the lower bounds of the period valid, and do they reach the least period where they should?

#include "schedulers/bounds/period_bounds.hpp"

#include <algorithm>
#include <string>

#include <fmt/format.h>
#include <gtest/gtest.h>

#include "core/graphs/generators.hpp"
#include "logp/diagnostics.hpp"
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
      const Time bound = bound_of(graph, machine).period.time_of(1);
      EXPECT_LE(bound.count(), least) << "graph " << i << " on " << machine;
      ++count;
      reached += bound.count() == least ? 1 : 0;
    }
  }
  // They are useful: most of these graphs have a schedule that reaches them.
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
      EXPECT_LE(bound_of(graph, machine).period.time_of(1).count(), least)
          << "graph " << i << " on " << machine;
    }
  }
}

TEST(PeriodBounds, never_exceed_the_period_of_a_scheduler) {
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
          EXPECT_GE(measure(schedule).exact_period(), bounds.best().period)
              << scheduler.name << " on " << shape;
          EXPECT_GE(measure(schedule).exact_period(), bounds.on(measure(schedule).processors_used).period)
              << scheduler.name << " on " << shape;
        }
      }
}

TEST(PeriodBounds, divide_the_work) {
  // 7 + 5 + 3 = 15 on 2 processors.
  EXPECT_EQ(bound_of(independent_tasks({7, 5, 3}), "logp:P=2,L=0,o=0,g=0").period.time_of(1), Time{8});
}

TEST(PeriodBounds, are_not_below_the_largest_task) {
  const PeriodBound bound = bound_of(independent_tasks({20, 5, 3}), "logp:P=3,L=0,o=0,g=0");
  EXPECT_EQ(bound.period.time_of(1), Time{20});
  EXPECT_EQ(bound.rule, BoundRule::largest_task);
}

TEST(PeriodBounds, include_that_the_largest_tasks_must_meet) {
  // Of 10 10 10 10 on 3 processors two meet, although 40 / 3 is only 13.3.
  const PeriodBound bound = bound_of(independent_tasks({10, 10, 10, 10}), "logp:P=3,L=0,o=0,g=0");
  EXPECT_EQ(bound.period.time_of(1), Time{20});
  EXPECT_EQ(bound.rule, BoundRule::pigeonhole);
}

TEST(PeriodBounds, include_that_tasks_are_indivisible) {
  // 6 + 6 + 2 + 2 + 2 + 2 + 2 = 22 on 2 processors: 11 is odd and impossible, 12 is possible.
  const PeriodBound bound = bound_of(independent_tasks({6, 6, 2, 2, 2, 2, 2}), "logp:P=2,L=0,o=0,g=0");
  EXPECT_EQ(bound.period.time_of(1), Time{12});
  EXPECT_EQ(bound.rule, BoundRule::subset_sum);
}

TEST(PeriodBounds, count_the_messages_that_connect_the_graph) {
  // A chain of 4 tasks of 10 on P = 4, o = 3: with q processors (40 + 6 (q - 1)) / q is 40, 23, 17.3, 14.5,
  // and with 3 processors two tasks of 10 meet: 20 + 3 = 23.
  const PeriodBounds bounds(generate("chain:depth=3,cost=10"), logp::parse_machine("logp:P=4,L=1,o=3,g=3"));
  EXPECT_EQ(bounds.on(1).period.time_of(1), Time{40});
  EXPECT_EQ(bounds.on(2).period.time_of(1), Time{23});
  EXPECT_EQ(bounds.on(3).period.time_of(1), Time{23});
  EXPECT_EQ(bounds.on(4).period.time_of(1), Time{15});
  EXPECT_EQ(bounds.best().period.time_of(1), Time{15});
}

TEST(PeriodBounds, leave_everything_on_one_processor_for_expensive_messages) {
  // Two tasks of 10: together 20, apart 10 + 30.
  EXPECT_EQ(bound_of(generate("chain:depth=1,cost=10"), "logp:P=4,L=0,o=30,g=0").period.time_of(1), Time{20});
}

TEST(PeriodBounds, need_no_messages_for_unconnected_tasks) {
  EXPECT_EQ(bound_of(independent_tasks({10, 10}), "logp:P=2,L=0,o=30,g=0").period.time_of(1), Time{10});
}

TEST(PeriodBounds, are_not_below_the_gap_if_there_is_a_message) {
  const PeriodBound bound = bound_of(generate("chain:depth=1,cost=10"), "logp:P=2,L=0,o=0,g=15");
  EXPECT_EQ(bound.period.time_of(1), Time{15});
  EXPECT_EQ(bound.rule, BoundRule::gap);
}

TEST(PeriodBounds, add_up_speeds) {
  // 15 / (1 + 1 + 2) rounded up.
  EXPECT_EQ(bound_of(independent_tasks({2, 2, 2, 2, 2, 2, 2, 1}), "logp:P=3,L=0,o=0,g=0,speed=1/1/2")
                .period.time_of(1),
            Time{4});
}

TEST(PeriodBounds, include_that_the_largest_tasks_must_share_fast_processors) {
  // Two tasks of 10 on speeds 2 and 0.5: both on the fast one take 10, and one of them on the slow one 20;
  // the area bound is 20 / 2.5 = 8.
  const PeriodBound bound = bound_of(independent_tasks({10, 10}), "logp:P=2,L=0,o=0,g=0,speed=2/0.5");
  EXPECT_EQ(bound.period.time_of(1), Time{10});
  EXPECT_EQ(bound.rule, BoundRule::pigeonhole);
}

/// All kinds of machines: levels with costs of their own, in segments and with fractions, and any speeds.
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

TEST(PeriodBounds, hold_on_all_kinds_of_machines) {
  Random random(26);
  for (int i = 0; i < 250; ++i) {
    const logp::Machine machine = random_machine(random);
    const TaskGraph graph =
        oracle::random_graph(random, 1 + random.below(4), random.below(80), 30, random.between(1, 9));
    const PeriodBounds bounds(graph, machine, 1);
    std::uint64_t budget = 100'000;
    const Time bound = assignment_bound(Workload(graph, machine), bounds.best().period.time_of(1),
                                        graph.total_work() * 10, budget);
    EXPECT_LE(bounds.best().period.time_of(1), bound);
    const auto check = [&](const Schedule& schedule) {
      EXPECT_LE(bound, measure(schedule).repetition) << "case " << i << ": " << schedule.scheduler;
      EXPECT_LE(bounds.on(measure(schedule).processors_used).period, measure(schedule).exact_period())
          << "case " << i << ": " << schedule.scheduler;
    };
    for (const Scheduler& scheduler : all_schedulers())
      if (scheduler.family == "frequency") check(scheduler.schedule(graph, machine, {.effort = 1000}));
    oracle::for_each_allocation(graph, machine.processor_count(), [&](const logp::Allocation& allocation) {
      for (bool aggregate : {true, false})
        check(logp::with_least_repetition(
            machine, logp::time_task_messages(graph, machine, allocation, {.aggregate = aggregate})));
    });
  }
}

TEST(PeriodBounds, of_replicated_stateless_tasks_are_the_work_alone) {
  // Two instances of 20 + 4: 48 over 2 processors, while one instance alone needs at least 20.
  EXPECT_EQ(bound_of(independent_tasks({20, 4}), "logp:P=2,L=0,o=0,g=0").period.time_of(1), Time{20});
  EXPECT_EQ(bound_of(independent_tasks({20, 4}, true), "logp:P=2,L=0,o=0,g=0", 2).period,
            (Period{Time{24}, 2}));
}

TEST(PeriodBounds, of_several_copies_are_those_of_one_if_every_task_is_stateful) {
  // Two frames of 20 on one processor.
  const PeriodBound bound = bound_of(independent_tasks({20, 4}), "logp:P=2,L=0,o=0,g=0", 2);
  EXPECT_EQ(bound.period, (Period{Time{20}, 1}));
  EXPECT_EQ(bound.rule, BoundRule::largest_task);
}

/// Some stateful tasks, then some stateless ones, and no edges.
TaskGraph mixed_tasks(std::initializer_list<int> with_state, std::initializer_list<int> stateless) {
  TaskGraphBuilder builder;
  int number = 0;
  for (int work : with_state) builder.add_task({.name = std::to_string(++number), .work = Time(work)});
  for (int work : stateless)
    builder.add_task({.name = std::to_string(++number), .work = Time(work), .stateless = true});
  return std::move(builder).build();
}

TEST(PeriodBounds, of_several_copies_count_all_frames_of_a_stateful_task) {
  // Two frames are 2 * 20 on one processor, and at least 2 * 24 / 2 on both.
  const PeriodBound bound = bound_of(mixed_tasks({20}, {4}), "logp:P=2,L=0,o=0,g=0", 2);
  EXPECT_EQ(bound.period, (Period{Time{40}, 2}));
  EXPECT_EQ(bound.rule, BoundRule::state);
}

PeriodBound bound_of_any_number(const TaskGraph& graph, std::string_view machine) {
  return PeriodBounds(graph, logp::parse_machine(machine)).best();
}

TEST(PeriodBounds, of_any_number_of_copies_have_no_largest_task_without_state) {
  // 24 on 3 processors, although one task alone takes 20.
  const PeriodBound bound = bound_of_any_number(mixed_tasks({1}, {20, 3}), "logp:P=3,L=0,o=0,g=0");
  EXPECT_EQ(bound.period, (Period{Time{8}, 1}));
  EXPECT_EQ(bound.rule, BoundRule::area);
  EXPECT_EQ(bound_of_any_number(mixed_tasks({1}, {20, 4}), "logp:P=3").period, (Period{Time{25}, 3}));
}

TEST(PeriodBounds, of_any_number_of_copies_count_stateful_tasks_that_share_a_processor) {
  // Of three stateful tasks of 10, two share one of two processors and process every frame there.
  const PeriodBound bound = bound_of_any_number(mixed_tasks({10, 10, 10}, {1}), "logp:P=2,L=0,o=0,g=0");
  EXPECT_EQ(bound.period, (Period{Time{20}, 1}));
  EXPECT_EQ(bound.rule, BoundRule::pigeonhole);
}

TEST(PeriodBounds, of_any_number_of_copies_are_those_of_one_without_stateless_tasks) {
  EXPECT_EQ(bound_of_any_number(independent_tasks({20, 5, 3}), "logp:P=3").period, (Period{Time{20}, 1}));
  EXPECT_EQ(bound_of_any_number(mixed_tasks({1}, {20, 4}), "logp:P=1").period, (Period{Time{25}, 1}));
}

/// A stateful task, two stateless ones, and a stateful one again, in a row.
TaskGraph row_of_four() {
  TaskGraphBuilder builder;
  const TaskId a = builder.add_task({"a", Time{5}}), b = builder.add_task({"b", Time{20}, true}),
               c = builder.add_task({"c", Time{60}, true}), d = builder.add_task({"d", Time{5}});
  (void)builder.add_edge(a, b, Bytes{10});
  (void)builder.add_edge(b, c, Bytes{10});
  (void)builder.add_edge(c, d, Bytes{10});
  return std::move(builder).build();
}

// By hand: W = 90, P = 3, the largest stateful task 5, o = 1 at either end. So moving a frame away from its
// processor saves 90 - 5 - 1 = 84 and costs 2: (90 * 84 + 2 * 90) / (2 + 3 * 84) = 7740 / 254.
TEST(PeriodBounds, of_any_number_of_copies_count_the_messages_that_move_frames) {
  const TaskGraph graph = row_of_four();
  const PeriodBound bound = bound_of_any_number(graph, "logp:P=3,L=1,o=1,g=1");
  EXPECT_EQ(bound.period, (Period{Time{7740}, 254}));
  EXPECT_EQ(bound.rule, BoundRule::moved_frames);
  EXPECT_EQ(bound_of_any_number(graph, "delay:P=3").period, (Period{Time{30}, 1}));
  // With 42 processors and more, the stateful task and its message are the bound; without messages so is the
  // task.
  EXPECT_EQ(bound_of_any_number(graph, "logp:P=100,L=1,o=1,g=1").period, (Period{Time{6}, 1}));
  EXPECT_EQ(bound_of_any_number(graph, "delay:P=100").period, (Period{Time{5}, 1}));
  // A message costs more than all the work: everything on one processor.
  EXPECT_EQ(bound_of_any_number(graph, "logp:P=3,L=1,o=90,g=1").period, (Period{Time{90}, 1}));
}

TEST(PeriodBounds, of_some_number_of_copies_are_not_below_those_of_any) {
  Random random(5);
  for (int i = 0; i < 200; ++i) {
    const TaskGraph graph = oracle::with_stateless_tasks(
        random, oracle::random_graph(random, 1 + random.below(6), random.below(80), 30, 4));
    const logp::Machine machine = random_machine(random);
    const PeriodBounds any(graph, machine);
    for (std::uint32_t replicas = 1; replicas <= 4; ++replicas) {
      const PeriodBounds some(graph, machine, replicas);
      EXPECT_GE(some.best().period, any.best().period) << i;
      for (std::size_t used = 1; used <= machine.processor_count(); ++used) {
        EXPECT_GE(some.on(used).period, any.on(used).period) << i;
        EXPECT_LE(some.best().period, some.on(used).period) << i;
      }
    }
  }
}

// A task of 9 before two others of 9, o = 1: on three processors two messages, (27 + 4) / 3, rounded up. With
// a fourth one that only relays data, the first processor sends once for both: 9 + 1 on each.
TEST(PeriodBounds, include_relays_by_processors_without_tasks) {
  const TaskGraph graph = generate("send_tree:depth=1,cost=9");
  EXPECT_EQ(bound_of(graph, "logp:P=3,L=0,o=1,g=0").period.time_of(1), Time{11});
  EXPECT_EQ(bound_of(graph, "logp:P=4,L=0,o=1,g=0").period.time_of(1), Time{10});
  EXPECT_EQ(bound_of(graph, "logp:P=4,L=0,o=1,g=0").rule, BoundRule::area_with_messages);

  const logp::Machine machine = logp::parse_machine("logp:P=4,L=0,o=1,g=0");
  Schedule schedule("relayed", 4);
  const ProcessorId root(0), left(1), right(2), relay(3);
  const std::vector<DatumId> data{DatumId(0), DatumId(1)};
  const MessageId both = schedule.add_message(root, relay, Bytes{2}, data),
                  first = schedule.add_message(relay, left, Bytes{1}, std::span(data).first(1)),
                  second = schedule.add_message(relay, right, Bytes{1}, std::span(data).last(1));
  schedule.add_compute(root, TaskId(0), Time{0}, Time{9});
  schedule.add_send(root, both, Time{9}, Time{10});
  schedule.add_receive(relay, both, Time{10}, Time{11});
  schedule.add_send(relay, first, Time{11}, Time{12});
  schedule.add_send(relay, second, Time{12}, Time{13});
  schedule.add_receive(left, first, Time{12}, Time{13});
  schedule.add_compute(left, TaskId(1), Time{13}, Time{22});
  schedule.add_receive(right, second, Time{13}, Time{14});
  schedule.add_compute(right, TaskId(2), Time{14}, Time{23});
  EXPECT_TRUE(logp::diagnose(graph, machine, schedule).empty());
  EXPECT_EQ(measure(schedule).repetition, Time{10});
  EXPECT_EQ(find_scheduler("exact_fo").schedule(graph, machine, {}).period_bound, (Period{Time{10}, 1}));
}

TEST(PeriodBounds, hold_for_a_set_of_processors) {
  const TaskGraph graph = independent_tasks({7, 5, 3});
  const logp::Machine machine = logp::parse_machine("logp:P=4,speed=1/1/2/3");
  const auto on = [&](std::vector<ProcessorId> processors) {
    return period_bound_on(graph, machine, processors).period;
  };
  // 15 on speed 1; 15 / 2 and on speeds 1 and 1 also 8; on 2 and 3 it is 15 / 5.
  EXPECT_EQ(on({ProcessorId(0)}), (Period{Time{15}, 1}));
  EXPECT_EQ(on({ProcessorId(0), ProcessorId(1)}), (Period{Time{8}, 1}));
  EXPECT_EQ(on({ProcessorId(2), ProcessorId(3)}), (Period{Time{3}, 1}));
}

TEST(PeriodBounds, on_one_processor_are_the_time_of_all_work) {
  // A table of times: 4 + 9 on the first processor, 9 + 5 on the second one.
  TaskGraphBuilder builder;
  for (const char* name : {"a", "b"}) (void)builder.add_task({name, Time{10}});
  builder.set_work_table(TaskId(0), {Time{4}, Time{9}});
  builder.set_work_table(TaskId(1), {Time{9}, Time{5}});
  const TaskGraph graph = std::move(builder).build();
  const PeriodBounds bounds(graph, logp::parse_machine("logp:P=2"), 1);
  EXPECT_EQ(bounds.on(1).period, (Period{Time{13}, 1}));
  EXPECT_EQ(bounds.on(2).period, (Period{Time{5}, 1}));
}

TEST(PeriodBounds, of_an_empty_graph_are_zero) {
  EXPECT_EQ(bound_of(TaskGraphBuilder().build(), "logp:P=3,L=0,o=1,g=0").period.time_of(1), Time{0});
}

}  // namespace
}  // namespace takt::schedulers
