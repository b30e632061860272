/// Are pipelined schedules measured, checked and simulated modulo their repetition?

#include <algorithm>

#include <fmt/format.h>
#include <gmock/gmock.h>

#include "core/graphs/generators.hpp"
#include "core/random.hpp"
#include "logp/diagnostics.hpp"
#include "logp/simulation.hpp"

namespace takt::logp {
namespace pipelined_test {

using ::testing::AllOf;
using ::testing::Contains;
using ::testing::Each;
using ::testing::Field;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Le;

constexpr ProcessorId p0{0}, p1{1};

auto finding(std::string_view rule, std::string_view text) {
  return AllOf(Field(&Finding::rule, rule), Field(&Finding::message, HasSubstr(std::string(text))));
}

/// a(500) -> b(1000) -> c(500), all with state: a and c on processor 0, b on processor 1. Processor 0 does c
/// of one frame, then a of the frame after the next one.
class BackAndForth : public ::testing::Test {
 protected:
  BackAndForth() {
    TaskGraphBuilder builder;
    const TaskId a = builder.add_task({.name = "a", .work = Time{500}}),
                 b = builder.add_task({.name = "b", .work = Time{1000}}),
                 c = builder.add_task({.name = "c", .work = Time{500}});
    builder.add_edge(a, b, Bytes{1});
    builder.add_edge(b, c, Bytes{1});
    graph_ = std::move(builder).build();
    schedule_.repetition = Time{1000};
    const MessageId there = schedule_.add_message(p0, p1, Bytes{1}, std::vector{DatumId(0)});
    const MessageId back = schedule_.add_message(p1, p0, Bytes{1}, std::vector{DatumId(1)});
    schedule_.add_compute(p0, a, Time{500}, Time{1000});
    schedule_.add_send(p0, there, Time{1000}, Time{1000});
    schedule_.add_receive(p0, back, Time{2000}, Time{2000});
    schedule_.add_compute(p0, c, Time{2000}, Time{2500});
    schedule_.add_receive(p1, there, Time{1000}, Time{1000});
    schedule_.add_compute(p1, b, Time{1000}, Time{2000});
    schedule_.add_send(p1, back, Time{2000}, Time{2000});
  }
  [[nodiscard]] std::vector<Finding> findings(const Schedule& schedule) const {
    return diagnose(graph_, machine_, schedule);
  }

