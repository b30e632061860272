/// Do pipelined schedules reach the largest load of the best allocation, and are they valid?

#include "schedulers/pipelining/pipelined_search.hpp"

#include <algorithm>

#include <fmt/format.h>
#include <gmock/gmock.h>

#include "core/graphs/generators.hpp"
#include "core/offsets.hpp"
#include "logp/diagnostics.hpp"
#include "logp/simulation.hpp"
#include "logp/timing.hpp"
#include "schedulers/pipelining/modulo_timetable.hpp"
#include "schedulers/registry/registry.hpp"
#include "tests/core/graphs/random_graph.hpp"
#include "tests/schedulers/pipelining/allocation_oracle.hpp"

namespace takt::schedulers {
namespace pipelining_pipelined_search_test {

using ::testing::IsEmpty;

std::vector<std::string> findings(const TaskGraph& graph, const logp::Machine& machine,
                                  const Schedule& schedule) {
  std::vector<std::string> result;
  for (const logp::Finding& finding : logp::diagnose(graph, machine, schedule))
    result.push_back(finding.rule + ": " + finding.message);
  return result;
}

/// Everything on processor 0.
Schedule alone(const TaskGraph& graph, const logp::Machine& machine) {
  logp::Allocation allocation{std::vector<std::vector<TaskId>>(machine.processor_count())};
  for (TaskId task : graph.topological_order()) allocation.order[0].push_back(task);
  return logp::time_task_messages(graph, machine, allocation);
}

TaskGraph chain(std::initializer_list<Time::rep> works) {
  TaskGraphBuilder builder;
  for (const Time::rep work : works) {
    const TaskId task = builder.add_task(
        {.name = std::string(1, static_cast<char>('a' + builder.tasks().size())), .work = Time(work)});
    if (task.index() > 0) builder.add_edge(TaskId(task.index() - 1), task, Bytes{1});
  }
  return std::move(builder).build();
}

constexpr RandomGraphOptions with_state{
    .odd_names = false, .stateless = false, .work_table = false, .unused_data = false};

TEST(PipelinedSearch, a_processor_does_a_later_frame_before_the_end_of_an_earlier_one) {
  const TaskGraph graph = chain({500, 1000, 500});
  const logp::Machine machine = logp::Machine::delay(2);
  std::uint64_t budget = 1'000;
  const auto found = search_pipelined(graph, machine, alone(graph, machine), {Time{1000}, 1}, budget, 1);
  ASSERT_TRUE(found);
  EXPECT_THAT(findings(graph, machine, *found), IsEmpty());
  EXPECT_EQ(measure(*found).repetition, Time{1000});
  // Two messages of one tick; each then waits for the next place of its task in the iteration.
  EXPECT_LE(measure(*found).latency, Time{4000});
  EXPECT_EQ(logp::simulate(graph, machine, *found, {.frames = 100}).sustained_period, 1000.0);
}

TEST(PipelinedSearch, equals_an_exhaustive_search_over_allocations) {
  std::size_t searched = 0;
  for (std::uint64_t seed = 0; seed < 120; ++seed) {
    const TaskGraph graph = random_graph(seed, with_state);
    if (graph.task_count() < 2 || graph.task_count() > 7) continue;
    const bool messages_cost = seed % 2 == 0;
    const logp::Machine machine =
        logp::parse_machine(messages_cost ? "loglinear:P=3,L=5+1,o=0+1,g=0+0" : "delay:P=3,speed=1/1/2");
    const Schedule start = alone(graph, machine);
    const Time least = least_largest_load(graph, machine, messages_cost);
    if (least == Time{0}) continue;
    if (messages_cost) {
      EXPECT_EQ(AllocationSearch(graph, machine, true, 1'000'000).below(Time::max() / 8), least) << seed;
    }
    ++searched;
    std::uint64_t budget = 20'000;
    const auto found = search_pipelined(graph, machine, start, {Time{1}, 1}, budget, 1);
    EXPECT_EQ(std::min(measure(start).repetition, found ? measure(*found).repetition : Time::max()), least)
        << seed;
    if (found) {
      EXPECT_THAT(findings(graph, machine, *found), IsEmpty()) << seed;
    }
  }
  EXPECT_GT(searched, 60U);
}

/// `optfo` as users call it, on graphs of 14 to 20 tasks with state.
TEST(PipelinedSearch, optfo_equals_an_exact_search_over_allocations) {
  for (const std::uint64_t count : {14, 17, 20})
    for (std::uint64_t seed = 1; seed <= 2; ++seed)
      for (const bool messages_cost : {false, true}) {
        const TaskGraph graph = generate(
            fmt::format("layered:tasks={},width=0.4,cost=1..100,data=1..{},seed={}", count, 10 * seed, seed));
        const logp::Machine machine = logp::parse_machine(
            fmt::format("loglinear:P={},L=5+1,o=0+{},g=0+0", 2 + seed % 2, messages_cost ? 1 : 0));
        const Schedule schedule = find_scheduler("optfo").schedule(graph, machine, {});
        EXPECT_THAT(findings(graph, machine, schedule), IsEmpty());
        const Time period = measure(schedule).repetition;
        EXPECT_EQ(AllocationSearch(graph, machine, messages_cost, 100'000'000).below(period), std::nullopt)
            << count << " tasks, seed " << seed << (messages_cost ? ", messages cost" : "");
      }
}

TEST(PipelinedSearch, without_gaps_every_allocation_reaches_its_largest_load) {
  std::size_t pipelined = 0;
  for (std::uint64_t seed = 0; seed < 200; ++seed) {
    const TaskGraph graph = random_graph(seed, with_state);
    if (graph.task_count() == 0) continue;
    const logp::Machine machine = logp::parse_machine(seed % 3 == 0   ? "loglinear:P=3,L=7+1,o=2+1,g=0+0"
                                                      : seed % 3 == 1 ? "delay:P=3"
                                                                      : "delay:P=4,network=ring:4,link=2+1");
    const Workload workload(graph, machine);
    Random random(seed);
    std::vector<ProcessorId> processors;
    for (std::size_t i = 0; i < graph.task_count(); ++i)
      processors.emplace_back(random.below(machine.processor_count()));
    for (const MessageGrouping grouping : {MessageGrouping::joined, MessageGrouping::of_datum}) {
      const Flow flow(workload, processors, grouping);
      std::uint64_t pairs = 1'000'000'000;
      const auto found = least_modulo_timetable(machine, flow, Time{0}, Time{1'000'000}, pairs);
      ASSERT_TRUE(found) << seed;
      EXPECT_THAT(findings(graph, machine, *found), IsEmpty()) << seed;
      EXPECT_EQ(std::max(Time{1}, measure(*found).repetition), flow.load()) << seed;
      // Executed as early as possible, no operation is later than in the timetable.
      const ScheduleMetrics metrics = measure(*found);
      const auto simulated = logp::simulate(graph, machine, *found, {.frames = 30, .buffers = 100});
      EXPECT_LE(simulated.duration, metrics.latency + 29 * metrics.repetition) << seed;
      pipelined += found->repetition ? 1 : 0;
    }
  }
  EXPECT_GT(pipelined, 100U);
}

TEST(PipelinedSearch, schedules_with_gaps_capacity_networks_and_several_frames_are_valid) {
  std::size_t found_count = 0, pipelined = 0;
  for (std::uint64_t seed = 0; seed < 80; ++seed) {
    const TaskGraph graph =
        random_graph(seed, {.odd_names = false, .work_table = false, .unused_data = false});
    if (graph.task_count() < 2) continue;
    const logp::Machine machine = logp::parse_machine(
        seed % 4 == 0   ? "logp:P=3,L=3,o=3,g=3"
        : seed % 4 == 1 ? "logp:P=3,L=12,o=1,g=5,speed=1/2/3"
        : seed % 8 == 2 ? "loglinear:P=4,L=9+0,o=2+0.01,g=4+0.02"
        : seed % 8 == 6 ? "contention:P=4,channel=both"
                        : "loglinear:P=4,L=9+0,o=2+0.01,g=4+0.02,network=star:4,link=1+0.01");
    std::uint64_t budget = 1'000;
    const auto found = search_pipelined(graph, machine, alone(graph, machine), {Time{1}, 8}, budget, seed);
    if (!found) continue;
    ++found_count;
    pipelined += found->repetition ? 1 : 0;
    EXPECT_THAT(findings(graph, machine, *found), IsEmpty()) << seed;
    const auto simulated = logp::simulate(graph, machine, *found, {.frames = 160});
    EXPECT_EQ(simulated.delivered, 160U) << seed;
  }
  EXPECT_GT(found_count, 25U);
  EXPECT_GT(pipelined, 5U);
}

TEST(PipelinedWithin, uses_no_more_offsets_than_the_rate_needs) {
  const TaskGraph graph = chain({500, 1000, 500});
  const logp::Machine machine = logp::Machine::delay(2);
  const std::vector<Schedule> starts{alone(graph, machine)};
  // Everything on one processor holds 2000: nothing is pipelined, and no message delays a frame.
  const auto slow = pipelined_within(graph, machine, Time{2000}, starts, 100, 1);
  ASSERT_TRUE(slow);
  EXPECT_EQ(measure(*slow).latency, Time{2000});
  EXPECT_FALSE(slow->repetition);
  const auto fast = pipelined_within(graph, machine, Time{1250}, starts, 100, 1);
  ASSERT_TRUE(fast);
  EXPECT_THAT(findings(graph, machine, *fast), IsEmpty());
  EXPECT_LE(measure(*fast).repetition, Time{1250});
  // c is ready at 1502, and its processor is busy with a of the next frame from 1250 to 1750.
  EXPECT_EQ(measure(*fast).latency, Time{2250});
}

}  // namespace pipelining_pipelined_search_test
}  // namespace takt::schedulers
