/// Is the smallest period minimal?

#include "logp/period.hpp"

#include <limits>
#include <random>
#include <vector>

#include <fmt/format.h>
#include <gtest/gtest.h>

#include "core/graphs/generators.hpp"
#include "logp/diagnostics.hpp"
#include "logp/timing.hpp"

namespace takt::logp {
namespace period_test {

/// Tasks on random processors, in topological order.
Allocation random_allocation(const TaskGraph& graph, std::size_t processors, std::mt19937_64& random) {
  Allocation allocation{std::vector<std::vector<TaskId>>(processors)};
  for (TaskId task : graph.topological_order()) allocation.order[random() % processors].push_back(task);
  return allocation;
}

/// Whether start times exist that repeat every `period`: by definition, a matrix of distances (Floyd and
/// Warshall) without a positive cycle. Without the network's capacity. O(n^3).
bool can_repeat(const Machine& machine, const Schedule& schedule, Time period) {
  struct Node {
    std::size_t processor;
    Operation operation;
  };
  std::vector<Node> nodes;
  for (std::size_t p = 0; p < schedule.processors.size(); ++p)
    for (const Operation& operation : schedule.processors[p]) nodes.push_back({p, operation});
  constexpr std::int64_t none = std::numeric_limits<std::int64_t>::min() / 4;
  const std::size_t n = nodes.size();
  std::vector<std::vector<std::int64_t>> longest(n, std::vector<std::int64_t>(n, none));
  auto require = [&](std::size_t from, std::size_t to, Time distance) {
    longest[from][to] = std::max(longest[from][to], std::int64_t{distance.count()});
  };
  for (std::size_t i = 0; i < n; ++i)
    for (std::size_t j = 0; j < n; ++j) {
      const auto& [p, a] = nodes[i];
      const auto& [q, b] = nodes[j];
      // Every pair on a processor, in this iteration or, against the order, in the next one.
      if (p == q) {
        Time distance = a.end - a.start;
        if (a.kind == b.kind && a.kind != OperationKind::compute) {
          const Message& m = schedule.message(a.message());
          distance =
              std::max(distance, a.kind == OperationKind::send ? machine.send_gap(m.from, m.to, m.size)
                                                               : machine.receive_gap(m.from, m.to, m.size));
        }
        require(i, j, i < j ? distance : distance - period);
      }
      if (a.kind == OperationKind::send && b.kind == OperationKind::receive && a.subject == b.subject) {
        const Message& m = schedule.message(a.message());
        require(i, j, a.end - a.start + machine.latency(m.from, m.to, m.size));
      }
    }
  for (std::size_t k = 0; k < n; ++k)
    for (std::size_t i = 0; i < n; ++i)
      for (std::size_t j = 0; j < n; ++j)
        if (longest[i][k] > none && longest[k][j] > none)
          longest[i][j] = std::max(longest[i][j], longest[i][k] + longest[k][j]);
  for (std::size_t i = 0; i < n; ++i)
    if (longest[i][i] > 0) return false;
  return true;
}

constexpr std::string_view shapes[] = {"chain:depth=5,cost=1..9", "diamond:depth=2,cost=1..9",
                                       "fft:depth=2,cost=1..20,data=3", "wave:depth=2,width=3,cost=0..5",
                                       "layered:tasks=14,jump=2,cost=1..9,data=1..5"};

TEST(SmallestPeriod, is_reached_and_no_smaller_one_exists) {
  std::mt19937_64 random(11);
  int shorter = 0;
  for (std::string_view shape : shapes)
    for (const char* machine_text : {"logp:P=3", "logp:P=2,L=3,o=1,g=0", "loglinear:P=3,L=2+1,o=1+1,g=0",
                                     "delay:P=3", "logp:P=2,L=1,o=3,g=4"})
      for (int seed = 1; seed <= 12; ++seed) {
        const TaskGraph graph = generate(fmt::format("{},seed={}", shape, seed));
        const Machine machine = parse_machine(machine_text);
        const Schedule given =
            time_task_messages(graph, machine, random_allocation(graph, machine.processor_count(), random),
                               {.start = seed % 2 ? Start::early : Start::late});
        const Schedule best = with_least_repetition(machine, given);
        const Time period = measure(best).repetition;
        for (const Finding& finding : diagnose(graph, machine, best))
          FAIL() << finding.rule << ": " << finding.message << " (" << shape << ", " << machine_text << ")";
        EXPECT_FALSE(can_repeat(machine, given, period - Time{1}))
            << shape << ", " << machine_text << ", " << seed;
        EXPECT_TRUE(can_repeat(machine, given, period));
        EXPECT_LE(period, measure(given).repetition);
        shorter += period < measure(given).repetition;
      }
  EXPECT_GT(shorter, 30) << "the cases are too easy to tell";
}

TEST(SmallestPeriod, keeps_within_the_capacity) {
  std::mt19937_64 random(12);
  int shorter = 0;
  for (std::string_view shape : shapes)
    for (const char* machine_text : {"logp:P=3,L=9,o=1,g=4", "logp:P=4,L=20,o=0,g=7", "logp:P=3,L=3,o=2,g=3",
                                     "loglinear:P=3,L=5+3,o=1+1,g=2+2"})
      for (int seed = 1; seed <= 12; ++seed) {
        const TaskGraph graph = generate(fmt::format("{},seed={}", shape, seed));
        const Machine machine = parse_machine(machine_text);
        const Schedule given =
            time_task_messages(graph, machine, random_allocation(graph, machine.processor_count(), random),
                               {.start = seed % 2 ? Start::early : Start::late});
        const Schedule best = with_least_repetition(machine, given);
        for (const Finding& finding : diagnose(graph, machine, best))
          FAIL() << finding.rule << ": " << finding.message << " (" << shape << ", " << machine_text << ")";
        EXPECT_LE(measure(best).repetition, measure(given).repetition);
        shorter += measure(best).repetition < measure(given).repetition;
      }
  EXPECT_GT(shorter, 30) << "the cases are too easy to tell";
}

TEST(SmallestPeriod, of_a_cycle_between_two_processors_is_its_whole_length) {
  // P1 runs a (2) and c (2), P2 b (3) between them: a, o + L + o, b, o + L + o, c = 2 + 3 + 3 + 3 + 2 with L
  // = o = 1.
  const TaskGraph graph = generate("chain:depth=2,cost=2");
  const Machine machine = parse_machine("logp:P=2,L=1,o=1,g=1");
  const Allocation allocation{{{TaskId(0), TaskId(2)}, {TaskId(1)}}};
  EXPECT_EQ(least_repetition(machine, time_task_messages(graph, machine, allocation)),
            Time{2 + 3 + 2 + 3 + 2});
}

TEST(SmallestPeriod, removes_the_waiting_caused_by_an_early_start) {
  // a (9) -> c, b (1) -> c: with b as early as possible P2 is occupied from 0 to its d at 15. It need not
  // begin before 6, and later still if it waits for c's result: b, 1 + 1 + 1, c (1), 1 + 1 + 1, d (1) = 9.
  TaskGraphBuilder builder;
  const TaskId a = builder.add_task({"a", Time{9}}), b = builder.add_task({"b", Time{1}}),
               c = builder.add_task({"c", Time{1}}), d = builder.add_task({"d", Time{1}});
  builder.add_edge(a, c, Bytes{1});
  builder.add_edge(b, c, Bytes{1});
  builder.add_edge(c, d, Bytes{1});
  const TaskGraph graph = std::move(builder).build();
  const Machine machine = parse_machine("logp:P=2,L=1,o=1,g=1");
  const Schedule early = time_task_messages(graph, machine, {{{a, c}, {b, d}}}, {.start = Start::early});
  EXPECT_EQ(measure(early).repetition, Time{15});
  const Schedule best = with_least_repetition(machine, early);
  // P1: a 9, a receive, c, a send.
  EXPECT_EQ(measure(best).repetition, Time{12});
}

TEST(SmallestPeriod, lets_processors_alternate_in_the_network_for_different_iterations) {
  // a -> b -> c -> d and a -> d, each 10 on a processor of its own, one message in flight to a processor at a
  // time. P1 is busy for 10 + 8 + 1 = 19: two sends a gap of 8 apart. Its message to P4 flies from 19 to 27,
  // that of P3 from 51 to 59. If P1's next message waited for that, the period would be 59 - 19 = 40; but P1
  // can be two frames ahead.
  TaskGraphBuilder builder;
  std::vector<TaskId> tasks;
  for (const char* name : {"a", "b", "c", "d"}) tasks.push_back(builder.add_task({name, Time{10}}));
  builder.add_edge(tasks[0], tasks[1], Bytes{1});
  builder.add_edge(tasks[0], tasks[3], Bytes{1});
  builder.add_edge(tasks[1], tasks[2], Bytes{1});
  builder.add_edge(tasks[2], tasks[3], Bytes{1});
  const TaskGraph graph = std::move(builder).build();
  const Machine machine = parse_machine("logp:P=4,L=8,o=1,g=8");
  const Schedule best = with_least_repetition(
      machine, time_task_messages(graph, machine, {{{tasks[0]}, {tasks[1]}, {tasks[2]}, {tasks[3]}}}));
  EXPECT_TRUE(diagnose(graph, machine, best).empty());
  EXPECT_LE(measure(best).repetition, Time{20});
}

}  // namespace period_test
}  // namespace takt::logp