  TaskGraph graph_;
  const Machine machine_ = parse_machine("logp:P=2,L=0,o=0,g=0");
  Schedule schedule_{"hand", 2};
};

TEST_F(BackAndForth, has_the_period_of_its_repetition_and_the_latency_of_the_path) {
  EXPECT_THAT(findings(schedule_), IsEmpty());
  const ScheduleMetrics metrics = measure(schedule_);
  EXPECT_EQ(metrics.repetition, Time{1000});
  EXPECT_EQ(metrics.latency, Time{2000});
  EXPECT_EQ(metrics.occupancy[0].occupied(), Time{1000});
  EXPECT_EQ(metrics.occupancy[0].blank(), Time{0});
}

TEST_F(BackAndForth, sustains_its_period_and_latency_when_executed) {
  const SimulationResult result = simulate(graph_, machine_, schedule_, {.frames = 100, .buffers = 1});
  EXPECT_EQ(result.delivered, 100U);
  EXPECT_EQ(result.sustained_period, 1000.0);
  // The second frame finds processor 0 idle and begins 500 ticks before its place.
  EXPECT_THAT(result.latencies, Each(Le(Time{2500})));
  EXPECT_EQ(result.latency_quantile(0.5), Time{2000});
}

TEST_F(BackAndForth, loses_no_frame_at_its_own_rate) {
  const SimulationResult result =
      simulate(graph_, machine_, schedule_, {.frames = 100, .frame_interval = 1000, .input_places = 1});
  EXPECT_EQ(result.delivered, 100U);
  EXPECT_EQ(result.sustained_period, 1000.0);
}

TEST_F(BackAndForth, needs_its_own_repetition_to_be_valid) {
  // One frame at a time, processor 0 is occupied for 2000 ticks.
  Schedule one_by_one = schedule_;
  one_by_one.repetition.reset();
  EXPECT_EQ(measure(one_by_one).repetition, Time{2000});
  EXPECT_THAT(diagnose(graph_, machine_, one_by_one, {.repetition = Time{1000}}),
              Contains(finding("repetition", "has not ended when the next iteration begins")));
}

TEST_F(BackAndForth, operations_may_not_overlap_modulo_the_repetition) {
  schedule_.repetition = Time{999};
  EXPECT_THAT(findings(schedule_), Contains(finding("repetition", "modulo the repetition time 999")));
}

TEST(PipelinedGaps, hold_between_frames_of_different_iterations) {
  // Two tasks on processor 0 feed two on processor 1, which start their sends 6 apart modulo 10, then 4.
  TaskGraphBuilder builder;
  for (const char* const name : {"a", "b", "x", "y"}) builder.add_task({.name = name, .work = Time{1}});
  builder.add_edge(TaskId(0), TaskId(2), Bytes{1});
  builder.add_edge(TaskId(1), TaskId(3), Bytes{1});
  const TaskGraph graph = std::move(builder).build();
  Schedule schedule("hand", 2);
  schedule.repetition = Time{10};
  const MessageId first = schedule.add_message(p0, p1, Bytes{1}, std::vector{DatumId(0)});
  const MessageId second = schedule.add_message(p0, p1, Bytes{1}, std::vector{DatumId(1)});
  schedule.add_compute(p0, TaskId(0), Time{0}, Time{1});
  schedule.add_send(p0, first, Time{1}, Time{2});
  schedule.add_compute(p0, TaskId(1), Time{2}, Time{3});
  schedule.add_send(p0, second, Time{17}, Time{18});
  schedule.add_receive(p1, first, Time{4}, Time{5});
  schedule.add_compute(p1, TaskId(2), Time{5}, Time{6});
  schedule.add_receive(p1, second, Time{20}, Time{21});
  schedule.add_compute(p1, TaskId(3), Time{21}, Time{22});
  EXPECT_THAT(diagnose(graph, parse_machine("logp:P=2,L=2,o=1,g=4"), schedule), IsEmpty());
  EXPECT_THAT(diagnose(graph, parse_machine("logp:P=2,L=2,o=1,g=5"), schedule),
              Contains(finding("send-gap", "modulo the repetition time 10")));
}

TEST(PipelinedState, ends_all_frames_of_an_iteration_before_those_of_the_next_one) {
  for (const bool has_state : {true, false}) {
    TaskGraphBuilder builder;
    builder.add_task({.name = "a", .work = Time{4}, .stateless = !has_state});
    const TaskGraph graph = std::move(builder).build();
    Schedule schedule("hand", 1);
    schedule.replicas = 2;
    schedule.repetition = Time{10};
    schedule.add_compute(p0, TaskId(0), Time{0}, Time{4}, 0);
    schedule.add_compute(p0, TaskId(0), Time{15}, Time{19}, 1);
    const auto found = diagnose(graph, parse_machine("logp:P=1"), schedule);
    if (has_state)
      EXPECT_THAT(found, Contains(finding("state", "begins its next iteration at 10")));
    else
      EXPECT_THAT(found, IsEmpty());
  }
}

/// Independent tasks at random times: the checker finds an overlap modulo the repetition if and only if two
/// operations overlap in a long unrolled timetable.
TEST(PipelinedOverlap, agrees_with_unrolled_iterations) {
  Random random(7);
  std::size_t valid = 0;
  constexpr int rounds = 400;
  for (int round = 0; round < rounds; ++round) {
    const std::size_t tasks = 1 + random.below(4);
    const Time repetition{random.between(4, 12)};
    TaskGraphBuilder builder;
    Schedule schedule("random", 1);
    schedule.repetition = repetition;
    std::vector<Operation> operations;
    for (std::size_t i = 0; i < tasks; ++i) {
      const Time work{random.between(0, 4)}, start{random.between(0, 40)};
      builder.add_task({.name = fmt::format("t{}", i), .work = work});
      operations.emplace_back(OperationKind::compute, 0, static_cast<std::uint32_t>(i), start, start + work);
    }
    std::ranges::stable_sort(operations, {},
                             [](const Operation& each) { return std::pair(each.start, each.end); });
    schedule.processors[0] = operations;
    const TaskGraph graph = std::move(builder).build();

    bool overlaps = false;
    const auto iterations = 40 / repetition.count() + 3;
    for (std::size_t i = 0; i < tasks; ++i)
      for (std::size_t j = 0; j < tasks; ++j)
        for (Time::rep k = -iterations; k <= iterations; ++k) {
          if (i == j && k == 0) continue;
          const Operation &a = operations[i], &b = operations[j];
          const Time shift = k * repetition;
          // An operation without a length may stand at the ends of another one, not inside.
          if (a.end == a.start || b.end == b.start) {
            overlaps = overlaps || (a.start < b.start + shift && b.end + shift < a.end) ||
                       (b.start + shift < a.start && a.end < b.end + shift);
            continue;
          }
          overlaps = overlaps || (a.start < b.end + shift && b.start + shift < a.end);
        }
    const bool is_valid = diagnose(graph, parse_machine("logp:P=1"), schedule).empty();
    EXPECT_EQ(is_valid, !overlaps) << round;
    valid += is_valid ? 1 : 0;
  }
  EXPECT_GT(valid, 40U);
  EXPECT_LT(valid, 360U);
}

}  // namespace pipelined_test
}  // namespace takt::logp
