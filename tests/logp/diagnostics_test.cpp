/// Does the checker find errors that no scheduler makes, with clear messages?

#include "logp/diagnostics.hpp"

#include <algorithm>
#include <ostream>

#include <fmt/format.h>
#include <gmock/gmock.h>

#include "core/graphs/generators.hpp"
#include "logp/timing.hpp"

namespace takt::logp {

void PrintTo(const Finding& finding, std::ostream* out) {
  *out << finding.rule << ": " << finding.message;
}

namespace {

using ::testing::AllOf;
using ::testing::Contains;
using ::testing::ElementsAre;
using ::testing::Field;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

auto finding(std::string_view rule, std::string_view text) {
  return AllOf(Field(&Finding::rule, rule), Field(&Finding::message, HasSubstr(std::string(text))));
}

constexpr ProcessorId p0{0}, p1{1}, p2{2};

/// One task with one datum for a second one.
class TwoTasks : public ::testing::Test {
 protected:
  const TaskGraph graph_ = generate("chain:depth=1,cost=2");
  const std::vector<DatumId> datum_{DatumId(0)};
};

TEST_F(TwoTasks, a_finding_names_the_operation_the_rule_and_the_numbers) {
  const Machine machine = parse_machine("logp:P=2,L=3,o=1,g=1");
  Schedule schedule("hand", 2);
  const MessageId message = schedule.add_message(p0, p1, Bytes{1}, datum_);
  schedule.add_compute(p0, TaskId(0), Time{0}, Time{2});
  schedule.add_send(p0, message, Time{2}, Time{3});
  schedule.add_receive(p1, message, Time{5}, Time{6});
  schedule.add_compute(p1, TaskId(1), Time{6}, Time{8});
  EXPECT_THAT(diagnose(graph_, machine, schedule),
              ElementsAre(finding("latency",
                                  "processor 1: receive of message 0 (0 -> 1) at 5..6 begins before the "
                                  "message arrives: send start 2 + o 1 + L 3 = 6")));
}

/// A schedule so long that threads divide the rules: a finding of one of them appears once.
TEST(LongSchedule, has_the_same_findings_on_many_threads_as_on_one) {
  const std::size_t tasks = 120'001;
  const TaskGraph graph = generate(fmt::format("chain:depth={},cost=2", tasks - 1));
  const Machine machine = parse_machine("logp:P=2,L=3,o=1,g=1");
  Allocation allocation{{{}, {}}};
  for (std::size_t i = 0; i < tasks; ++i) allocation.order[i % 2].push_back(TaskId(i));
  Schedule schedule = time_task_messages(graph, machine, allocation);
  ASSERT_EQ(schedule.messages.size(), tasks - 1);
  EXPECT_THAT(diagnose(graph, machine, schedule), IsEmpty());
  for (const std::size_t processor : {0U, 1U}) {
    Schedule damaged = schedule;
    auto& operations = damaged.processors[processor];
    const auto late = std::ranges::find(operations.rbegin(), operations.rend(), OperationKind::receive,
                                        [](const Operation& each) { return each.kind; });
    ASSERT_NE(late, operations.rend());
    late->start -= Time{1};
    late->end -= Time{1};
    EXPECT_THAT(diagnose(graph, machine, damaged), Contains(finding("latency", "before the message arrives")))
        << processor;
  }
  Schedule incomplete = schedule;
  incomplete.processors[0].pop_back();
  EXPECT_THAT(diagnose(graph, machine, incomplete), Contains(finding("task-once", "runs on no processor")));
}

TEST_F(TwoTasks, messages_that_only_circulate_a_datum_do_not_justify_each_other) {
  // Under free communication P1 and P2 exchange the datum at time 0, but P0 never sends it.
  const Machine machine = parse_machine("logp:P=3");
  Schedule schedule("hand", 3);
  const MessageId there = schedule.add_message(p1, p2, Bytes{1}, datum_);
  const MessageId back = schedule.add_message(p2, p1, Bytes{1}, datum_);
  schedule.add_compute(p0, TaskId(0), Time{0}, Time{2});
  schedule.add_send(p1, there, Time{2}, Time{2});
  schedule.add_receive(p1, back, Time{2}, Time{2});
  schedule.add_compute(p1, TaskId(1), Time{2}, Time{4});
  schedule.add_send(p2, back, Time{2}, Time{2});
  schedule.add_receive(p2, there, Time{2}, Time{2});
  EXPECT_THAT(diagnose(graph_, machine, schedule),
              ElementsAre(finding("data", "never arrives"), finding("edge", "task '1' at 2..4 needs datum 0"),
                          finding("data", "never arrives")));
}

TEST(Diagnostics, operations_without_length_may_not_wait_for_each_other_in_a_cycle) {
  // a -> d and b -> c with free communication: P0 receives c's input before it sends a's result, P1 d's
  // before b's.
  TaskGraphBuilder builder;
  for (const char* name : {"a", "b", "c", "d"}) (void)builder.add_task({name, Time{1}});
  builder.add_edge(TaskId(0), TaskId(3), Bytes{1});
  builder.add_edge(TaskId(1), TaskId(2), Bytes{1});
  const TaskGraph graph = std::move(builder).build();
  Schedule schedule("hand", 2);
  const MessageId there = schedule.add_message(p0, p1, Bytes{1}, std::vector{DatumId(0)});
  const MessageId back = schedule.add_message(p1, p0, Bytes{1}, std::vector{DatumId(1)});
  schedule.add_compute(p0, TaskId(0), Time{0}, Time{1});
  schedule.add_receive(p0, back, Time{1}, Time{1});
  schedule.add_send(p0, there, Time{1}, Time{1});
  schedule.add_compute(p0, TaskId(2), Time{1}, Time{2});
  schedule.add_compute(p1, TaskId(1), Time{0}, Time{1});
  schedule.add_receive(p1, there, Time{1}, Time{1});
  schedule.add_send(p1, back, Time{1}, Time{1});
  schedule.add_compute(p1, TaskId(3), Time{1}, Time{2});
  const Machine machine = parse_machine("logp:P=2");
  EXPECT_THAT(diagnose(graph, machine, schedule), ElementsAre(finding("circle", "receive of message 1"),
                                                              finding("circle", "receive of message 0")));
  std::swap(schedule.processors[0][1], schedule.processors[0][2]);
  EXPECT_THAT(diagnose(graph, machine, schedule), IsEmpty());
}

TEST_F(TwoTasks, a_relay_serves_an_edge_when_it_is_in_time) {
  const Machine machine = parse_machine("logp:P=3,L=1,o=1,g=1");
  auto relayed = [&](Time second_send) {
    Schedule schedule("hand", 3);
    const MessageId first = schedule.add_message(p0, p2, Bytes{1}, datum_);
    const MessageId second = schedule.add_message(p2, p1, Bytes{1}, datum_);
    schedule.add_compute(p0, TaskId(0), Time{0}, Time{2});
    schedule.add_send(p0, first, Time{2}, Time{3});
    schedule.add_receive(p2, first, Time{4}, Time{5});
    schedule.add_send(p2, second, second_send, second_send + Time{1});
    schedule.add_receive(p1, second, Time{7}, Time{8});
    schedule.add_compute(p1, TaskId(1), Time{8}, Time{10});
    return schedule;
  };
  EXPECT_THAT(diagnose(graph_, machine, relayed(Time{5})), IsEmpty());
  Schedule early = relayed(Time{3});
  std::swap(early.processors[2][0], early.processors[2][1]);
  EXPECT_THAT(diagnose(graph_, machine, early), Contains(finding("data", "which arrives only at 5")));
}

TEST_F(TwoTasks, a_stricter_reading_of_the_gap_is_an_option) {
  // P1 receives at 4..5 and forwards at 5..6: with g = 3 that is too early only if the gap also separates
  // different kinds.
  const Machine machine = parse_machine("logp:P=3,L=1,o=1,g=3");
  Schedule schedule("hand", 3);
  const MessageId first = schedule.add_message(p0, p1, Bytes{1}, datum_);
  const MessageId second = schedule.add_message(p1, p2, Bytes{1}, datum_);
  schedule.add_compute(p0, TaskId(0), Time{0}, Time{2});
  schedule.add_send(p0, first, Time{2}, Time{3});
  schedule.add_receive(p1, first, Time{4}, Time{5});
  schedule.add_send(p1, second, Time{5}, Time{6});
  schedule.add_receive(p2, second, Time{7}, Time{8});
  schedule.add_compute(p2, TaskId(1), Time{8}, Time{10});
  EXPECT_THAT(diagnose(graph_, machine, schedule), IsEmpty());
  EXPECT_THAT(
      diagnose(graph_, machine, schedule, {.gap_between_send_and_receive = true}),
      // Its period is 3, so the next receive is at 7.
      ElementsAre(finding("gap", "receive of message 0 (0 -> 1) at 4..5 starts 2 after send of message 1"),
                  finding("gap", "send of message 1 (1 -> 2) at 5..6 starts 1 after receive of message 0")));
}

/// Two tasks on two processors that send to a third one's task.
class FanIn : public ::testing::Test {
 protected:
  FanIn() {
    TaskGraphBuilder builder;
    for (const char* name : {"a", "b", "c"}) (void)builder.add_task({name, Time{1}});
    builder.add_edge(TaskId(0), TaskId(2), Bytes{1});
    builder.add_edge(TaskId(1), TaskId(2), Bytes{1});
    graph_ = std::move(builder).build();
  }

