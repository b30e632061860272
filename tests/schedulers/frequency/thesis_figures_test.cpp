/// The worked examples of the thesis on frequency-oriented scheduling for LOIS.

#include <fmt/format.h>
#include <gmock/gmock.h>

#include "core/graphs/generators.hpp"
#include "logp/diagnostics.hpp"
#include "logp/timing.hpp"
#include "schedulers/frequency/basic_fo.hpp"
#include "schedulers/frequency/brent.hpp"
#include "schedulers/frequency/greedy.hpp"
#include "tests/schedulers/registry/worked_examples.hpp"

namespace takt::schedulers {
namespace {

using ::testing::ElementsAre;

std::vector<std::int64_t> computed(const ScheduleMetrics& metrics) {
  std::vector<std::int64_t> result;
  for (const Occupancy& occupancy : metrics.occupancy) result.push_back(occupancy.compute.count());
  return result;
}

// Section 2.3: eight unit tasks in four layers on three processors with free messages. The drawing is not in
// the text; its layers of 3, 2, 2 and 1 follow from the lengths of 4 and 8 and the periods of 4 and 3.
TEST(ThesisFigures, methods_a_and_b_break_even_at_five_runs) {
  const TaskGraph graph =
      examples::make_graph({{1}, {1}, {1}, {1}, {1}, {1}, {1}, {1}},
                           {{1, 4, 1}, {2, 4, 1}, {3, 5, 1}, {4, 6, 1}, {5, 7, 1}, {6, 8, 1}, {7, 8, 1}});
  const logp::Machine machine = logp::parse_machine("logp:P=3");
  // Method A divides layers; method B assigns whole layers to a, b, c, c.
  const ScheduleMetrics a = measure(brent(graph, machine, {}));
  const logp::Allocation layers{
      {{TaskId(0), TaskId(1), TaskId(2)}, {TaskId(3), TaskId(4)}, {TaskId(5), TaskId(6), TaskId(7)}}};
  const std::vector<ProcessorId> chain{ProcessorId(0), ProcessorId(1), ProcessorId(2)};
  const ScheduleMetrics b = measure(logp::time_relay(graph, machine, layers, chain));
  EXPECT_EQ(a.makespan, Time{4});
  EXPECT_EQ(a.repetition, Time{4});
  EXPECT_EQ(b.makespan, Time{8});
  EXPECT_EQ(b.repetition, Time{3});
  const auto total = [](const ScheduleMetrics& metrics, int runs) {
    return metrics.makespan + (runs - 1) * metrics.repetition;
  };
  for (int runs = 1; runs < 5; ++runs) EXPECT_LT(total(a, runs), total(b, runs));
  EXPECT_EQ(total(a, 5), total(b, 5));
  EXPECT_GT(total(a, 6), total(b, 6));
  EXPECT_EQ(measure(basic_fo(graph, machine, {})).repetition, Time{3});
}

// Figure 2.2: two sends in a row, max(o, g) apart; o + L after its send a message is received for o; then the
// successor starts, and forwards data.
TEST(ThesisFigures, messages_have_the_costs_of_logp) {
  const TaskGraph graph = examples::make_graph({{5}, {5}, {5}, {5}}, {{1, 2, 1}, {1, 3, 1}, {2, 4, 1}});
  const logp::Allocation allocation{{{TaskId(0)}, {TaskId(1)}, {TaskId(2), TaskId(3)}}};
  for (const auto& [o, g] : {std::pair{1, 3}, {3, 1}}) {
    constexpr int latency = 4, c = 5;
    const logp::Machine machine = logp::parse_machine(fmt::format("logp:P=3,L={},o={},g={}", latency, o, g));
    const Schedule schedule =
        logp::time_task_messages(graph, machine, allocation, {.start = logp::Start::early});
    const auto starts = [&](std::size_t p) {
      std::vector<std::int64_t> result;
      for (const Operation& operation : schedule.processors[p]) result.push_back(operation.start.count());
      return result;
    };
    const int second = c + std::max(o, g);
    EXPECT_THAT(starts(0), ElementsAre(0, c, second));
    const int on_two = c + o + latency;
    EXPECT_THAT(starts(1), ElementsAre(on_two, on_two + o, on_two + o + c));
    const int on_three = second + o + latency, sent_on = on_two + o + c + o + latency;
    const int received = std::max({on_three + o + c, sent_on, on_three + g});
    EXPECT_THAT(starts(2), ElementsAre(on_three, on_three + o, received, received + o));
  }
}

// Sections 3.2 and 3.3, figure 3.1: with tasks of one length n the basic algorithm reaches n * ceil(V / P) on
// two and three processors. The thesis claims any number; on four, ten tasks become 2 + 2 + 2 + 4.
TEST(ThesisFigures, equal_tasks_are_evenly_divided_on_up_to_three_processors) {
  for (int n : {1, 2, 4})
    for (int processors : {2, 3})
      for (int tasks = 1; tasks <= 24; ++tasks) {
        const TaskGraph chain = generate(fmt::format("chain:depth={},cost={}", tasks - 1, n));
        const logp::Machine machine = logp::parse_machine(fmt::format("logp:P={}", processors));
        EXPECT_EQ(measure(basic_fo(chain, machine, {})).repetition.count(),
                  n * ((tasks + processors - 1) / processors))
            << tasks << " tasks of " << n << " on " << processors;
      }
  EXPECT_EQ(measure(basic_fo(generate("chain:depth=9"), logp::parse_machine("logp:P=4"), {})).repetition,
            Time{4});
}

// Figures 3.2 to 3.4: a line of tasks 1, 2, ... 6.
TEST(ThesisFigures, blank_time_costs_more_than_uneven_shares) {
  const TaskGraph line = generate("chain:depth=5,cost=1/2/3/4/5/6");
  const logp::Machine machine = logp::parse_machine("logp:P=3");
  const ScheduleMetrics basic = measure(basic_fo(line, machine, {}));
  EXPECT_THAT(computed(basic), ElementsAre(6, 9, 6));
  EXPECT_EQ(basic.repetition, Time{9});
  for (const Occupancy& occupancy : basic.occupancy) EXPECT_EQ(occupancy.blank(), Time{0});
  // Seven on each processor: 1 and 6, 2 and 5, 3 and 4.
  const logp::Allocation even{{{TaskId(0), TaskId(5)}, {TaskId(1), TaskId(4)}, {TaskId(2), TaskId(3)}}};
  const ScheduleMetrics first = measure(logp::time_task_messages(line, machine, even));
  EXPECT_THAT(computed(first), ElementsAre(7, 7, 7));
  EXPECT_EQ(first.repetition, Time{21});
  EXPECT_EQ(first.occupancy[0].blank(), Time{14});
}

}  // namespace
}  // namespace takt::schedulers
