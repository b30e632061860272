/// Does the engine compute the timetables derived by hand?

#include "logp/timing.hpp"

#include <string>

#include <fmt/format.h>
#include <gmock/gmock.h>

#include "core/error.hpp"
#include "core/graphs/generators.hpp"
#include "logp/diagnostics.hpp"
#include "tests/logp/allocate.hpp"

namespace takt::logp {
namespace {

using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::ThrowsMessage;

/// `a 0-2, >2 2-3, <1 5-6`: task a, a send to P2, a receive from P1.
std::string timetable(const TaskGraph& graph, const Schedule& schedule, std::size_t processor) {
  std::string text;
  for (const Operation& operation : schedule.processors[processor - 1]) {
    std::string what;
    if (operation.kind == OperationKind::compute)
      what = graph.task(operation.task()).name;
    else if (operation.kind == OperationKind::send)
      what = fmt::format(">{}", schedule.message(operation.message()).to.index() + 1);
    else
      what = fmt::format("<{}", schedule.message(operation.message()).from.index() + 1);
    text += fmt::format("{}{} {}-{}", text.empty() ? "" : ", ", what, operation.start.count(),
                        operation.end.count());
  }
  return text;
}

const std::vector<ProcessorId> chain_of_3{ProcessorId(0), ProcessorId(1), ProcessorId(2)};

TEST(RelayTiming, starts_a_processor_with_its_predecessors_message) {
  // L = 1, o = 1: sent at 2..3, arrives at 4.
  const TaskGraph graph = generate("chain:depth=2,cost=2");
  const Machine machine = parse_machine("logp:P=3,L=1,o=1,g=2");
  const Schedule schedule = time_relay(graph, machine, allocate({{0}, {1}, {2}}), chain_of_3);
  EXPECT_EQ(timetable(graph, schedule, 1), "0 0-2, >2 2-3");
  EXPECT_EQ(timetable(graph, schedule, 2), "<1 4-5, 1 5-7, >3 7-8");
  EXPECT_EQ(timetable(graph, schedule, 3), "<2 9-10, 2 10-12");
  EXPECT_EQ(measure(schedule).makespan, Time{12});
  EXPECT_EQ(measure(schedule).repetition, Time{4});
}

TEST(RelayTiming, sends_each_datum_once_over_every_boundary_on_its_route) {
  // Task a makes datum x (3 units) for b and d, and y (5 units) for d. x and y cross the first boundary, x
  // and y again the second one, and b's z (7 units).
  TaskGraphBuilder builder;
  const TaskId a = builder.add_task({"a", Time{1}}), b = builder.add_task({"b", Time{1}}),
               d = builder.add_task({"d", Time{1}});
  const DatumId x = builder.add_datum(a, Bytes{3});
  builder.add_edge(x, b);
  builder.add_edge(x, d);
  builder.add_edge(a, d, Bytes{5});
  builder.add_edge(b, d, Bytes{7});
  const TaskGraph graph = std::move(builder).build();
  const Schedule schedule = time_relay(graph, parse_machine("loglinear:P=3,L=0+1,o=1+1,g=0"),
                                       allocate({{0}, {1}, {2}}), chain_of_3);
  ASSERT_EQ(schedule.messages.size(), 2U);
  EXPECT_EQ(schedule.messages[0].size, Bytes{8});
  EXPECT_EQ(schedule.messages[1].size, Bytes{15});
  // o(8) = 9, L(8) = 8, o(15) = 16, L(15) = 15.
  EXPECT_EQ(timetable(graph, schedule, 1), "a 0-1, >2 1-10");
  EXPECT_EQ(timetable(graph, schedule, 2), "<1 18-27, b 27-28, >3 28-44");
  EXPECT_EQ(timetable(graph, schedule, 3), "<2 59-75, d 75-76");
}

TEST(RelayTiming, without_data_across_a_boundary_a_processor_waits_for_its_predecessors_end) {
  const TaskGraph graph = generate("wave:depth=0,width=3,cost=4");
  const Schedule schedule =
      time_relay(graph, parse_machine("logp:P=3,L=9,o=9,g=9"), allocate({{0}, {1}, {2}}), chain_of_3);
  EXPECT_EQ(timetable(graph, schedule, 3), "2 8-12");
  EXPECT_THAT(schedule.messages, IsEmpty());
}

TEST(RelayTiming, refuses_data_that_would_move_up_the_chain) {
  const TaskGraph graph = generate("chain:depth=1,cost=1");
  EXPECT_THAT(
      [&] {
        (void)time_relay(graph, Machine::delay(2), allocate({{1}, {0}}),
                         std::vector{ProcessorId(0), ProcessorId(1)});
      },
      ThrowsMessage<ConfigError>(HasSubstr("task '1' needs data of '0', which runs further down the chain")));
}

TEST(RelayTiming, a_gap_longer_than_the_work_delays_the_next_iteration) {
  // Each processor is occupied for 2, but P1 may send only every 10.
  const TaskGraph graph = generate("chain:depth=1,cost=1");
  const Machine machine = parse_machine("logp:P=2,L=1,o=1,g=10");
  const Schedule schedule =
      time_relay(graph, machine, allocate({{0}, {1}}), std::vector{ProcessorId(0), ProcessorId(1)});
  EXPECT_EQ(measure(schedule).occupancy[0].occupied(), Time{2});
  EXPECT_EQ(measure(schedule).repetition, Time{10});
  EXPECT_THAT(diagnose(graph, machine, schedule), IsEmpty());
  EXPECT_EQ(diagnose(graph, machine, schedule, {.repetition = Time{9}}).size(), 2U);  // one send, one receive
}

TEST(LayerTiming, sends_after_the_whole_layer_and_a_gap_apart) {
  // Fork of 0 into 1, 2, 3 on three processors, g = 3: the second send starts 3 after the first one.
  const TaskGraph graph = generate("fork_join:depth=1,width=3,cost=1");
  const Machine machine = parse_machine("logp:P=3,L=1,o=1,g=3");
  const Schedule schedule = time_layer_messages(graph, machine, allocate({{0, 1, 4}, {2}, {3}}));
  // P2's message arrives at 7. P3's may be in flight to P1 only after that one (capacity ceil(1 / 3) = 1), so
  // it arrives at 9; P1 receives it 3 after the first one at the earliest.
  EXPECT_EQ(timetable(graph, schedule, 1), "0 0-1, >2 1-2, >3 4-5, 1 5-6, <2 7-8, <3 10-11, 4 11-12");
  EXPECT_EQ(timetable(graph, schedule, 2), "<1 3-4, 2 4-5, >1 5-6");
  EXPECT_EQ(timetable(graph, schedule, 3), "<1 6-7, 3 7-8, >1 8-9");
  EXPECT_THAT(diagnose(graph, machine, schedule), IsEmpty());
}

TEST(LayerTiming, a_send_waits_while_the_receivers_capacity_is_used_up) {
  // Three tasks end at 1 and send to P4; L = 4, g = 2 allows two messages in flight to it. The third one may
  // enter when the first two leave, at 2 + 4 = 6, so it is sent at 5.
  TaskGraphBuilder builder;
  for (const char* name : {"a", "b", "c", "d"}) (void)builder.add_task({name, Time{1}});
  for (std::size_t i = 0; i < 3; ++i) builder.add_edge(TaskId(i), TaskId(3), Bytes{1});
  const TaskGraph graph = std::move(builder).build();
  const Machine machine = parse_machine("logp:P=4,L=4,o=1,g=2");
  const Schedule schedule = time_layer_messages(graph, machine, allocate({{0}, {1}, {2}, {3}}));
  EXPECT_EQ(timetable(graph, schedule, 1), "a 0-1, >4 1-2");
  EXPECT_EQ(timetable(graph, schedule, 2), "b 0-1, >4 1-2");
  EXPECT_EQ(timetable(graph, schedule, 3), "c 0-1, >4 5-6");
  EXPECT_EQ(timetable(graph, schedule, 4), "<1 6-7, <2 8-9, <3 10-11, d 11-12");
  EXPECT_THAT(diagnose(graph, machine, schedule), IsEmpty());
}

TEST(LayerTiming, of_all_to_all_has_messages_between_all_processors) {
  // Two layers of one task on three processors, L = o = 1, g = 2. P1 computes, then sends at 1 and 3. P2
  // sends to P1 at 0; P3's message may not be in flight to P1 with it (capacity ceil(1 / 2) = 1), so P3 sends
  // to P1 at 1, and to P2 a gap later. P1 receives at 4 and 6.
  const TaskGraph graph = generate("chain:depth=1,cost=1");
  const Machine machine = parse_machine("logp:P=3,L=1,o=1,g=2");
  const Schedule schedule =
      time_layer_messages(graph, machine, allocate({{0, 1}, {}, {}}), {.all_to_all = true});
  EXPECT_EQ(timetable(graph, schedule, 1), "0 0-1, >2 1-2, >3 3-4, <2 4-5, <3 6-7, 1 7-8");
  EXPECT_EQ(timetable(graph, schedule, 2), ">1 0-1, >3 2-3, <1 3-4, <3 5-6");
  EXPECT_EQ(timetable(graph, schedule, 3), ">1 1-2, >2 3-4, <2 4-5, <1 6-7");
  EXPECT_THAT(diagnose(graph, machine, schedule), IsEmpty());
}

TEST(TaskTiming, starts_processors_as_late_as_possible_without_a_delay) {
  // b (1) and a (9) precede c. An early start would occupy P2 from 0; its message is needed at 9 + 1.
  TaskGraphBuilder builder;
  const TaskId a = builder.add_task({"a", Time{9}}), b = builder.add_task({"b", Time{1}}),
               c = builder.add_task({"c", Time{1}}), d = builder.add_task({"d", Time{1}});
  builder.add_edge(a, c, Bytes{1});
  builder.add_edge(b, c, Bytes{1});
  builder.add_edge(c, d, Bytes{1});
  const TaskGraph graph = std::move(builder).build();
  const Machine machine = parse_machine("logp:P=2,L=1,o=1,g=1");
  const Allocation allocation = allocate({{0, 2}, {1, 3}});
  const Schedule early = time_task_messages(graph, machine, allocation, {.start = Start::early});
  EXPECT_EQ(timetable(graph, early, 1), "a 0-9, <2 9-10, c 10-11, >2 11-12");
  EXPECT_EQ(timetable(graph, early, 2), "b 0-1, >1 1-2, <1 13-14, d 14-15");
  const Schedule late = time_task_messages(graph, machine, allocation);
  EXPECT_EQ(timetable(graph, late, 1), timetable(graph, early, 1));
  EXPECT_EQ(timetable(graph, late, 2), "b 6-7, >1 7-8, <1 13-14, d 14-15");
  EXPECT_THAT(diagnose(graph, machine, late), IsEmpty());
}

TEST(TaskTiming, sends_one_message_per_destination_or_per_datum) {
  const TaskGraph graph = generate("fork_join:depth=1,width=3,cost=1,data=4");
  const Machine machine = Machine::delay(2);
  const Allocation allocation = allocate({{0, 1, 4}, {2, 3}});
  const Schedule aggregated = time_task_messages(graph, machine, allocation);
  const Schedule single = time_task_messages(graph, machine, allocation, {.aggregate = false});
  // 0 -> {2, 3} is one message of 8, or two of 4; 2 -> 4 and 3 -> 4 are two messages in either case.
  EXPECT_EQ(aggregated.messages.size(), 3U);
  EXPECT_EQ(aggregated.messages.front().size, Bytes{8});
  EXPECT_EQ(single.messages.size(), 4U);
  EXPECT_EQ(measure(aggregated).makespan, Time{1 + 8 + 2 + 4 + 1});
  EXPECT_EQ(measure(single).makespan, Time{1 + 4 + 2 + 4 + 1});
}

TEST(TaskTiming, refuses_an_order_with_a_cycle_of_waits) {
  // P1 runs d before a, P2 runs b before c; a -> b and c -> d: each waits for the other.
  TaskGraphBuilder builder;
  const TaskId a = builder.add_task({"a", Time{1}}), b = builder.add_task({"b", Time{1}}),
               c = builder.add_task({"c", Time{1}}), d = builder.add_task({"d", Time{1}});
  builder.add_edge(a, b, Bytes{1});
  builder.add_edge(c, d, Bytes{1});
  const TaskGraph graph = std::move(builder).build();
  EXPECT_THAT(
      [&] {
        (void)time_task_messages(graph, Machine::delay(2), allocate({{3, 0}, {1, 2}}));
      },
      ThrowsMessage<ConfigError>(HasSubstr("this order of tasks is not executable")));
}

TEST(Allocation, names_a_task_that_is_missing_or_repeated) {
  const TaskGraph graph = generate("chain:depth=2,cost=1");
  EXPECT_THAT(
      [&] {
        (void)allocate({{0, 1}}).processor_of(graph);
      },
      ThrowsMessage<ConfigError>(HasSubstr("task '2' is allocated to no processor")));
  EXPECT_THAT(
      [&] {
        (void)allocate({{0, 1}, {1, 2}}).processor_of(graph);
      },
      ThrowsMessage<ConfigError>(HasSubstr("task '1' is allocated twice")));
  EXPECT_THAT(
      [&] {
        (void)time_task_messages(graph, Machine::delay(1), allocate({{1, 0, 2}}));
      },
      ThrowsMessage<ConfigError>(HasSubstr("task '1' precedes '0'")));
}

}  // namespace
}  // namespace takt::logp