  /// P0 sends at 1 and P1 at `second`; P2 receives both at `receive` and `receive` + 4.
  [[nodiscard]] Schedule sending_at(Time second, Time receive) const {
    Schedule schedule("hand", 3);
    const MessageId one = schedule.add_message(p0, p2, Bytes{1}, std::vector{DatumId(0)});
    const MessageId two = schedule.add_message(p1, p2, Bytes{1}, std::vector{DatumId(1)});
    schedule.add_compute(p0, TaskId(0), Time{0}, Time{1});
    schedule.add_send(p0, one, Time{1}, Time{2});
    schedule.add_compute(p1, TaskId(1), Time{0}, Time{1});
    schedule.add_send(p1, two, second, second + Time{1});
    schedule.add_receive(p2, one, receive, receive + Time{1});
    schedule.add_receive(p2, two, receive + Time{4}, receive + Time{5});
    schedule.add_compute(p2, TaskId(2), receive + Time{5}, receive + Time{6});
    return schedule;
  }

  TaskGraph graph_;
  /// ceil(4 / 4) = 1 message in flight from or to a processor.
  const Machine machine_ = parse_machine("logp:P=3,L=4,o=1,g=4");
};

TEST_F(FanIn, more_than_the_capacity_may_not_be_in_flight_to_a_processor) {
  EXPECT_THAT(diagnose(graph_, machine_, sending_at(Time{5}, Time{6}), {.repeated = false}), IsEmpty());
  EXPECT_THAT(
      diagnose(graph_, machine_, sending_at(Time{4}, Time{6}), {.repeated = false}),
      ElementsAre(finding("capacity", "2 messages in flight to the processor at 5: ceil(L / g) is 1")));
}

TEST_F(FanIn, the_capacity_also_holds_across_repetitions) {
  // In flight at 2..6 and 15..19, and again every T: they meet only for 13 - 4 < T < 13 + 4, with T of at
  // least 7.
  const Schedule schedule = sending_at(Time{14}, Time{15});
  EXPECT_THAT(diagnose(graph_, machine_, schedule, {.repetition = Time{20}}), IsEmpty());
  EXPECT_THAT(diagnose(graph_, machine_, schedule, {.repetition = Time{17}}), IsEmpty());
  EXPECT_THAT(diagnose(graph_, machine_, schedule, {.repetition = Time{16}}),
              Contains(finding("capacity", "when the schedule repeats every 16")));
}

TEST_F(FanIn, findings_stop_at_the_limit) {
  Schedule schedule = sending_at(Time{2}, Time{3});
  EXPECT_GT(diagnose(graph_, machine_, schedule).size(), 1U);
  EXPECT_EQ(diagnose(graph_, machine_, schedule, {.limit = 1}).size(), 1U);
}

/// One task, two instances.
class Replicated : public ::testing::Test {
 protected:
  static TaskGraph one_task(bool stateless) {
    TaskGraphBuilder builder;
    (void)builder.add_task({"t", Time{3}, stateless});
    return std::move(builder).build();
  }
  const Machine machine_ = parse_machine("logp:P=2");
};

TEST_F(Replicated, a_stateless_task_may_alternate_between_processors) {
  Schedule schedule("hand", 2);
  schedule.replicas = 2;
  schedule.add_compute(p0, TaskId(0), Time{0}, Time{3}, 0);
  schedule.add_compute(p1, TaskId(0), Time{0}, Time{3}, 1);
  EXPECT_THAT(diagnose(one_task(true), machine_, schedule), IsEmpty());
  EXPECT_THAT(diagnose(one_task(false), machine_, schedule),
              ElementsAre(finding("state",
                                  "task 't' of instance 1 at 0..3 has state, but its instance 0 runs on "
                                  "processor 0")));
}

TEST_F(Replicated, a_stateful_task_processes_the_instances_in_order) {
  Schedule schedule("hand", 2);
  schedule.replicas = 2;
  schedule.add_compute(p0, TaskId(0), Time{0}, Time{3}, 1);
  schedule.add_compute(p0, TaskId(0), Time{3}, Time{6}, 0);
  EXPECT_THAT(diagnose(one_task(true), machine_, schedule), IsEmpty());
  EXPECT_THAT(diagnose(one_task(false), machine_, schedule), ElementsAre(finding("state", "comes before")));
}

TEST_F(Replicated, every_instance_runs_once) {
  Schedule schedule("hand", 2);
  schedule.replicas = 2;
  schedule.add_compute(p0, TaskId(0), Time{0}, Time{3}, 0);
  EXPECT_THAT(diagnose(one_task(true), machine_, schedule),
              ElementsAre(finding("task-once", "task 't' of instance 1 runs on no processor")));
}

}  // namespace
}  // namespace takt::logp
