/// Are the fractional and the integral assignment bounds valid, and higher than the area bound?

#include "schedulers/bounds/share_bound.hpp"

#include <algorithm>
#include <limits>
#include <string>
#include <vector>

#include <fmt/format.h>
#include <gtest/gtest.h>

#include "core/graphs/generators.hpp"
#include "schedulers/bounds/least_times.hpp"
#include "schedulers/bounds/packing_bound.hpp"
#include "schedulers/bounds/period_bounds.hpp"
#include "tests/schedulers/frequency/oracle.hpp"

namespace takt::schedulers {
namespace bounds_share_bound_test {

TaskGraph with_table(Random& random, const TaskGraph& graph, std::size_t processors) {
  TaskGraphBuilder builder;
  for (TaskId task : graph.tasks()) {
    const TaskId added = builder.add_task(graph.task(task));
    std::vector<Time> times;
    for (std::size_t p = 0; p < processors; ++p) times.emplace_back(random.between(0, 40));
    builder.set_work_table(added, std::move(times));
  }
  for (EdgeId id : graph.edges())
    builder.add_edge(graph.edge(id).from, graph.edge(id).to, graph.edge(id).size);
  return std::move(builder).build();
}

TEST(ShareBound, holds_for_every_assignment_of_the_tasks) {
  Random random(31);
  int above_area = 0;
  for (int i = 0; i < 120; ++i) {
    const bool has_table = i % 2 == 0;
    TaskGraph graph = oracle::random_graph(random, 1 + random.below(7), 30, 30, 4);
    if (has_table) graph = with_table(random, graph, 3);
    const std::string speeds = has_table ? "" : ",speed=1/2.5/0.7";
    for (const char* costs : {"logp:P=3", "logp:P=3,L=1,o=2,g=1", "loglinear:P=3,L=1+1,o=1+1,g=1+1"}) {
      const logp::Machine machine = logp::parse_machine(costs + speeds);
      const Time bound = share_bound(Workload(graph, machine));
      EXPECT_LE(bound.count(), oracle::least_share(graph, machine)) << costs << speeds << " graph " << i;
      if (bound > PeriodBounds(graph, machine, 1).best().period.time_of(1)) ++above_area;
    }
  }
  EXPECT_GT(above_area, 10);
}

/// Two kinds of tasks and two processors, each of which does one kind in 1 and the other one in 10 ticks: the
/// relaxation assigns each kind to its fast processor.
TEST(ShareBound, allows_for_processors_that_are_fastest_for_some_tasks_only) {
  TaskGraphBuilder builder;
  for (int i = 0; i < 12; ++i) {
    const TaskId task = builder.add_task({.name = std::to_string(i)});
    builder.set_work_table(task, i < 8 ? std::vector{Time(1), Time(10)} : std::vector{Time(10), Time(1)});
  }
  const TaskGraph graph = std::move(builder).build();
  // Processor 1 moves x of its eight tasks to the other one: 8 - x = 4 + 10 x, so 8 - 4 / 11.
  EXPECT_EQ(share_bound(Workload(graph, logp::parse_machine("logp:P=2"))), Time(8));
}

/// Tasks of one tick take one tick at any speed above 1: rounding halves the throughput of fast processors.
TEST(ShareBound, includes_that_times_are_whole_ticks) {
  const TaskGraph graph = generate("fork_join:depth=1,width=98,cost=1,data=1");
  const logp::Machine machine = logp::parse_machine("logp:P=4,speed=1/1/2/4");
  EXPECT_EQ(share_bound(Workload(graph, machine)), Time(25));
  EXPECT_LT(PeriodBounds(graph, machine, 1).best().period.time_of(1), Time(25));
}

TEST(ShareBound, is_zero_for_equal_processors) {
  EXPECT_EQ(share_bound(Workload(generate("fft:depth=3"), logp::parse_machine("logp:P=4"))), Time(0));
}

TEST(PackingBound, holds_for_every_assignment_of_the_tasks) {
  Random random(33);
  int above_shares = 0, above_assignments = 0;
  for (int i = 0; i < 120; ++i) {
    const bool has_table = i % 2 == 0;
    TaskGraph graph = oracle::random_graph(random, 1 + random.below(i % 4 < 2 ? 7 : 4), 30, 30, 4);
    if (has_table) graph = with_table(random, graph, 3);
    for (const char* speeds : {"", ",speed=1/2.5/0.7"})
      for (const char* costs : {"logp:P=3", "logp:P=3,L=1,o=2,g=1", "loglinear:P=3,L=1+1,o=1+1,g=1+1"}) {
        if (has_table && *speeds != 0) continue;
        const logp::Machine machine = logp::parse_machine(std::string(costs) + speeds);
        const Workload workload(graph, machine);
        const Time alone = fastest_sequential_run(graph, machine).time;
        const Time bound = packing_bound(workload, Time{0}, alone).period;
        // An assignment alone does not show that this many processors exchange more than one message each.
        if (bound.count() > oracle::least_share(graph, machine)) {
          ++above_assignments;
          if (graph.task_count() <= 4) {
            EXPECT_FALSE(oracle::has_schedule_within(graph, machine, bound.count() - 1))
                << costs << speeds << " graph " << i;
          }
        }
        if (bound > std::max(share_bound(workload), PeriodBounds(graph, machine, 1).best().period.time_of(1)))
          ++above_shares;
      }
  }
  EXPECT_GT(above_shares, 20);
  EXPECT_GT(above_assignments, 0);
}

/// Four tasks of 10 in a row, four processors, 2 ticks at either end of a message: the processors in the
/// middle receive and send. Three messages alone are 12 ticks, of which no processor needs more than 3.
TEST(PackingBound, finds_processors_that_receive_and_send) {
  const TaskGraph graph = generate("chain:depth=3,cost=10,data=1");
  const logp::Machine machine = logp::parse_machine("logp:P=4,L=1,o=2,g=0");
  ASSERT_EQ(graph.task_count(), 4U);
  EXPECT_EQ(packing_bound(Workload(graph, machine), Time{1}, Time{40}).period, Time{14});
  EXPECT_FALSE(oracle::has_schedule_within(graph, machine, 13));
  EXPECT_TRUE(oracle::has_schedule_within(graph, machine, 14));
}

/// The knapsacks divide periods of millions of ticks into thousands of units.
TEST(PackingBound, holds_for_long_periods) {
  Random random(34);
  int raised = 0;
  for (int i = 0; i < 20; ++i) {
    const TaskGraph graph = oracle::random_graph(random, 3 + random.below(5), 30, 20'000'000, 4);
    for (const char* text : {"logp:P=3", "logp:P=3,speed=1/2.5/0.7"}) {
      const logp::Machine machine = logp::parse_machine(text);
      const Workload workload(graph, machine);
      const std::int64_t least = oracle::least_share(graph, machine);
      const Time alone = fastest_sequential_run(graph, machine).time;
      // Also with known bounds that are already optimal.
      for (const Time known : {Time{1}, Time(least - 1), Time(least)}) {
        const Time bound = packing_bound(workload, known, alone).period;
        EXPECT_LE(bound.count(), least) << text << " graph " << i;
        EXPECT_GE(bound, known);
        raised += bound > known ? 1 : 0;
      }
    }
  }
  EXPECT_GT(raised, 20);
}

/// Ends of messages that are shorter than a unit are rounded to 0, however many there are.
TEST(PackingBound, holds_for_long_periods_and_short_messages) {
  Random random(35);
  for (int i = 0; i < 20; ++i) {
    const TaskGraph graph = oracle::random_graph(random, 2 + random.below(3), 60, 2'000'000, 4);
    for (const char* text : {"logp:P=3,L=5,o=4", "logp:P=3,L=5,o=7", "logp:P=2,L=5,o=900"}) {
      const logp::Machine machine = logp::parse_machine(text);
      const Time known = PeriodBounds(graph, machine, 1).best().period.time_of(1),
                 alone = fastest_sequential_run(graph, machine).time,
                 bound = packing_bound(Workload(graph, machine), known, alone).period;
      if (bound > known) {
        EXPECT_FALSE(oracle::has_schedule_within(graph, machine, bound.count() - 1)) << text << " " << i;
      }
    }
  }
}

/// Without messages, on processors of which the fast ones do the large tasks: seven tasks of 6 on speeds 1, 1
/// and 3. In 11 ticks the slow ones do one each and the fast one 33 / 6, that is five: all seven. In 10 ticks
/// it does five, too (30 / 6), and in 9 ticks four: only six fit.
TEST(PackingBound, includes_the_time_that_indivisible_tasks_leave_unused) {
  TaskGraphBuilder builder;
  for (int i = 0; i < 7; ++i) builder.add_task({.name = std::to_string(i), .work = Time{6}});
  const TaskGraph graph = std::move(builder).build();
  const logp::Machine machine = logp::parse_machine("logp:P=3,speed=1/1/3");
  const Workload workload(graph, machine);
  EXPECT_EQ(packing_bound(workload, Time{1}, Time{14}).period, Time{10});
  EXPECT_EQ(share_bound(workload), Time{9});
}

}  // namespace bounds_share_bound_test
}  // namespace takt::schedulers
