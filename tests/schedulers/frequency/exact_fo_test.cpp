/// Does `exact_fo` find the highest frequency, and claim only what it has proven?

#include <tuple>

#include <fmt/format.h>
#include <gmock/gmock.h>

#include "core/graphs/generators.hpp"
#include "logp/diagnostics.hpp"
#include "logp/period.hpp"
#include "schedulers/bounds/assignment_bound.hpp"
#include "schedulers/bounds/period_bounds.hpp"
#include "schedulers/exact/exact_schedule.hpp"
#include "schedulers/judge/evaluation_report.hpp"
#include "schedulers/registry/registry.hpp"
#include "tests/schedulers/frequency/oracle.hpp"
#include "tests/schedulers/frequency/searches.hpp"

namespace takt::schedulers {
namespace {

using ::testing::HasSubstr;

/// Keeps the local search short, so that the exact methods are needed.
/// The oracles know schedules of one frame at a time.
const Options exact{.effort = 400'000, .frames = FrameClass::one_at_a_time};

void expect_valid(const TaskGraph& graph, const logp::Machine& machine, const Schedule& schedule) {
  for (const logp::Finding& finding : logp::diagnose(graph, machine, schedule, {.limit = 3}))
    ADD_FAILURE() << finding.rule << ": " << finding.message;
}

class WithoutOverheads : public ::testing::TestWithParam<std::string_view> {};

TEST_P(WithoutOverheads, exact_fo_finds_the_least_period_of_all_schedules) {
  const logp::Machine machine = logp::parse_machine(GetParam());
  Random random(21);
  for (int i = 0; i < 40; ++i) {
    const TaskGraph graph = oracle::random_graph(random, 1 + random.below(6), 35, 20, 6);
    const Schedule schedule = exact_fo(graph, machine, exact);
    EXPECT_EQ(measure(schedule).repetition.count(), oracle::least_period_without_overheads(graph, machine))
        << "graph " << i;
    EXPECT_TRUE(schedule.optimal) << "graph " << i;
    EXPECT_EQ(schedule.period_bound, measure(schedule).exact_period()) << "graph " << i;
    expect_valid(graph, machine, schedule);
  }
}

INSTANTIATE_TEST_SUITE_P(Machines, WithoutOverheads,
                         ::testing::Values("logp:P=1", "logp:P=2", "logp:P=3", "delay:P=2", "delay:P=3",
                                           "logp:P=2,L=7,o=0,g=0", "logp:P=3,speed=1/2/0.5",
                                           "logp:P=3,speed=3/1/1", "delay:P=2,speed=1/0.7"));

class WithOverheads : public ::testing::TestWithParam<std::string_view> {};

TEST_P(WithOverheads, is_not_above_any_relay_chain_and_its_bound_not_above_any_schedule) {
  const logp::Machine machine = logp::parse_machine(GetParam());
  Random random(22);
  int optimal = 0;
  for (int i = 0; i < 25; ++i) {
    const TaskGraph graph = oracle::random_graph(random, 1 + random.below(5), 35, 20, 4);
    const Schedule schedule = exact_fo(graph, machine, exact);
    const Time period = measure(schedule).repetition, bound = schedule.period_bound.value().time;
    EXPECT_LE(period.count(), oracle::least_period_relay(graph, machine)) << "graph " << i;
    EXPECT_TRUE(schedule.optimal || schedule.optimal_among == "relay chains") << "graph " << i;
    EXPECT_EQ(schedule.optimal, period == bound) << "graph " << i;
    EXPECT_LE(PeriodBounds(graph, machine).best().period.time_of(1), bound) << "graph " << i;
    optimal += schedule.optimal ? 1 : 0;
    expect_valid(graph, machine, schedule);

    // Messages of one task each, directly to their consumers, in any order of the tasks.
    Time least = period;
    oracle::for_each_allocation(graph, machine.processor_count(), [&](const logp::Allocation& allocation) {
      for (bool aggregate : {true, false})
        least = std::min(least,
                         logp::least_repetition(machine, logp::time_task_messages(graph, machine, allocation,
                                                                                  {.aggregate = aggregate})));
    });
    EXPECT_LE(bound, least) << "graph " << i;
  }
  EXPECT_GT(optimal, 5);
}

INSTANTIATE_TEST_SUITE_P(Machines, WithOverheads,
                         ::testing::Values("logp:P=2,L=1,o=1,g=2", "logp:P=3,L=1,o=1,g=2",
                                           "logp:P=2,L=9,o=4,g=11", "loglinear:P=3,L=1+1,o=1+1,g=2+2",
                                           "loglinear:P=2,L=0,o=0+0.4,g=0+1.6",
                                           "logp:P=2,L=3,o=1,g=2,speed=1/0.5"));

class WithMessages : public ::testing::TestWithParam<std::tuple<std::string_view, std::size_t>> {};

TEST_P(WithMessages, exact_fo_finds_the_least_period_of_all_schedules) {
  const auto& [text, most_tasks] = GetParam();
  const logp::Machine machine = logp::parse_machine(text);
  Random random(25);
  for (int i = 0; i < 30; ++i) {
    const TaskGraph graph = oracle::random_graph(random, 2 + random.below(most_tasks - 1), 45, 12, 4);
    const Schedule schedule = exact_fo(graph, machine, exact);
    const std::int64_t period = measure(schedule).repetition.count();
    EXPECT_TRUE(schedule.optimal) << "graph " << i;
    EXPECT_FALSE(oracle::has_schedule_within(graph, machine, period - 1)) << "graph " << i;
    EXPECT_TRUE(oracle::has_schedule_within(graph, machine, period)) << "graph " << i;
    expect_valid(graph, machine, schedule);
  }
}

INSTANTIATE_TEST_SUITE_P(Machines, WithMessages,
                         ::testing::Values(std::tuple("logp:P=2,L=1,o=1,g=2", 5U),
                                           std::tuple("logp:P=2,L=0,o=1,g=4", 5U),
                                           std::tuple("logp:P=2,L=5,o=1,g=1", 5U),
                                           std::tuple("loglinear:P=2,L=1+1,o=0+1,g=1+1", 5U),
                                           std::tuple("loglinear:P=2,L=0,o=0+0.4,g=0+1.6", 4U),
                                           std::tuple("logp:P=2,L=3,o=1,g=2,speed=1/0.5", 5U),
                                           std::tuple("logp:P=3,L=1,o=3,g=4", 4U),
                                           std::tuple("loglinear:P=3,L=0,o=1+1,g=0", 4U),
                                           std::tuple("logp:P=3,L=1,o=4,g=0,speed=1/2/1", 4U)));

TEST(ExactFo, is_not_above_any_relay_chain_with_different_links) {
  Random random(27);
  for (int i = 0; i < 60; ++i) {
    const logp::Machine machine = oracle::random_levels(random, 2 + random.below(4));
    const TaskGraph graph = oracle::random_graph(random, 1 + random.below(5), 35, 20, 4);
    const Schedule schedule = exact_fo(graph, machine, exact);
    EXPECT_TRUE(schedule.optimal || schedule.optimal_among == "relay chains") << "graph " << i;
    EXPECT_LE(measure(schedule).repetition.count(), oracle::least_period_relay(graph, machine))
        << "graph " << i;
    expect_valid(graph, machine, schedule);
  }
}

/// All times multiplied by `scale`.
TaskGraph scaled(const TaskGraph& graph, Time::rep scale) {
  TaskGraphBuilder builder;
  for (TaskId task : graph.tasks())
    builder.add_task({.name = graph.task(task).name, .work = graph.task(task).work * scale});
  for (DatumId datum : ids<DatumId>(graph.datum_count()))
    builder.add_datum(graph.datum_task(datum), graph.datum_size(datum));
  for (EdgeId edge : graph.edges()) builder.add_edge(graph.edge(edge).datum, graph.edge(edge).to);
  return std::move(builder).build();
}

class LongTimes : public ::testing::TestWithParam<std::size_t> {};

TEST_P(LongTimes, are_scheduled_and_proven_like_short_ones) {
  // Up to 7 * 30 * 4e15 and as many overheads of 1.2e16: close to the limit of 1e18.
  constexpr Time::rep scale = 4'000'000'000'000'000;
  Random random(29);
  for (int i = 0; i < 25; ++i) {
    const TaskGraph graph = oracle::random_graph(random, 1 + random.below(6), 30, 30);
    const Time::rep overhead = random.between(0, 3);
    const Schedule small =
        exact_fo(graph, logp::Machine::constant(GetParam(), Time{0}, Time{overhead}, Time{overhead}), exact);
    const Time long_overhead{overhead * scale};
    const Schedule large =
        exact_fo(scaled(graph, scale),
                 logp::Machine::constant(GetParam(), Time{0}, long_overhead, long_overhead), exact);
    EXPECT_EQ(measure(large).repetition, measure(small).repetition * scale) << "graph " << i;
    EXPECT_EQ(large.optimal, small.optimal) << "graph " << i;
    if (large.optimal) {
      EXPECT_EQ(large.period_bound, measure(large).exact_period()) << "graph " << i;
    }
  }
}

INSTANTIATE_TEST_SUITE_P(Processors, LongTimes, ::testing::Values(2U, 3U, 5U, 400U));

TEST(ExactFo, stops_at_its_limit_with_a_bound_that_holds) {
  Random random(23);
  const logp::Machine machine = logp::parse_machine("logp:P=3");
  for (int i = 0; i < 30; ++i) {
    const TaskGraph graph = oracle::random_graph(random, 6, 35, 20);
    const std::int64_t least = oracle::least_period_without_overheads(graph, machine);
    for (std::uint64_t effort : {0, 1, 10, 100, 1000}) {
      const Schedule schedule =
          exact_fo(graph, machine, {.effort = effort, .frames = FrameClass::one_at_a_time});
      EXPECT_GE(measure(schedule).repetition.count(), least);
      EXPECT_LE(schedule.period_bound->time.count(), least);
      EXPECT_EQ(schedule.optimal, measure(schedule).exact_period() == schedule.period_bound);
      expect_valid(graph, machine, schedule);
    }
  }
}

TEST(ExactFo, lets_processors_wait_in_cycles_where_no_chain_is_as_fast) {
  // a 2 -> b 4 -> c 2, and d 5, e 5 alone: 18 in all. Two halves of 9 require b and one of d, e to be apart
  // from a, c and the other one: a d c | b e, with b running while d does. A chain cannot do that; its best
  // is a b c | d e with 10.
  TaskGraphBuilder builder;
  for (const auto& [name, work] : {std::pair("a", 2), {"b", 4}, {"c", 2}, {"d", 5}, {"e", 5}})
    builder.add_task({.name = name, .work = Time(work)});
  builder.add_edge(TaskId(0), TaskId(1), Bytes{1});
  builder.add_edge(TaskId(1), TaskId(2), Bytes{1});
  const TaskGraph graph = std::move(builder).build();
  const logp::Machine machine = logp::parse_machine("logp:P=2");
  EXPECT_EQ(oracle::least_period_relay(graph, machine), 10);
  const Schedule schedule = exact_fo(graph, machine, exact);
  EXPECT_EQ(measure(schedule).repetition, Time{9});
  EXPECT_TRUE(schedule.optimal);
}

TEST(ExactFo, lets_processors_exchange_messages_in_cycles_where_no_chain_is_as_fast) {
  // a 20 -> b 40 -> c 20, and d 50, e 50 alone: halves of 90, and a message each way adds its two ends to
  // both: a send d receive c | receive b send e, 92 each. A chain's best is a b c | d e with 100.
  TaskGraphBuilder builder;
  for (const auto& [name, work] : {std::pair("a", 20), {"b", 40}, {"c", 20}, {"d", 50}, {"e", 50}})
    builder.add_task({.name = name, .work = Time(work)});
  builder.add_edge(TaskId(0), TaskId(1), Bytes{1});
  builder.add_edge(TaskId(1), TaskId(2), Bytes{1});
  const TaskGraph graph = std::move(builder).build();
  const logp::Machine machine = logp::parse_machine("logp:P=2,L=3,o=1,g=2");
  EXPECT_EQ(oracle::least_period_relay(graph, machine), 100);
  const Schedule schedule = exact_fo(graph, machine, {.frames = FrameClass::one_at_a_time});
  EXPECT_EQ(measure(schedule).repetition, Time{92});
  EXPECT_TRUE(schedule.optimal);
  expect_valid(graph, machine, schedule);
}

TEST(ExactFo, names_the_class_of_schedules_of_its_bound) {
  TaskGraphBuilder builder;
  for (const auto& [name, work] : {std::pair("a", 5), {"b", 10}, {"c", 5}})
    (void)builder.add_task({name, Time{work}});
  for (std::size_t i = 1; i < 3; ++i) (void)builder.add_edge(TaskId(i - 1), TaskId(i), Bytes{1});
  const TaskGraph graph = std::move(builder).build();
  const logp::Machine machine = logp::parse_machine("delay:P=2");
  for (const char* name : {"exact_fo", "optfo"}) {
    const Evaluation made =
        evaluate(find_scheduler(name), graph, machine, {.frames = FrameClass::one_at_a_time});
    EXPECT_EQ(made.figures.exact_period(), (Period{Time{15}, 1}));
    EXPECT_EQ(made.figures.bound, made.figures.exact_period());
    EXPECT_EQ(made.figures.bound_among, one_frame_at_a_time);
    EXPECT_THAT(verdict_to_text(made), HasSubstr("(optimal among schedules of one\nframe at a time)"));
    EXPECT_THAT(verdict_to_json(made), HasSubstr(R"("optimal_among": "schedules of one frame at a time")"));
    // One processor does a and c of different frames, the other one b.
    const Evaluation pipelined = evaluate(find_scheduler(name), graph, machine);
    EXPECT_TRUE(pipelined.figures.valid);
    EXPECT_EQ(pipelined.figures.exact_period(), (Period{Time{10}, 1}));
    EXPECT_THAT(verdict_to_json(pipelined), HasSubstr(R"("optimal_among": "all schedules")"));
  }
  // On one processor the area bound is the work.
  const Evaluation alone = evaluate(find_scheduler("exact_fo"), graph, logp::parse_machine("delay:P=1"));
  EXPECT_TRUE(alone.figures.optimal);
  EXPECT_THAT(verdict_to_text(alone), HasSubstr("(optimal)"));
}

/// With more effort than the one up to which optfo calls it.
TEST(ExactFo, is_not_worse_than_optfo_on_graphs_that_it_cannot_finish) {
  for (std::string_view shape : {"fft:depth=4", "wave:depth=6,width=6", "layered:tasks=200"})
    for (std::string_view text : {"logp:P=4", "loglinear:P=4,L=1+1,o=1+1,g=2+2"}) {
      const TaskGraph graph = generate(fmt::format("{},cost=1..100,seed=4,data=3", shape));
      const logp::Machine machine = logp::parse_machine(text);
      EXPECT_LE(measure(exact_fo(graph, machine, {.effort = 42'000})).repetition,
                measure(optfo(graph, machine, {.effort = 21'000})).repetition)
          << shape << " on " << text;
    }
}

TEST(AssignmentBound, is_the_least_load_of_all_assignments) {
  Random random(24);
  for (std::string_view text : {"logp:P=2", "logp:P=3", "logp:P=3,L=1,o=1,g=2", "logp:P=3,L=1,o=3,g=30",
                                "loglinear:P=3,L=9,o=2+1,g=1+3", "loglinear:P=2,L=0,o=0+2,g=0,speed=1/0.5",
                                "logp:P=3,L=1,o=2,g=2,speed=2/1/0.3"})
    for (int i = 0; i < 40; ++i) {
      const TaskGraph graph = oracle::random_graph(random, 1 + random.below(8), 35, 20, 6);
      const logp::Machine machine = logp::parse_machine(text);
      const std::int64_t least = oracle::least_share(graph, machine);
      std::uint64_t budget = 10'000'000;
      EXPECT_EQ(assignment_bound(Workload(graph, machine), Time{0}, Time{10'000}, budget).count(), least)
          << "graph " << i << " on " << text;
      EXPECT_EQ(assignment_bound(Workload(graph, machine), Time{0}, Time(least), budget).count(), least);
      EXPECT_EQ(assignment_bound(Workload(graph, machine), Time{0}, Time(least - 1), budget).count(),
                least - 1);
      budget = 2;
      EXPECT_LE(assignment_bound(Workload(graph, machine), Time{1}, Time{10'000}, budget).count(), least);
    }
}

}  // namespace
}  // namespace takt::schedulers
