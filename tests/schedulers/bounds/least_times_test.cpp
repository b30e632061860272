/// Are the least times those of the fastest processors, for single tasks and in sum?

#include "schedulers/bounds/least_times.hpp"

#include <gtest/gtest.h>

#include "core/graphs/generators.hpp"

namespace takt::schedulers {
namespace {

/// Three tasks on two processors: 4 9, 9 3, 5 6.
TaskGraph graph_with_table() {
  TaskGraphBuilder builder;
  for (const char* name : {"a", "b", "c"}) (void)builder.add_task({name, Time{10}});
  builder.set_work_table(TaskId(0), {Time{4}, Time{9}});
  builder.set_work_table(TaskId(1), {Time{9}, Time{3}});
  builder.set_work_table(TaskId(2), {Time{5}, Time{6}});
  return std::move(builder).build();
}

TEST(LeastTimes, are_those_of_the_fastest_processor) {
  const TaskGraph graph = generate("chain:depth=1,cost=7/10");
  const logp::Machine machine = logp::parse_machine("logp:P=3,speed=1/2/0.5");
  const LeastTimes least(graph, machine);
  EXPECT_EQ(least.of(TaskId(0)), Time{4});
  EXPECT_EQ(least.of(TaskId(1)), Time{5});
  EXPECT_EQ(least.sum(), Time{9});
}

TEST(LeastTimes, of_a_table_are_the_least_of_each_row) {
  const TaskGraph graph = graph_with_table();
  EXPECT_EQ(LeastTimes(graph, logp::parse_machine("logp:P=2")).sum(), Time{4 + 3 + 5});
  EXPECT_EQ(LeastTimes(graph, logp::parse_machine("logp:P=1")).sum(), Time{4 + 9 + 5});
}

TEST(SequentialTime, is_the_least_over_the_processors_for_all_tasks) {
  const TaskGraph graph = graph_with_table();
  const logp::Machine machine = logp::parse_machine("logp:P=2");
  EXPECT_EQ(sequential_time(graph, machine, ProcessorId(0)), Time{18});
  EXPECT_EQ(sequential_time(graph, machine, ProcessorId(1)), Time{18});
  EXPECT_EQ(fastest_sequential_run(graph, machine).processor, ProcessorId(0));
  const SequentialRun run =
      fastest_sequential_run(generate("chain:depth=1,cost=7"), logp::parse_machine("logp:P=4,speed=1/2/1/2"));
  EXPECT_EQ(run.processor, ProcessorId(1));
  EXPECT_EQ(run.time, Time{8});
}

}  // namespace
}  // namespace takt::schedulers
